// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/names.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/makespan_obstacle.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/sweep_options.hpp>
#include <stagecut/plan/sweep_row.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/flatten_modules.hpp>
#include <stagecut/profile/training_memory.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "request_flags.hpp"

/// The keywords of `stagecut.sweep`.
class sweep_flags : public request_flags {
 public:
  explicit sweep_flags(const std::string& text) : request_flags("sweep", text) {}

  /// Planning threads; 0: as many as the machine has.
  [[nodiscard]] std::size_t threads() const {
    return find("threads") == nullptr ? 0 : find("threads")->get<std::size_t>();
  }

  /// What all configurations have.
  /// @param model  becomes the model as it is planned
  [[nodiscard]] stagecut::plan_request request_of(stagecut::profile& model) const {
    stagecut::plan_request result;
    model = stagecut::flatten_modules(std::move(model));
    if (stagecut::is_chain(model)) model = stagecut::as_chain(std::move(model));
    ask_devices(result);
    limit(model, result);
    ask_layers(model, result);
    return result;
  }

  /// The configurations.
  [[nodiscard]] stagecut::sweep_axes axes_of(const stagecut::profile& model) const {
    stagecut::sweep_axes result;
    result.devices = axis("devices", {});
    result.microbatches = axis("microbatches", {});
    result.stages_per_rank = axis("stages_per_rank", {1, 2});
    result.schedules = schedules(model);
    result.checkpoints = checkpoints();
    return result;
  }

  /// Sets the limits of each search.
  void limit_search(stagecut::search_options& search) const {
    std::size_t nodes = stagecut::usual_sweep_nodes;
    read("node_limit", nodes);
    search.node_limit = nodes;
    if (const json* const given = find("time_limit")) search.time_limit = given->get<double>();
  }

  /// What is skipped.
  [[nodiscard]] stagecut::sweep_options options() const {
    stagecut::sweep_options result;
    result.skip_dominated = find("all") == nullptr;
    return result;
  }

 private:
  /// The numbers of an axis.
  [[nodiscard]] std::vector<std::size_t> axis(const char* name, std::vector<std::size_t> usual) const {
    std::vector<std::size_t> result = find(name) == nullptr ? std::move(usual) : counts(name);
    for (const std::size_t each : result) {
      if (each > stagecut::most_predicted) refuse(name, "must be at most " + std::to_string(stagecut::most_predicted));
    }
    return result;
  }

  [[nodiscard]] std::vector<stagecut::schedule_kind> schedules(const stagecut::profile& model) const {
    const json* const given = find("schedules");
    if (given == nullptr || has_text("schedules", "auto")) return stagecut::usual_schedules(model);
    std::vector<stagecut::schedule_kind> result;
    for (const json& each : *given) {
      const auto* const known = stagecut::find_schedule(each.get<std::string>());
      if (known != nullptr && known->make == nullptr) {
        refuse("schedules", known->name + std::string(" makes its order: plan does that, a sweep does not"));
      }
      if (known == nullptr || stagecut::needs_more(*known)) {
        refuse("schedules", each.dump() + " is none of " + stagecut::list_names(stagecut::schedules));
      }
      result.push_back(known->kind);
    }
    return result;
  }

  /// For which microbatches activations are recomputed.
  [[nodiscard]] std::vector<stagecut::checkpointing> checkpoints() const {
    if (find("recompute") == nullptr) return {stagecut::checkpointing::never};
    std::vector<stagecut::checkpointing> result;
    for (const json& each : *find("recompute")) {
      const auto* const known = stagecut::find_name(stagecut::checkpointing_names, each.get<std::string>());
      if (known == nullptr || known->value == stagecut::checkpointing::except_last) {
        refuse("recompute", each.dump() + " is neither never nor always");
      }
      result.push_back(known->value);
    }
    return result;
  }
};

/// A row as JSON, with the names of the columns of a sweep's CSV file; what is not known is null.
[[nodiscard]] inline nlohmann::ordered_json json_of(const stagecut::sweep_row& row) {
  using json = nlohmann::ordered_json;
  const auto known = [](bool is_known, double value) { return is_known ? json(value) : json(nullptr); };
  const bool planned = row.has_plan();
  return {{"devices", row.devices},
          {"microbatches", row.microbatches},
          {"schedule", to_string(row.schedule)},
          {"stages_per_rank", row.stages_per_rank},
          {"checkpoint", to_string(row.checkpoint)},
          {"state", stagecut::to_string(row.state)},
          {"makespan", known(planned, row.makespan)},
          {"bound", known(row.bound > 0, row.bound)},
          {"per_microbatch", known(planned, row.per_microbatch)},
          {"memory", known(planned, row.memory)},
          {"memory_bound", known(row.memory_bound > 0, row.memory_bound)},
          {"front", row.on_front},
          {"dominated", row.dominated},
          {"why", row.why}};
}
