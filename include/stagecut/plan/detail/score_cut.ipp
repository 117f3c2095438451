// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/score_cut.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/plan/layer_blocks.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/parts/check_memory.hpp>
#include <stagecut/plan/parts/check_request.hpp>
#include <stagecut/plan/parts/misplaced_layer.hpp>
#include <stagecut/plan/parts/requested_schedule.hpp>
#include <stagecut/plan/parts/with_machine.hpp>
#include <stagecut/plan/parts/with_target.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/plan/usual_search.hpp>
#include <stagecut/profile/layer.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL void check_start(std::string_view function, std::string_view argument, const cuts& at,
                               const profile& model, const plan_request& request) {
  const std::size_t stages = request.devices * request.stages_per_rank;
  if (at.stages() == stages && at.items() == model.layers.size()) return;
  fail(argument_error(function, argument, joined({at.stages(), " stages of ", at.items(), " layers"}),
                      joined({"must be ", stages, " of ", model.layers.size()})));
}

/// Scores one cut of a model.
class cut_score {
 public:
  cut_score(const profile& model, const plan_request& request, const cuts& at)
      : model_(model), request_(request), asked_(request), at_(at) {
    asked_.start = {};
    // There is one cut: limits would end the search before it is evaluated.
    if (!finds_order(request)) asked_.search = {};
  }

  [[nodiscard]] outcome<scored_cut> score() {
    profile model = model_;
    if (parts_layers()) take_apart(model);
    asked_.forbidden_cuts.clear();
    asked_.kept_together.clear();
    for (const interval stage : at_) asked_.kept_together.push_back(stage);
    const plan_request limited = with_machine(model, asked_);
    asked_ = limited;
    model.machine = {};  // its fields are in the request now
    drop_target(model);
    outcome<plan> made = make_plan(model, asked_);
    // With several stages a device, objectives of stages answer for a single cut only that it does not fit.
    const bool answered = made || (made.state() == state::unknown && finds_order(asked_));
    const bool short_of_memory = !answered && asked_.memory_limit;
    const reason lacks = made ? reason() : made.why();
    if (short_of_memory) {
      drop_memory();
      made = make_plan(model, asked_);
    }
    if (!made) {
      return made.state() == state::infeasible ? outcome<scored_cut>::infeasible(made.why())
                                               : outcome<scored_cut>::unknown(made.why());
    }
    result_.made = *std::move(made);
    result_.made.profile = model_;
    result_.made.objective.bound = 0;
    result_.made.objective.state = state::unknown;
    if (short_of_memory) report_memory(limited, lacks);
    return outcome<scored_cut>::feasible(std::move(result_));
  }

 private:
  /// Reports cuts between layers that stay together; returns whether there are any.
  [[nodiscard]] bool parts_layers() {
    const cuts blocks = blocks_of("score_cut", model_, request_.forbidden_cuts, request_.kept_together);
    std::vector<bool> begins(model_.layers.size() + 1);
    for (const std::size_t point : blocks.points()) begins[point] = true;
    const std::size_t before = result_.broken.size();
    for (const std::size_t point : at_.boundaries()) {
      if (begins[point]) continue;
      result_.broken.push_back(joined({layer_text(model_, point - 1), " and ", layer_text(model_, point),
                                       " stay together, and stand on two stages"}));
    }
    return result_.broken.size() != before;
  }

  /// Separates layers that a profile keeps together.
  static void take_apart(profile& model) {
    for (auto& layer : model.layers) {
      layer.group = {};
      std::vector<tied_parameters> tied(layer.tied.begin(), layer.tied.end());
      for (tied_parameters& shared : tied) shared.where = tied_parameters::placement::replicated;
      if (!tied.empty()) layer.tied = std::move(tied);
    }
  }

  /// Drops the target if it cannot express this cut, and reports why.
  void drop_target(const profile& model) {
    if (request_.target == framework::none) return;
    plan_request unlimited = asked_;
    unlimited.memory_limit = {};
    const target_entry& entry = entry_of(request_.target);
    check_target_model(model_, request_);
    const std::string where = misplaced_layer(entry, model_, at_.assignment(), request_.devices, at_.stages());
    if (!where.empty()) {
      result_.broken.push_back(joined({entry.name, ": ", where}));
    } else {
      const outcome<plan> told = make_plan(model, unlimited);
      if (told.state() != state::infeasible) return;
      result_.broken.push_back(told.why().text());
    }
    asked_ = in_words_of_target(std::move(asked_));
    asked_.target = framework::none;
  }

  void drop_memory() {
    asked_.memory_limit = {};
  }

  /// Reports the devices that have too little memory, and the plan's limit.
  void report_memory(const plan_request& limited, const reason& lacks) {
    const std::size_t before = result_.broken.size();
    plan& made = result_.made;
    made.memory.memory_limit = limited.memory_limit;
    std::vector<double> bytes = made.stages_per_rank > 1 ? device_memories(made) : std::vector<double>();
    if (made.stages_per_rank == 1) {
      for (const planned_stage& stage : made.stages) bytes.push_back(stage.total_memory());
    }
    for (std::size_t d = 0; d < bytes.size(); ++d) {
      const double most = bytes_allowed(limited, d);
      if (!(bytes[d] > most)) continue;
      result_.broken.push_back(joined({"device ", d, " needs ", bytes_text(static_cast<std::size_t>(bytes[d])),
                                       ", and may have ", bytes_text(static_cast<std::size_t>(most))}));
    }
    if (result_.broken.size() == before) result_.broken.push_back(lacks.text());
  }

  const profile& model_;
  const plan_request& request_;
  plan_request asked_;
  const cuts& at_;
  scored_cut result_{};
};

STAGECUT_DECL plan_request with_usable_start(const profile& model, plan_request request) {
  if (request.start.stages() == 0) return request;
  bool usable = request.start.stages() == request.devices * request.stages_per_rank;
  if (usable && finds_order(request)) {
    usable = !request.memory_limit && request.target == framework::none;
  } else if (usable) {
    const auto own = score_cut(model, request, request.start);
    usable = own && own->broken.empty();
  }
  if (!usable) request.start = {};
  return request;
}

}  // namespace detail

STAGECUT_DECL outcome<scored_cut> score_cut_fn::operator()(const profile& model, const plan_request& request,
                                                           const cuts& at) const {
  detail::check_chain("score_cut", model);
  detail::check_start("score_cut", "at", at, model, request);
  return detail::cut_score(model, with_usual_limit(model, request), at).score();
}

}  // namespace stagecut::inline STAGECUT_ABI
