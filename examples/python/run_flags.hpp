// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/io/frameworks/torch_schedule.hpp>
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/schedule/lower_transfers.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "commands/scenario.hpp"
#include "options/run_size.hpp"

/// What is run of a plan: its own order, or another one.
struct run_flags {
  std::optional<std::string> schedule, order;  // a name; the text of a file for PyTorch
  std::size_t microbatches = 0;                // 0: the plan's
  bool merge_backward = false;
  bool of_torch = false;  // whether it is for PyTorch

  /// The plan with its schedule.
  ///
  /// @throws invalid_input and argument_error for what `stagecut simulate` rejects
  [[nodiscard]] scenario of(const std::string& text) const {
    stagecut::plan made = stagecut::io::parse_json_plan(text, "plan");
    if (microbatches != 0) made.schedule.microbatches = microbatches;
    const std::string much = too_large_run(made);
    if (!much.empty()) throw stagecut::invalid_input("plan", much);
    const bool other = schedule && *schedule != made.schedule.name;
    stagecut::schedule run = order ? given_order(made) : other ? named(made) : stagecut::schedule_of(made);
    auto messages = stagecut::transfers_of(made, run.slices);
    scenario result = scenario_of(made, std::move(run), "", std::move(messages));
    if (merge_backward) result.order = stagecut::merge_backward(result.order);
    if (of_torch) stagecut::io::check_torch_order(made, result.order);
    return result;
  }

 private:
  [[nodiscard]] stagecut::schedule given_order(const stagecut::plan& made) const {
    if (schedule)
      throw stagecut::argument_error("simulate", "schedule_text", "a text", "stands in the place of schedule");
    stagecut::schedule read = stagecut::io::parse_torch_schedule(*order, "schedule_text");
    const auto check = [](const char* of, std::size_t here, std::size_t planned) {
      if (here == planned) return;
      throw stagecut::invalid_input("schedule_text",
                                    "has " + std::to_string(here) + of + ", not " + std::to_string(planned));
    };
    check(" stages", read.stages(), made.stages.size());
    check(" ranks", read.ranks(), made.devices);
    if (microbatches != 0) check(" microbatches", read.microbatches, microbatches);
    read.name = "order";
    return read;
  }

  /// A schedule other than the plan's.
  [[nodiscard]] stagecut::schedule named(const stagecut::plan& made) const {
    const auto* const entry = stagecut::find_schedule(*schedule);
    const auto refuse = [&](const char* why) {
      throw stagecut::argument_error("simulate", "schedule", *schedule, why);
    };
    if (entry == nullptr) refuse("is none that there is");
    if (entry->make == nullptr) refuse("is an order that plan makes");
    if (made.memory.checkpoint == to_string(stagecut::checkpointing::except_last)) {
      throw stagecut::invalid_input("plan", "keeps the last microbatch: it goes by its own schedule alone");
    }
    const stagecut::schedule_shape shape{
        .ranks = made.devices, .stages_per_rank = made.stages_per_rank, .microbatches = made.schedule.microbatches};
    stagecut::schedule result = stagecut::make_schedule(entry->kind, shape);
    for (std::size_t s = 0; s < made.stages.size() && made.messages.links.size() > 1; ++s) {
      if (made.stages[s].device != result.rank_of[s])
        refuse("has other neighbours, whose links the plan does not know");
    }
    return result;
  }
};
