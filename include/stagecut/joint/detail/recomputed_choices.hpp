// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/as_recompute_model.hpp>
#include <stagecut/joint/detail/recomputation_names.hpp>
#include <stagecut/joint/plan_recomputation.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/parts/as_one_chain.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// Plans with recomputation for several numbers of stages per rank, and for frameworks that recompute all layers alike.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The best of several answers, at least one, with a bound for all of them: optimal if none can be better.
///
/// @param open  whether there are further, unexplored plans
/// @return      if none has a plan, the reason: a limit if there is one, else the one that lacks the fewest bytes, or
///              the first
[[nodiscard]] inline outcome<plan> best_answer(const std::vector<outcome<plan>>& all, bool open) {
  const outcome<plan>*best = nullptr, *stopped = nullptr, *none = nullptr;
  double bound = std::numeric_limits<double>::infinity();
  for (const outcome<plan>& answer : all) {
    if (answer) {
      bound = std::min(bound, answer->objective.bound);
      if (best == nullptr || answer->objective.value < (*best)->objective.value) best = &answer;
    } else if (answer.state() == state::unknown) {
      if (stopped == nullptr) stopped = &answer;
    } else if (none == nullptr || answer.why().lacks_fewer_bytes_than(none->why())) {
      none = &answer;
    }
  }
  open = open || stopped != nullptr;
  if (best == nullptr) return stopped != nullptr ? *stopped : open ? outcome<plan>::unknown({}) : *none;
  plan made = **best;
  objective_value& objective = made.objective;
  objective.bound = open ? 0 : std::min(bound, objective.value);
  const bool optimal = best->state() == state::optimal && objective.bound >= objective.value;
  objective.state = optimal ? state::optimal : state::feasible;
  return optimal ? outcome<plan>::optimal(std::move(made)) : outcome<plan>::feasible(std::move(made));
}

/// Whether all layers that may be recomputed have this form.
[[nodiscard]] inline bool all_can_be(const profile& model, const std::string& name) {
  return std::all_of(model.layers.begin(), model.layers.end(), [&](const layer& each) {
    return each.recomputations.empty() || own_recomputation(each) == name ||
           find_variant(each.recomputations, name) != nullptr;
  });
}

/// Whether a framework recomputes all layers of a stage alike.
[[nodiscard]] inline bool recomputes_alike(framework target) {
  return target != framework::none && entry_of(target).recomputed == recomputation_rule::decoders;
}

/// Plans a chain with recomputation for every requested number of stages per rank, in turn.
class recomputed_choices {
 public:
  /// @param starts  known strategies, for any stages per rank
  recomputed_choices(const profile& model, const plan_request& request, const std::vector<recompute_strategy>& starts)
      : model_(as_one_chain("plan_model", model, request)), request_(request), starts_(starts) {
    options_.empty_stages = request.empty_stages;
    options_.names = request.recomputations ? *request.recomputations : profiled_names();
    check();
    alike_ = names_alike();
    if (alike_.empty()) request_.target = framework::none;
  }

