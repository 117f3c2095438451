// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <stagecut/plan/detail/explain_changes.hpp>
#include <stagecut/plan/detail/explain_memory.hpp>
#include <stagecut/plan/detail/explain_path.hpp>
#include <stagecut/plan/detail/explain_prices.hpp>
#include <stagecut/plan/detail/explained_plan.hpp>
#include <stagecut/plan/detail/with_target.hpp>
#include <stagecut/plan/explain_plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/schedule/makespan_parts.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

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
