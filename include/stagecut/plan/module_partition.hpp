// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/cuts.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Leaves of a module tree that run one after the other on one device.
struct module_run {
  std::size_t first = 0;   ///< the first of them, by its place in `module_partition::leaves`
  std::size_t last = 0;    ///< the place behind the last
  std::size_t device = 0;  ///< from 0
  double cost = 0;         ///< a share of the model's

  /// Equal in every part.
  friend bool operator==(const module_run&, const module_run&) = default;
};

/// Which device has which modules. Costs are shares of the whole model's, which is 1.
struct module_partition {
  std::vector<std::size_t> device{};  ///< of every layer of the profile, a leaf or a module
  std::vector<std::size_t> leaves{};  ///< the layers that are left by `flatten_modules`, in its order
  std::vector<double> costs{};        ///< of every leaf, likewise
  std::vector<module_run> runs{};     ///< of leaves, as long as they can be, in that order
  std::vector<double> loads{};        ///< of every device: the sum over its runs; of one that has none 0
  double max_load = 0;                ///< the greatest
  /// No way to deal modules out gives every device less: not below the average, nor the heaviest leaf, or those that
  /// share parameters, nor the two lightest of the `devices + 1` heaviest.
  double bound = 0;
  cuts chain_cuts{};      ///< where the chain of leaves is cut into as many stages so that the heaviest is the lightest
  double chain_load = 0;  ///< which costs this
  std::vector<std::size_t> heavy{};  ///< layers that are leaves and alone cost more than the average of a device

  /// By how much the heaviest device is above the heaviest stage of the best cut of the chain, in per cent; below 0
  /// where devices with several runs are better off than any cut.
  [[nodiscard]] double gap() const noexcept { return chain_load > 0 ? 100 * (max_load / chain_load - 1) : 0; }

  /// Equal in every part.
  friend bool operator==(const module_partition&, const module_partition&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
