// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/separate.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_explanation.hpp>
#if STAGECUT_BODIES
#include <vector>

#include <stagecut/plan/detail/explain_changes.hpp>
#include <stagecut/plan/detail/explain_memory.hpp>
#include <stagecut/plan/detail/explain_path.hpp>
#include <stagecut/plan/detail/explain_prices.hpp>
#include <stagecut/plan/detail/explained_plan.hpp>
#include <stagecut/plan/detail/with_target.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/schedule/makespan_parts.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/simulation.hpp>
#endif

namespace stagecut::inline v0 {

/// Why a plan cannot be explained, in a few words; empty if it can, as far as its times are those of its layers.
[[nodiscard]] inline std::string explanation_obstacle(const plan& made) {
  if (made.profile.inference) return "it is of inference, which has no iteration";
  if (!made.edges.empty() || !made.assignment.empty() || !made.profile.edges.empty()) {
    return "it is of a graph, and only chains of layers are explained";
  }
  if (made.schedule.microbatches == 0) return "the number of its microbatches is not known, so its iteration is not";
  const std::size_t stages = made.cuts.stages();
  if (stages == 0 || made.stages.size() != stages || made.cuts.items() != made.profile.layers.size()) {
    return "its cuts are not those of its layers and stages";
  }
  if (!made.speeds.empty() && made.speeds.size() != made.devices) return "its speeds are not those of its devices";
  for (const double each : made.speeds) {
    if (!is_finite(each) || !(each > 0)) return "a speed of its devices is not above 0 and finite";
  }
  for (const planned_stage& each : made.stages) {
    if (each.on_cpu) return "it has a stage on a CPU, and only chains on accelerators are explained";
    if (each.device >= made.devices) return "it has a stage on a device that is none of its own";
  }
  for (const layer& each : made.profile.layers) {
    if (!each.children.empty()) return "its profile is a tree of modules, not a chain";
  }
  return "";
}

/// See `explain_plan`.
struct explain_plan_fn {
  /// See `explain_plan`.
  [[nodiscard]] plan_explanation operator()(const plan& made, const explain_options& options = {}) const;
};

/// Says what holds the iteration of a plan: idle time by cause, the critical path by stages and messages, what one per
/// cent less of every layer, device, link and of the memory is worth, and the changes that would help most.
///
/// Every price and every change is the difference of two simulations by the schedule, links and messages of the plan;
/// nothing is extrapolated. Changes stay within the plan's limits of memory: those whose memory cannot be reckoned are not
/// told. What a plan does not tell, layers that its maker wanted to keep together for instance, is not respected.
///
/// @param made     a plan of a chain, with microbatches and a schedule by name or of its own
/// @param options  how long to search for other cuts, and for which framework
/// @throws         argument_error if there is an `explanation_obstacle`; invalid_input for stages whose times are not the
///                 sums over their layers, and as `schedule_of`, `times_of`, `transfers_of` and `simulate`; what `make_plan`
///                 throws for memory that is none; not_representable for a model that the framework cannot be told
///
/// A simulation for each layer, of equal ones on a stage for one; for each device, boundary, and change. Then up to four
/// searches as of `make_plan`, each within the limits.
inline constexpr explain_plan_fn explain_plan{};

#if STAGECUT_BODIES
STAGECUT_INLINE plan_explanation explain_plan_fn::operator()(const plan& made, const explain_options& options) const {
  if (const std::string why = explanation_obstacle(made); !why.empty()) {
    detail::fail(argument_error("explain_plan", "made", detail::in_quotes(made.profile.name),
                                detail::joined({"cannot be explained: ", why})));
  }
  plan_request asked;
  asked.target = options.target;
  asked.devices = made.devices;
  asked.chunks = made.chunks;
  detail::check_target_model(made.profile, asked);
  const detail::explained_plan of(made);
  const pass_times<double> times = times_of(of.made(), runs(of.order(), op_kind::backward_input));
  const transfer_times<double> transfers = transfers_of(of.made());
  const simulation<double> run = simulate(of.order(), times, transfers);
  plan_explanation result;
  result.makespan = run.makespan;
  result.parts = split_makespan(of.order(), times, transfers);
  result.devices = detail::parts_of_devices(result.parts, run);
  result.path = detail::path_sums(of.order(), times, run).shares();
  result.less = detail::price_list(of).prices();
  const detail::plan_again again(of, run.makespan, options);
  result.memory = again.price();
  result.cut_proved = made.objective.name == "makespan" && made.objective.state == state::optimal;
  std::vector<double> work;
  for (const makespan_parts& each : result.devices) work.push_back(each.work);
  result.changes = detail::change_list(of, run.makespan, options.target).best(options.most_changes, again.same(), work);
  return result;
}
#endif

}  // namespace stagecut::inline v0
