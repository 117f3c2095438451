// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/plan/detail/module_nodes.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>

// How devices are assigned to the modules of a tree.
namespace stagecut::inline STAGECUT_ABI::detail {

/// Cuts a sequence of modules into non-empty segments with the smallest bottleneck; among such cuts the last segment is
/// the longest, then the one before it, each time with the best cut of what is left.
///
/// The last of k segments costs at least the optimum for k, and reaches as far to the front as that allows: the result
/// of the recurrence c(k, i) = min over j of max(c(k - 1, j), sum of j + 1 to i), with the least j first. O(k n) and k
/// searches of O(k log n) probes.
/// @pre 1 <= segments <= costs.size(), no cost is negative
[[nodiscard]] inline cuts even_segments(std::vector<module_ticks> costs, std::size_t segments) {
  std::vector<std::size_t> points(segments + 1, costs.size());
  points[0] = 0;
  for (std::size_t k = segments; k > 1; --k) {
    const module_ticks most = minimize_bottleneck(prefix_sums(costs), k)->value;
    std::size_t first = costs.size() - 1;
    module_ticks sum = costs[first];
    while (first > k - 1 && sum + costs[first - 1] <= most) sum += costs[--first];
    points[k - 1] = first;
    costs.resize(first);
  }
  return cuts(std::move(points));
}

/// The segment of each of `devices` devices: each device goes to the segment with the greatest cost per device
/// including this one (d'Hondt's method for seats), ties to the first segment without a device, else to the first.
/// O(devices * segments).
/// @param rounding  possible error of a cost: a difference within it decides nothing against a segment without a device
[[nodiscard]] inline std::vector<std::size_t> assigned_devices(const std::vector<module_ticks>& costs,
                                                               std::size_t devices, module_ticks rounding = 0) {
  std::vector<std::size_t> held(costs.size());
  std::vector<std::size_t> result;
  for (std::size_t d = 0; d < devices; ++d) {
    std::size_t best = 0;
    for (std::size_t s = 1; s < costs.size(); ++s) {
      // Compares fractions without division.
      const wide_integer here = static_cast<wide_integer>(costs[s]) * (held[best] + 1);
      const wide_integer there = static_cast<wide_integer>(costs[best]) * (held[s] + 1);
      const wide_integer margin = static_cast<wide_integer>(rounding) * (held[best] + held[s] + 2);
      const bool fresh = held[s] == 0 && held[best] != 0;
      const bool against_fresh = held[s] != 0 && held[best] == 0;
      if (fresh ? here + margin >= there : here > there + (against_fresh ? margin : 0)) best = s;
    }
    ++held[best];
    result.push_back(best);
  }
  return result;
}

/// Assigns a device to every node of a tree.
class module_dealer {
 public:
  /// @pre `nodes` outlives this
  explicit module_dealer(const module_nodes& nodes) : nodes_(nodes), device_(nodes.own.size()) {}

  /// The device of each node, from `devices` devices. The root has all of these; breadth first, a node is on the first
  /// of its own and assigns them to its children.
  [[nodiscard]] std::vector<std::size_t> run(std::size_t devices) && {
    std::vector<std::size_t> all;
    for (std::size_t d = 0; d < devices; ++d) all.push_back(d);
    arrive(0, std::move(all));
    for (std::size_t at = 0; at < waiting_.size(); ++at) {
      const row here = std::exchange(waiting_[at], row());
      deal(here);
    }
    return std::move(device_);
  }

 private:
  /// Consecutive children of a node, and the devices that they share.
  struct row {
    std::size_t node = 0;
    interval children{};
    std::vector<std::size_t> devices{};
  };

  void arrive(std::size_t node, std::vector<std::size_t> devices) {
    device_[node] = devices[0];
    const std::size_t held = nodes_.children[node].size();
    if (held != 0) waiting_.push_back({node, {0, held}, std::move(devices)});
  }

  void deal(const row& here) {
    const auto [first, last] = here.children;
    const std::vector<std::size_t>& children = nodes_.children[here.node];
    if (here.children.size() == 1 || here.devices.size() == 1) {
      for (std::size_t c = first; c < last; ++c) arrive(children[c], here.devices);
      return;
    }
    const auto rounding = static_cast<module_ticks>(nodes_.of_layers.size());  // a tick of each layer
    std::vector<module_ticks> costs;
    for (std::size_t c = first; c < last; ++c) costs.push_back(nodes_.cost[children[c]]);
    const std::size_t count = here.devices.size() < costs.size() ? here.devices.size() : costs.size();
    const cuts segments = even_segments(costs, count);
    std::vector<module_ticks> of_segments(count);
    for (std::size_t s = 0; s < count; ++s) {
      for (std::size_t c = segments[s]; c < segments[s + 1]; ++c) of_segments[s] += costs[c];
    }
    const std::vector<std::size_t> dealt = assigned_devices(of_segments, here.devices.size(), rounding);
    for (std::size_t s = 0; s < count; ++s) {
      row part{here.node, {first + segments[s], first + segments[s + 1]}, {}};
      for (std::size_t d = 0; d < dealt.size(); ++d) {
        if (dealt[d] == s) part.devices.push_back(here.devices[d]);
      }
      if (part.devices.empty()) part.devices.push_back(here.devices[0]);
      waiting_.push_back(std::move(part));
    }
  }

  const module_nodes& nodes_;
  std::vector<std::size_t> device_;
  std::vector<row> waiting_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
