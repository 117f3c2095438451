// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/detail/check_notes.hpp>
#include <stagecut/plan/detail/verified_plan.hpp>
#include <stagecut/plan/parts/whole_backward.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

// The seconds of the stages of a plan, and their costs in the objective.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Why a stage on several devices cannot be computed; empty: it can.
[[nodiscard]] inline const char* shared_stage(const verified_plan& all, std::size_t s) {
  const planned_stage& stage = all.made.stages[s];
  for (const std::size_t i : all.layers[s]) {
    if (all.figures[i].unknown[0] != '\0') return all.figures[i].unknown;
    // Each device runs layers without a sharding whole.
    if (stage.tensor_parallel > 1 && all.figures[i].ways != stage.tensor_parallel &&
        !all.model.layers[i].shardings.empty())
      return "it has a tensor-parallel degree for which its layers have no sharding";
  }
  return "";
}

/// The seconds of a stage that recomputes forward passes as `checkpoint` sets.
[[nodiscard]] inline stage_seconds seconds_of(const verified_plan& all, std::size_t s, std::string_view checkpoint) {
  stage_seconds result;
  double cpu = 0;
  result.unknown = detail::shared_stage(all, s);
  for (const std::size_t i : all.layers[s]) {
    const chosen_figures& each = all.figures[i];
    result.forward += each.forward;
    result.backward_kept += each.backward;
    result.splits = result.splits && each.backward_weight;
    const double weight = each.backward_weight.value_or(0);
    result.backward_weight += weight;
    result.backward_input += each.backward_input.value_or(each.backward - weight);
    result.update += each.update;
    cpu += all.model.layers[i].cpu.value_or(0);
  }
  const double speed = all.speed(s);
  result.forward /= speed;
  result.backward_kept /= speed;
  result.backward_input /= speed;
  result.backward_weight /= speed;
  result.update /= speed;
  const bool again = checkpoint == "always" || checkpoint == "except_last";
  result.backward = result.backward_kept + (again ? result.forward : 0);
  const auto m = static_cast<double>(all.made.schedule.microbatches);
  const bool mean = checkpoint == "except_last" && m > 0;
  const double backward = mean ? (result.backward * (m - 1) + result.backward_kept) / m : result.backward;
  result.both = all.made.stages[s].on_cpu ? cpu / speed : result.forward + backward;
  return result;
}

/// The recomputation: the plan's; if it has no memory figures and does not set it, as its times imply.
[[nodiscard]] inline std::string checkpoint_of(const verified_plan& all) {
  if (!all.made.memory.checkpoint.empty()) return all.made.memory.checkpoint;
  bool all_again = true;
  bool none_again = true;
  for (std::size_t s = 0; s < all.stages(); ++s) {
    const planned_stage& stage = all.made.stages[s];
    if (stage.backward_kept) return "except_last";
    if (stage.on_cpu) continue;
    all_again = all_again && nearly_equal(stage.backward, detail::seconds_of(all, s, "always").backward);
    none_again = none_again && nearly_equal(stage.backward, detail::seconds_of(all, s, "never").backward);
  }
  return all_again && !none_again ? "always" : "never";
}

/// Compares the seconds of a stage with the plan's.
inline void compare_seconds(const verified_plan& all, std::size_t s, bool kept, check_notes& notes) {
  const planned_stage& said = all.made.stages[s];
  const stage_seconds& here = all.seconds[s];
  const std::string place = stage_text(s);
  if (said.on_cpu) {
    const double both = said.forward + said.mean_backward(all.made.schedule.microbatches);
    return notes.compare(place, "both passes are not the sum over its layers on a CPU", both, here.both);
  }
  notes.compare(place, "forward is not the sum over its layers", said.forward, here.forward);
  notes.compare(place, "backward is not the sum over its layers", said.backward, here.backward);
  if (said.backward_kept.has_value() != kept) {
    notes.broken(place,
                 kept ? "backward_kept is missing" : "backward_kept stands there, and all microbatches are alike");
  }
  if (said.backward_kept) {
    notes.compare(place, "backward_kept is not the sum over its layers", *said.backward_kept, here.backward_kept);
  }
  if (!said.backward_weight) return;
  if (!here.splits) notes.broken(place, "backward_weight is given, and not all of its layers have it");
  notes.compare(place, "backward_weight is not the sum over its layers", *said.backward_weight, here.backward_weight);
  const double input = here.backward_input + (here.backward - here.backward_kept);
  notes.compare(place,
                said.backward_input ? "backward_input is not the sum over its layers" : "backward_input is missing",
                said.backward_input.value_or(said.backward - *said.backward_weight), input, said.backward);
}

/// Lets a stage run its backward pass whole if a plan has it so and its framework may: at W as stage 0 of a schedule
/// with I and W, at I in DualPipeV.
inline void let_run_whole(stage_seconds& here, const verified_plan& all, std::size_t s) {
  const schedule_entry* const entry = find_schedule(all.made.schedule.name);
  const std::optional<bool> for_weight = whole_for_weight(all.made.stages[s]);
  if (entry == nullptr || !entry->splits_backward || !for_weight) return;
  if (*for_weight ? s != 0 : entry->kind != schedule_kind::dualpipev) return;
  here.splits = true;
  here.backward_weight = *for_weight ? here.backward : 0;
  here.backward_input = here.backward_kept - here.backward_weight;
}

/// Computes the seconds of all stages, and compares them.
inline void verify_seconds(verified_plan& all, check_notes& notes) {
  const std::string checkpoint = detail::checkpoint_of(all);
  const bool kept = checkpoint == "except_last";
  if (!kept && checkpoint != "always" && checkpoint != "never") {
    notes.broken("", joined({"there is no checkpointing ", in_quotes(checkpoint)}));
  }
  for (std::size_t i = 0; i < all.figures.size(); ++i) {
    if (all.figures[i].wrong[0] != '\0') notes.broken(all.name_of(i), all.figures[i].wrong);
  }
  if (!all.made.choices.empty() && all.made.choices.size() != all.figures.size()) {
    notes.broken("", "there is not one choice for each layer", static_cast<double>(all.made.choices.size()),
                 static_cast<double>(all.figures.size()));
  }
  double said = 0;
  double found = 0;
  for (std::size_t s = 0; s < all.stages(); ++s) {
    const planned_stage& stage = all.made.stages[s];
    all.seconds.push_back(detail::seconds_of(all, s, checkpoint));
    detail::let_run_whole(all.seconds[s], all, s);
    if (all.seconds[s].unknown[0] != '\0') {
      notes.not_checked(stage_text(s), all.seconds[s].unknown);
    } else {
      detail::compare_seconds(all, s, kept, notes);
    }
    if (stage.replicas > 1) {
      notes.not_checked(stage_text(s), "the profile does not give what replicas exchange");
    } else if (!all.seconds[s].unknown[0] && all.seconds[s].update != 0) {
      notes.compare(stage_text(s), "all_reduce is not the exchange of its layers' updates", stage.all_reduce,
                    all.seconds[s].update);
    } else if (stage.all_reduce != 0) {
      notes.not_checked(stage_text(s), "the profile does not give the time of an all-reduce");
    }
    const double both = stage.forward + stage.mean_backward(all.made.schedule.microbatches);
    said = std::max(said, both);
    found = found < all.seconds[s].both ? all.seconds[s].both : found;
  }
  notes.figures(said, found);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
