// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/detail/check_notes.hpp>
#include <stagecut/plan/detail/reference_simulator.hpp>
#include <stagecut/plan/detail/verified_plan.hpp>
#include <stagecut/plan/detail/verify_costs.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

// When the passes of a plan run.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The seconds of each stage for a microbatch, or a slice of one: those of its layers; if these are unknown, or lack
/// separate passes, the plan's.
[[nodiscard]] inline std::vector<plain_seconds> seconds_to_run(const verified_plan& all) {
  std::vector<plain_seconds> result;
  for (std::size_t s = 0; s < all.stages(); ++s) {
    const planned_stage& said = all.made.stages[s];
    const stage_seconds& found = all.seconds[s];
    plain_seconds here;
    if (said.on_cpu || found.unknown[0] != '\0') {
      const double weight = said.backward_weight.value_or(0);
      here = {said.forward, said.backward, said.backward_kept.value_or(said.backward),
              said.backward_input.value_or(said.backward - weight), weight};
    } else {
      const double weight = found.splits ? found.backward_weight : said.backward_weight.value_or(0);
      const double input = found.splits ? found.backward_input : found.backward_kept - weight;
      here = {found.forward, found.backward, said.backward_kept ? found.backward_kept : found.backward,
              input + (found.backward - found.backward_kept), weight};
    }
    for (double* const each :
         {&here.forward, &here.backward, &here.backward_last, &here.backward_input, &here.backward_weight}) {
      *each /= static_cast<double>(all.made.schedule.slices);
    }
    here.all_reduce = said.all_reduce;
    result.push_back(here);
  }
  return result;
}

/// An iteration of the stages in that order.
[[nodiscard]] inline reference_simulator run_of(const verified_plan& all, const schedule& order) {
  const message_model& said = all.made.messages;
  std::vector<plain_message> messages;
  for (std::size_t e = 0; e < all.edges.size(); ++e) {
    plain_message each{all.edges[e].from, all.edges[e].to, 0};
    if (!said.links.empty())
      each.seconds = message_seconds(said.links[said.links.size() == 1 ? 0 : e],
                                     all.edges[e].bytes / static_cast<double>(all.made.schedule.slices));
    messages.push_back(each);
  }
  return {order, detail::seconds_to_run(all), std::move(messages), said.links.empty() ? std::string() : said.kind};
}

/// Compares a timeline with the passes as they run.
inline void compare_timeline(const plan& made, const reference_simulator& run, double makespan, check_notes& notes) {
  const std::size_t m = made.schedule.microbatches;
  const auto row = [&](op_kind kind, std::size_t stage, std::size_t k) {
    return (static_cast<std::size_t>(kind) * made.stages.size() + stage) * m + k;
  };
  std::vector<const plain_pass*> found(4 * made.stages.size() * m);
  std::size_t passes = 0;
  for (const auto& rank : run.passes()) {
    for (const plain_pass& pass : rank) found[row(pass.what.kind, pass.what.stage, pass.what.microbatch)] = &pass;
    passes += rank.size();
  }
  if (made.timeline.size() != passes) {
    notes.broken("timeline", "has another number of passes", static_cast<double>(made.timeline.size()),
                 static_cast<double>(passes));
  }
  for (const timed_pass& pass : made.timeline) {
    const bool known = is_compute(pass.kind) && pass.stage < made.stages.size() && pass.microbatch < m;
    const std::string place =
        joined({"pass ", to_string(op{pass.kind, pass.stage, pass.microbatch}), " in the timeline"});
    if (!known || found[row(pass.kind, pass.stage, pass.microbatch)] == nullptr) {
      notes.broken(place, "does not run, or stands twice");
      continue;
    }
    const plain_pass*& here = found[row(pass.kind, pass.stage, pass.microbatch)];
    notes.compare(place, "begins at another time", pass.start, here->start, makespan);
    notes.compare(place, "ends at another time", pass.end, here->end, makespan);
    here = nullptr;
  }
}

/// Checks that the passes complete, and when: the checks of the schedule and of the makespan.
///
/// @param order  without ranks if it is not known
/// @return       when the last pass and the iteration end; unset: not computed
struct verified_ends {
  std::optional<double> last_pass{};
  std::optional<double> iteration{};
};
inline verified_ends verify_run(const verified_plan& all, const schedule& order, check_notes& of_schedule,
                                        check_notes& notes) {
  notes.figures(all.made.makespan, std::nullopt);
  if (order.ranks() == 0) {
    if (all.made.schedule.microbatches == 0 && all.made.makespan)
      notes.broken("", "it is predicted for no microbatches");
    notes.not_checked("", "the order of its passes is not known");
    return {};
  }
  if (!all.edges_hold) {
    notes.not_checked("", "its messages are not those of the profile");
    return {};
  }
  const reference_simulator run = detail::run_of(all, order);
  if (!run.ends()) {
    of_schedule.broken("", "its passes wait for each other in a cycle");
    notes.not_checked("", "its passes wait for each other in a cycle");
    return {};
  }
  const double found = run.makespan();
  if (!all.made.makespan) notes.not_checked("", "it predicts none");
  if (all.made.makespan) notes.compare("", "the iteration ends at another time", *all.made.makespan, found);
  for (std::size_t s = 0; s < all.stages() && all.made.makespan; ++s) {
    if (all.made.stages[s].on_cpu) {
      notes.not_checked(stage_text(s), "the profile has one time for both passes on a CPU: run as in the plan");
    } else if (all.seconds[s].unknown[0] != '\0') {
      notes.not_checked(stage_text(s), all.seconds[s].unknown);
    }
  }
  if (!all.made.timeline.empty()) detail::compare_timeline(all.made, run, found, notes);
  notes.figures(all.made.makespan, found);
  return {run.last_pass(), found};
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
