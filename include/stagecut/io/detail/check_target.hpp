// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/plan/parts/counts_obstacle.hpp>
#include <stagecut/plan/parts/misplaced_layer.hpp>
#include <stagecut/plan/parts/target_kinds.hpp>
#include <stagecut/plan/parts/target_schedules.hpp>
#include <stagecut/plan/parts/whole_backward.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/schedule/schedule.hpp>

// Whether a target can express a plan.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Rejects stages on other devices than the schedule's: round-robin, 0, 1, …, 0, 1, …, or V-shaped, down and back up.
inline void check_placement(const target_entry& entry, const plan& p) {
  if (!p.schedule.orders.empty() && find_schedule(entry, schedule_kind::synthesized) != nullptr)
    return;  // the order determines it
  const std::string name =
      p.schedule.name.empty() ? stagecut::detail::usual_schedule(entry, p.stages_per_rank) : p.schedule.name;
  const target_schedule* const runs = find_schedule(entry, name);
  const bool back = p.stages_per_rank == 2 && runs != nullptr && runs->v_shaped;
  const std::vector<std::size_t> places = back ? v_placement(p.devices) : loop_placement(p.devices, p.stages_per_rank);
  for (std::size_t s = 0; s < p.stages.size(); ++s) {
    if (p.stages[s].device == places[s]) continue;
    refuse(entry.name,
           joined({"stage ", s, " stands on device ", p.stages[s].device, ", and its place is device ", places[s]}));
  }
}

/// Rejects several stages per device if the target allows one, and stages on other devices.
inline void check_devices(const target_entry& entry, const plan& p) {
  if (p.stages_per_rank != 1 && !entry.several_chunks) {
    refuse(entry.name, joined({p.stages_per_rank, " stages on every device, and it knows only one"}));
  }
  check_placement(entry, p);
}

/// Rejects an explicit schedule that the target does not run.
inline void check_schedule(const target_entry& entry, const plan& p) {
  if (entry.schedules.empty()) return;
  if (!p.schedule.orders.empty()) {
    for (const target_schedule& schedule : entry.schedules) {
      if (std::string_view(schedule.called).empty()) return;  // it reads any order from a file
    }
    std::size_t count = 0;
    const std::string known = stagecut::detail::known_schedules(entry, p.stages_per_rank, count);
    refuse(entry.name, joined({"its devices run an order of their own, and the only ",
                               count == 1 ? "schedule there is " : "schedules there are ", known}));
  }
  const bool said = !p.schedule.name.empty();
  const std::string name = said ? p.schedule.name : stagecut::detail::usual_schedule(entry, p.stages_per_rank);
  const std::string why = stagecut::detail::schedule_obstacle(entry, name, p.devices, p.stages_per_rank,
                                                              p.schedule.microbatches, p.schedule.group);
  if (!why.empty()) refuse(entry.name, why);
}

/// Rejects layers that a target does not know, or places on other stages, and numbers of decoders that it cannot express.
inline void check_layers(const target_entry& entry, const plan& p) {
  std::string why = stagecut::detail::kinds_obstacle(entry, p.profile);
  const auto stages = p.cuts.assignment();
  if (why.empty()) {
    why = stagecut::detail::misplaced_layer(entry, p.profile, stages, p.devices, p.cuts.stages());
  }
  if (!why.empty()) refuse(entry.name, why);
  if (entry.counts == decoder_counts::none) return;
  const auto decoders = decoders_of_stages(p);
  for (std::size_t s = 0; s < decoders.size(); ++s) {
    const bool is_end = s == 0 || s + 1 == decoders.size();
    const bool may_be =
        is_end && stagecut::detail::ends_without_decoders(entry, decoders.size(), p.stages_per_rank) != 0;
    if (decoders[s] == 0 && !may_be) refuse(entry.name, joined({"stage ", s, " has no layer of kind \"decoder\""}));
  }
  if (entry.counts != decoder_counts::equal_or_ends) return;
  why = stagecut::detail::counts_obstacle(decoders, p.stages_per_rank);
  if (!why.empty()) refuse(entry.name, why);
}

/// Rejects a plan of a chain that a target cannot express, by the same rules with which `make_plan` searches for one.
/// @return the target's row
/// @throws argument_error in the name of `function` if the parts of the plan contradict each other
inline const target_entry& check_target(std::string_view function, framework to, const plan& p) {
  const target_entry& entry = entry_of(to);
  check_plan(function, entry.name, p, entry.recomputed, entry.devices);
  check_devices(entry, p);
  check_schedule(entry, p);
  check_layers(entry, p);
  const std::string whole = stagecut::detail::whole_obstacle(entry, p);
  if (!whole.empty()) refuse(entry.name, joined({whole, "; planned for it, no plan does that"}));
  return entry;
}

/// The same including names and shared parameters, for targets with rules on these.
inline const target_entry& check_target_modules(std::string_view function, framework to, const plan& p) {
  const target_entry& entry = check_target(function, to, p);
  if (entry.names == name_rule::any) check_names(entry.name, p);
  std::string why = stagecut::detail::names_obstacle(entry, p.profile);
  if (why.empty()) why = stagecut::detail::shared_obstacle(entry, p.profile, p.cuts.stages());
  if (!why.empty()) refuse(entry.name, why);
  if (entry.shared == tie_rule::one_stage) check_tied(entry.name, p);
  return entry;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
