// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/seeded.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/graph/set_cost.hpp>

// Topological orders of elements.
namespace stagecut::inline STAGECUT_ABI::detail {

using element_order = std::vector<precedence::element>;

/// The number of predecessors of each element.
[[nodiscard]] STAGECUT_DECL std::vector<std::uint32_t> waits_for(const precedence& below);

/// The topological order that `take(ready)` determines: it removes one of the available elements, which are listed in
/// the order in which they became available, and returns it.
template <class Take>
[[nodiscard]] element_order ordered(const precedence& below, Take take) {
  std::vector<std::uint32_t> waits = waits_for(below);
  std::vector<precedence::element> ready;
  for (std::size_t e = 0; e < below.size(); ++e) {
    if (waits[e] == 0) ready.push_back(static_cast<precedence::element>(e));
  }
  element_order result;
  result.reserve(below.size());
  while (!ready.empty()) {
    const precedence::element e = take(ready);
    result.push_back(e);
    for (const precedence::element to : below.successors(e)) {
      if (--waits[to] == 0) ready.push_back(to);
    }
  }
  return result;
}

/// The element that became available last comes first.
[[nodiscard]] STAGECUT_DECL element_order depth_first(const precedence& below);

/// By priority, the least first.
[[nodiscard]] STAGECUT_DECL element_order by_priority(const precedence& below,
                                                      const std::vector<std::uint64_t>& priority);

/// The element that became available first comes first: by the longest path to an element.
[[nodiscard]] STAGECUT_DECL element_order breadth_first(const precedence& below);

/// A random order; if stages are given, one that goes through them one after the other.
[[nodiscard]] STAGECUT_DECL element_order random_order(const precedence& below, engine::seeded& random,
                                                       const std::vector<std::uint32_t>& stage_of = {});

/// The next element is the one whose addition cuts least. O(n r) changes of a set, where r elements are available.
template <set_cost Set>
[[nodiscard]] element_order least_cut(const precedence& below, Set set) {
  using value_type = set_value_t<Set>;
  return ordered(below, [&](std::vector<precedence::element>& ready) {
    std::size_t best = 0;
    value_type least{};
    for (std::size_t i = 0; i < ready.size(); ++i) {
      set.add(ready[i]);
      const value_type cut = set.value({}) - set_weight(set, ready[i], 0);
      set.remove(ready[i]);
      if (i == 0 || cut < least) best = i, least = cut;
    }
    const precedence::element e = ready[best];
    ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(best));
    set.add(e);
    return e;
  });
}

/// The same pairs reversed.
[[nodiscard]] STAGECUT_DECL precedence reversed(const precedence& below);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/linear_orders.ipp>
#endif
