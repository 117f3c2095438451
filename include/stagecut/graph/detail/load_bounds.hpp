// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <stagecut/graph/detail/load_program.hpp>
#include <stagecut/graph/set_cost.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The least value that satisfies a real lower bound: rounded up for whole numbers.
template <class Value>
[[nodiscard]] Value least_above(double bound) {
  if constexpr (std::integral<Value>) {
    // Sums of weights are off by some 2^-50 of their size; the bound stays below the true one.
    const double safe = std::ceil(bound * (1 - 0x1p-45));
    return safe < 0x1p62 ? static_cast<Value>(safe) : std::numeric_limits<Value>::max();
  } else {
    return static_cast<Value>(bound * (1 - 0x1p-45));
  }
}

/// The average of weights in whole numbers, rounded up.
/// @pre  they sum to less than 2^63
template <set_cost Set>
[[nodiscard]] set_value_t<Set> exact_average(const Set& empty, std::size_t devices) {
  std::int64_t total = 0;
  for (std::size_t e = 0; e < empty.size(); ++e) {
    const auto each = static_cast<std::int64_t>(set_weight(empty, e, 0));
    if (each > 0) total += each;
  }
  const auto count = static_cast<std::int64_t>(devices);
  const std::int64_t average = total / count + (total % count == 0 ? 0 : 1);
  constexpr set_value_t<Set> most = std::numeric_limits<set_value_t<Set>>::max();
  return std::cmp_less(average, most) ? static_cast<set_value_t<Set>>(average) : most;
}

/// The averaging bound: the least load at which the devices can hold all weights; CPUs are filled first with what they
/// do comparatively best, including fractions of elements.
template <set_cost Set>
[[nodiscard]] set_value_t<Set> average_bound(const Set& empty, const stage_counts& counts) {
  struct item {
    double device;
    double cpu;
  };
  std::vector<item> items;
  double total = 0;
  for (std::size_t e = 0; e < empty.size(); ++e) {
    const item each{static_cast<double>(set_weight(empty, e, 0)), static_cast<double>(set_weight(empty, e, 1))};
    if (!(each.device > 0)) continue;  // no CPU can relieve the devices
    items.push_back(each);
    total += each.device;
  }
  if (counts.cpus == 0) {
    if constexpr (std::integral<set_value_t<Set>>) {
      if (total < 0x1p62) return exact_average(empty, counts.devices);
    }
    return least_above<set_value_t<Set>>(total / static_cast<double>(counts.devices));
  }
  std::sort(items.begin(), items.end(),
            [](const item& a, const item& b) { return a.cpu / a.device < b.cpu / b.device; });
  // With the first items on CPUs, the load is where the rest on the devices equals what CPUs hold.
  const auto devices = static_cast<double>(counts.devices);
  const auto cpus = static_cast<double>(counts.cpus);
  double on_cpus = 0;
  double left = total;
  for (const item& each : items) {
    if ((left - each.device) * cpus > (on_cpus + each.cpu) * devices) {
      left -= each.device;
      on_cpus += each.cpu;
      continue;
    }
    // A share x of this item: (left - x device) / devices = (on_cpus + x cpu) / cpus.
    const double x = (left * cpus - on_cpus * devices) / (each.device * cpus + each.cpu * devices);
    if (x > 0) left -= (x < 1 ? x : 1) * each.device;
    break;
  }
  if (counts.devices == 0) return 0;
  return least_above<set_value_t<Set>>(left / devices);
}

/// No partition costs less than the heaviest element on the device that suits it best.
template <set_cost Set>
[[nodiscard]] set_value_t<Set> heaviest_bound(const Set& empty, const stage_counts& counts) {
  using value_type = set_value_t<Set>;
  value_type result = 0;
  Set one = empty;
  const bool by_position = set_by_position(empty);
  for (std::size_t e = 0; e < empty.size(); ++e) {
    one.add(e);
    const bool on_device = counts.devices > 0 && (by_position || set_may_grow(one, stage_role{0, 0, 1}));
    const bool on_cpu = counts.cpus > 0 && (by_position || set_may_grow(one, stage_role{1, 0, 1}));
    one.remove(e);
    const value_type device = set_weight(empty, e, 0);
    const value_type cpu = set_weight(empty, e, 1);
    const value_type here = on_device && on_cpu ? std::min(device, cpu) : on_cpu ? cpu : device;
    if (result < here) result = here;
  }
  return result;
}

/// The bounds that depend only on element weights.
template <set_cost Set>
[[nodiscard]] set_value_t<Set> weight_bound(const Set& empty, const stage_counts& counts) {
  return std::max(average_bound(empty, counts), heaviest_bound(empty, counts));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
