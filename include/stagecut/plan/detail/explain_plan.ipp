// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/explain_plan.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/plan/detail/explain_changes.hpp>
#include <stagecut/plan/detail/explain_memory.hpp>
#include <stagecut/plan/detail/explain_path.hpp>
#include <stagecut/plan/detail/explain_prices.hpp>
#include <stagecut/plan/detail/explained_plan.hpp>
#include <stagecut/plan/detail/with_target.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_explanation.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/schedule/makespan_parts.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::string explanation_obstacle(const plan& made) {
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

STAGECUT_DECL plan_explanation explain_plan_fn::operator()(const plan& made, const explain_options& options) const {
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

}  // namespace stagecut::inline STAGECUT_ABI