  /// Plans all of them.
  [[nodiscard]] outcome<plan> best() {
    std::vector<std::size_t> numbers = request_.choices.stages_per_rank;
    if (numbers.empty()) numbers = {request_.stages_per_rank};
    const double began = seconds_now();
    std::vector<outcome<plan>> answers;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      plan_request asked = request_of(numbers[i]);
      if (i != 0 && numbers[i] * asked.devices > model_.layers.size()) {
        add_row(asked, "more stages than layers");
        if (!request_.empty_stages) rows_.back().state = state::infeasible;
        open_ = open_ || request_.empty_stages;
        continue;
      }
      if (i != 0 && is_over(began)) {
        add_row(asked, is_stopped() ? "stopped before" : "no time was left");
        open_ = true;
        continue;
      }
      share_time(asked, began, numbers.size() - i);
      if (numbers.size() == 1) return made(asked);
      try {
        answers.push_back(made(asked));
      } catch (const argument_error& error) {
        refuse(asked, error.what());
      } catch (const not_representable& error) {
        refuse(asked, error.what());
      }
    }
    if (answers.empty()) std::rethrow_exception(refused_);
    return best_answer(answers, open_);
  }

  /// The numbers of stages per rank, if there are several.
  [[nodiscard]] const std::vector<compared_plan>& compared() const noexcept { return rows_; }
  /// The request of the best plan; without a plan, the first that was searched.
  [[nodiscard]] const plan_request& used() const noexcept { return used_; }

 private:
  /// The forms in which layers were profiled: nothing is chosen.
  [[nodiscard]] std::vector<std::string> profiled_names() const {
    std::vector<std::string> result = own_recomputations(model_);
    const auto plain = [](const layer& each) { return each.recomputation.empty(); };
    if (std::none_of(model_.layers.begin(), model_.layers.end(), plain)) result.erase(result.begin());
    return result;
  }

  /// Rejects what no number of stages per rank can have.
  void check() const {
    const auto refuse = [](const char* argument, const std::string& value, const std::string& why) {
      fail(argument_error("plan_model", argument, value, why));
    };
    if (request_.recomputations) {
      check_recomputation_names("plan_model", "recomputations", offered_recomputations(model_, false),
                                *request_.recomputations);
    }
    const plan_choices& of = request_.choices;
    if (!of.devices.empty() || !of.microbatches.empty() || !of.schedules.empty()) {
      refuse("choices", "{…}", "may leave open the stages per rank alone where recomputation is planned");
    }
    for (const std::size_t each : of.stages_per_rank) {
      if (each == 0) refuse("choices.stages_per_rank", "0", "must be at least 1");
    }
    const bool whole = request_.target != framework::none && request_.target != framework::sapp;
    if (request_.slices > 1 && whole) {
      const std::string of_target = entry_of(request_.target).framework;
      refuse("slices", std::to_string(request_.slices),
             joined({"must be 1 for ", of_target, ", which runs whole sequences: SAPP and MindFormers cut them"}));
    }
  }

  /// The request for a number of stages per rank.
  [[nodiscard]] plan_request request_of(std::size_t number) const {
    plan_request result = request_;
    result.choices = {};
    result.any_schedule = false;
    result.recomputations.reset();
    result.empty_stages = false;
    result.stages_per_rank = number;
    if (request_.any_schedule) result.schedule = usual_schedule(number);
    return result;
  }

  /// 1F1B, interleaved for several stages per rank; SAPP's if the ranks do not divide the microbatches, or if the request
  /// has the one of less memory.
  [[nodiscard]] schedule_kind usual_schedule(std::size_t number) const {
    if (number == 1) return schedule_kind::one_forward_one_backward;
    if (request_.schedule == schedule_kind::sapp_less_memory) return schedule_kind::sapp_less_memory;
    const bool divided = request_.devices != 0 && request_.microbatches % request_.devices == 0;
    const bool interleaved = divided || request_.group != 0 || !alike_.empty();
    return interleaved ? schedule_kind::one_forward_one_backward : schedule_kind::sapp_big;
  }

  [[nodiscard]] bool is_stopped() const { return request_.search.stop && request_.search.stop(); }

  [[nodiscard]] bool is_over(double began) const {
    return (request_.search.time_limit && seconds_now() - began >= *request_.search.time_limit) || is_stopped();
  }

  /// Gives a request an equal part of the seconds that are left.
  void share_time(plan_request& asked, double began, std::size_t left) const {
    if (!asked.search.time_limit) return;
    const double rest = std::max(0.0, *asked.search.time_limit - (seconds_now() - began));
    asked.search.time_limit = rest / static_cast<double>(left);
  }

  /// The best plan of a request.
  [[nodiscard]] outcome<plan> made(const plan_request& asked) {
    const schedule_entry& entry = entry_of(asked.schedule);
    if (entry.stages_per_rank == 0 && asked.stages_per_rank == 1) {
      fail(argument_error("plan_model", "schedule", entry.name, "needs stages_per_rank above 1"));
    }
    recompute_options options = options_;
    const std::size_t stages = asked.devices * asked.stages_per_rank;
    for (const recompute_strategy& start : starts_) {
      if (start.cuts.stages() == stages) options.starts.push_back(start);
    }
    outcome<plan> answer = alike_.empty() ? plan_recomputation(model_, asked, options) : best_alike(asked);
    if (used_.devices == 0 || (answer && (best_ == 0 || answer->objective.value < best_))) used_ = asked;
    if (answer && (best_ == 0 || answer->objective.value < best_)) best_ = answer->objective.value;
    add_row(asked, answer ? "" : answer.why().text());
    rows_.back().state = answer.state();
    if (answer) {
      rows_.back().makespan = answer->objective.value;
      rows_.back().bound = answer->objective.bound;
      rows_.back().per_microbatch = answer->objective.value / static_cast<double>(asked.microbatches);
    }
    return answer;
  }

  void add_row(const plan_request& asked, std::string why) {
    compared_plan row{asked.devices, asked.stages_per_rank, asked.microbatches, asked.schedule};
    row.why = std::move(why);
    row.group = asked.group;
    rows_.push_back(std::move(row));
  }

  void refuse(const plan_request& asked, std::string why) {
    if (!refused_) refused_ = std::current_exception();
    add_row(asked, std::move(why));
  }

  /// The forms that a framework can give all layers together; empty if it recomputes any layer.
  [[nodiscard]] std::vector<std::string> names_alike() const {
    std::vector<std::string> result;
    if (!recomputes_alike(request_.target)) return result;
    const std::string of = entry_of(request_.target).name;
    if (request_.empty_stages) fail(argument_error("plan_model", "empty_stages", "true", joined({"is not of ", of})));
    if (request_.schedule == schedule_kind::sapp_less_memory) {
      fail(argument_error("plan_model", "schedule", to_string(request_.schedule), joined({"is of SAPP, not of ", of})));
    }
    for (const char* const name : {"none", "selective", "full"}) {
      const auto& names = options_.names;
      const bool wanted = names.empty() ? offers(name) : std::find(names.begin(), names.end(), name) != names.end();
      if (wanted && all_can_be(model_, name)) result.emplace_back(name);
    }
    if (result.empty()) {
      std::string names;
      for (const std::string& name : options_.names) names.append(names.empty() ? "" : ", ").append(name);
      fail(argument_error("plan_model", "recomputations", "{…}",
                          joined({of, " runs all layers alike, as none, selective or full, and they can be ", names})));
    }
    return result;
  }

  /// Whether a layer with a choice offers that form.
  [[nodiscard]] bool offers(const std::string& name) const {
    return std::any_of(model_.layers.begin(), model_.layers.end(), [&](const layer& each) {
      return !each.recomputations.empty() &&
             (own_recomputation(each) == name || find_variant(each.recomputations, name) != nullptr);
    });
  }

  /// The best plan that gives all layers with a choice the same form.
  [[nodiscard]] outcome<plan> best_alike(plan_request asked) const {
    plan_request checked = asked;
    checked.target = framework::none;
    static_cast<void>(ask_recomputation(model_, checked, options_));
    if (asked.search.time_limit) *asked.search.time_limit /= static_cast<double>(alike_.size());
    std::vector<outcome<plan>> all;
    for (const std::string& name : alike_) all.push_back(plan_alike(asked, name));
    return best_answer(all, false);
  }

  /// The best plan that gives all layers with a choice that form.
  [[nodiscard]] outcome<plan> plan_alike(plan_request asked, const std::string& name) const {
    std::vector<layer_choice> choices(model_.layers.size());
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const layer& each = model_.layers[i];
      if (!each.recomputations.empty() && own_recomputation(each) != name) choices[i].recomputation = name;
    }
    asked.objective = plan_objective::makespan;
    outcome<plan> made = make_plan(with_choices(model_, choices), asked);
    if (made) {
      made->profile = model_;
      made->choices = std::move(choices);
    }
    return made;
  }

  profile model_;
  plan_request request_;
  const std::vector<recompute_strategy>& starts_;
  recompute_options options_{};
  std::vector<std::string> alike_{};
  std::vector<compared_plan> rows_{};
  plan_request used_{.devices = 0};
  double best_ = 0;
  bool open_ = false;
  std::exception_ptr refused_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
