// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/operator_costs.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Of every element the one into which it may go: elements that take no time and have one neighbour, which is on all of
/// their nets, go into that, and again, until there are none left.
///
/// No stage becomes costlier: that which loses the element paid for all of its nets, as the neighbour was elsewhere, and
/// so did that which gains it; all others hold as much of each net as before. The only neighbour is there, so no pair is
/// broken. But a stage may become empty: so the least load stays the same only where fewer stages will do, and where
/// stages are alike.
///
/// @param memory  whether elements that take memory stay: without that the least load is the same only if all elements
///                together have room on one device
[[nodiscard]] inline std::vector<contraction::element> folded_leaves(const contraction& parts,
                                                                     const operator_costs& costs, bool memory) {
  const std::size_t n = parts.elements();
  std::vector<std::set<contraction::element>> near(n);
  for (std::size_t e = 0; e < n; ++e) {
    for (const auto from : parts.below().predecessors(e)) near[e].insert(from);
    for (const auto to : parts.below().successors(e)) near[e].insert(to);
  }
  std::vector<contraction::element> into(n);
  for (std::size_t e = 0; e < n; ++e) into[e] = static_cast<contraction::element>(e);
  const auto takes_nothing = [&](std::size_t e) {
    const operator_costs::figures& each = costs.of(e);
    const bool none = each.resident == 0 && each.activations == 0 && each.workspace == 0 && costs.shared_by(e).empty();
    return each.forward == 0 && each.backward == 0 && each.cpu == 0 && each.stage == graph_operator::none &&
           (none || !memory);
  };
  const auto found = [&](contraction::element e) {
    while (into[e] != e) e = into[e];
    return e;
  };
  const auto shares_all_nets = [&](std::size_t e, contraction::element other) {
    for (const operator_costs::link& each : costs.nets_of(e)) {
      bool shared = false;
      for (const contraction::element pin : costs.pins(each.net)) shared = shared || found(pin) == other;
      if (!shared) return false;
    }
    return true;
  };
  std::vector<std::size_t> left;
  for (std::size_t e = n; e-- > 0;) left.push_back(e);
  while (!left.empty()) {
    const std::size_t e = left.back();
    left.pop_back();
    if (into[e] != e || near[e].size() != 1 || !takes_nothing(e)) continue;
    const contraction::element other = *near[e].begin();
    const operator_costs::figures& here = costs.of(e);
    const operator_costs::figures& there = costs.of(other);
    if ((there.on_accelerator && !here.on_accelerator) || (there.on_cpu && !here.on_cpu)) continue;
    if (!shares_all_nets(e, other)) continue;
    into[e] = other;
    near[other].erase(static_cast<contraction::element>(e));
    left.push_back(other);
  }
  for (std::size_t e = 0; e < n; ++e) {
    while (into[into[e]] != into[e]) into[e] = into[into[e]];
  }
  return into;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
