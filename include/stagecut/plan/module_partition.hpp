// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/cuts.hpp>

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
struct module_partition {
  std::vector<std::size_t> assignment{};  ///< device of each layer of the profile, a leaf or a module
  std::vector<std::size_t> leaves{};      ///< the layers that `flatten_modules` keeps, in its order
  std::vector<double> costs{};            ///< cost of each leaf, in that order
  std::vector<module_run> runs{};         ///< maximal runs of leaves, in that order
  std::vector<double> loads{};            ///< load of each device: the sum over its runs; 0 without runs
  double value = 0;                       ///< the greatest
  /// A lower bound on the load of any assignment: the largest of the average, the heaviest leaf or leaves with shared
  /// parameters, and the two lightest of the `devices + 1` heaviest.
  double bound = 0;
  cuts chain_cuts{};      ///< the chain of leaves cut into as many stages as devices, with the smallest bottleneck
  double chain_load = 0;  ///< the bottleneck of that cut
  std::vector<std::size_t> heavy{};  ///< leaf layers that alone cost more than the average of a device

  /// Excess of the heaviest device over the heaviest stage of the best cut of the chain, in per cent; below 0 if
  /// devices with several runs beat every cut.
  [[nodiscard]] double gap() const noexcept { return chain_load > 0 ? 100 * (value / chain_load - 1) : 0; }

  /// Member-wise equality.
  friend bool operator==(const module_partition&, const module_partition&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
