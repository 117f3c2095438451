// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/solution.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Leaves of a module tree that run in sequence on one device.
struct module_run {
  std::size_t first = 0;   ///< position of the first in `module_partition::leaves`
  std::size_t last = 0;    ///< position behind the last
  std::size_t device = 0;  ///< from 0
  double cost = 0;         ///< a share of the model's cost

  /// Member-wise equality.
  friend bool operator==(const module_run&, const module_run&) = default;
};

/// The assignment of modules to devices. Costs are shares of the whole model's, which is 1.
///
/// `value` is the greatest load; `bound` the largest of the average load, the heaviest leaf or leaves with shared
/// parameters, and the two lightest of the `devices + 1` heaviest.
struct module_partition : solution<double> {
  std::vector<std::size_t> assignment{};  ///< device of each layer of the profile, a leaf or a module
  std::vector<std::size_t> leaves{};      ///< the layers that `flatten_modules` keeps, in its order
  std::vector<double> costs{};            ///< cost of each leaf, in that order
  std::vector<module_run> runs{};         ///< maximal runs of leaves, in that order
  std::vector<double> loads{};            ///< load of each device: the sum over its runs; 0 without runs
  cuts chain_cuts{};      ///< the chain of leaves cut into as many stages as devices, with the smallest bottleneck
  double chain_load = 0;  ///< the bottleneck of that cut
  std::vector<std::size_t> heavy{};  ///< leaf layers that alone cost more than the average of a device

  /// Excess of the heaviest device over the heaviest stage of the best cut of the chain, as a fraction; below 0 if devices
  /// with several runs beat every cut.
  [[nodiscard]] double excess_over_chain() const noexcept { return chain_load > 0 ? value / chain_load - 1 : 0; }

  /// The same assignment, with equal figures.
  friend bool operator==(const module_partition& a, const module_partition& b) {
    return a.assignment == b.assignment && a.leaves == b.leaves && a.costs == b.costs && a.runs == b.runs &&
           a.loads == b.loads && a.chain_cuts == b.chain_cuts && a.heavy == b.heavy;
  }
};

}  // namespace stagecut::inline STAGECUT_ABI
