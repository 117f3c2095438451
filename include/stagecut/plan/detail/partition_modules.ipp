// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/partition_modules.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/plan/detail/deal_out_modules.hpp>
#include <stagecut/plan/detail/module_nodes.hpp>
#include <stagecut/profile/flatten_modules.hpp>
#include <stagecut/profile/layer_graph.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Rejects invalid requests, and layers that cannot be placed by their cost.
inline void check_modules(const profile& model, const module_request& request) {
  constexpr const char* function = "partition_modules";
  if (request.devices == 0) fail(argument_error(function, "devices", "0", "must be at least 1"));
  const double weight = request.time_weight;
  if (!is_finite(weight) || is_negative(weight) || weight > 1) {
    fail(argument_error(function, "time_weight", number_text(weight), "must be from 0 to 1"));
  }
  if (!is_finite(request.parameter_multiplier) || is_negative(request.parameter_multiplier)) {
    fail(argument_error(function, "parameter_multiplier", number_text(request.parameter_multiplier),
                        "must be finite and not negative"));
  }
  if (model.layers.empty()) fail(invalid_input("model", "has no layers"));
  check_figures(model);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const layer& each = model.layers[i];
    const char* const problem = each.stage          ? "has a fixed stage, and modules are placed by their cost alone"
                                : each.is_backward  ? "is of the backward pass, and modules are placed with theirs"
                                : !each.accelerator ? "does not run on an accelerator"
                                                    : nullptr;
    if (problem != nullptr) fail(invalid_input(layer_text(model, i), problem));
  }
}

/// A lower bound on the load: see `module_partition::bound`.
[[nodiscard]] inline module_ticks least_load(std::vector<module_ticks> apart, std::size_t devices) {
  module_ticks whole = 0;
  for (const module_ticks each : apart) whole += each;
  const auto count = static_cast<module_ticks>(devices);
  module_ticks least = whole / count + (whole % count != 0 ? 1 : 0);
  std::stable_sort(apart.begin(), apart.end(), [](module_ticks a, module_ticks b) { return b < a; });
  if (least < apart[0]) least = apart[0];
  if (devices < apart.size() && least < apart[devices - 1] + apart[devices])
    least = apart[devices - 1] + apart[devices];
  return least;
}

/// Converts ticks to a share of the model.
[[nodiscard]] inline double as_share(module_ticks ticks) noexcept {
  return static_cast<double>(ticks) / ticks_of_model;
}

/// Fills in the runs, and the loads of devices.
inline module_ticks find_runs(module_partition& result, const std::vector<module_ticks>& ticks, std::size_t devices) {
  std::vector<module_ticks> loads(devices);
  std::vector<module_ticks> of_runs;
  for (std::size_t at = 0; at < ticks.size(); ++at) {
    const std::size_t device = result.assignment[result.leaves[at]];
    if (result.runs.empty() || result.runs.back().device != device) {
      result.runs.push_back({at, at, device, 0});
      of_runs.push_back(0);
    }
    result.runs.back().last = at + 1;
    of_runs.back() += ticks[at];
    loads[device] += ticks[at];
  }
  for (std::size_t r = 0; r < of_runs.size(); ++r) result.runs[r].cost = as_share(of_runs[r]);
  module_ticks most = 0;
  for (const module_ticks load : loads) {
    result.loads.push_back(as_share(load));
    most = load > most ? load : most;
  }
  result.value = as_share(most);
  return most;
}

}  // namespace detail

STAGECUT_DECL outcome<module_partition> partition_modules_fn::operator()(const profile& model,
                                                                           const module_request& request) const {
  using detail::module_ticks;
  detail::check_modules(model, request);
  const layer_graph tree = detail::module_tree(model);
  const std::vector<std::size_t> order = detail::modules_in_order(tree);
  module_partition result;
  result.leaves = detail::leaves_in_order(model, order);
  if (request.devices > result.leaves.size()) {
    return outcome<module_partition>::infeasible(
        {reason::cause::more_stages_than_layers, request.devices, result.leaves.size()});
  }
  const detail::module_nodes nodes = detail::nodes_of(model, tree, order, request);
  const std::vector<std::size_t> dealt = detail::module_dealer(nodes).run(request.devices);
  for (const std::size_t node : nodes.node_of) result.assignment.push_back(dealt[node]);
  const std::vector<module_ticks>& all = nodes.of_layers;
  std::vector<module_ticks> ticks;
  module_ticks whole = 0;
  for (const std::size_t i : result.leaves) {
    ticks.push_back(all[i]);
    result.costs.push_back(detail::as_share(all[i]));
    whole += all[i];
  }
  for (const std::size_t i : result.leaves) {
    if (static_cast<detail::wide_integer>(all[i]) * request.devices > whole) result.heavy.push_back(i);
  }
  const module_ticks most = detail::find_runs(result, ticks, request.devices);
  const module_ticks least = detail::least_load(nodes.own, request.devices);
  result.bound = detail::as_share(least);
  auto chain = *minimize_bottleneck(prefix_sums(ticks), request.devices);
  result.chain_load = detail::as_share(chain.value);
  result.chain_cuts = std::move(chain.cuts);
  return most == least ? outcome<module_partition>::optimal(std::move(result))
                       : outcome<module_partition>::feasible(std::move(result));
}

}  // namespace stagecut::inline STAGECUT_ABI
