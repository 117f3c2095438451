// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// Sorts elements and drops dominated ones; of equal elements the first stays.
///
/// A `Rule` compares elements:
///
///     bool before(a, b)      a strict weak order; an element never precedes one that dominates it
///     bool alike(a, b)       whether a and b compete: an equivalence, whose classes are contiguous in that order
///     bool dominates(a, b)   for alike elements, a not after b: whether a is nowhere worse; transitive and reflexive
///     bool two_figures       whether testing the last kept element of a class suffices, as with two figures
///
/// O(n log n) comparisons; without `two_figures` also O(n k), where k elements of a class are kept.
template <class T, class Rule>
void keep_front(std::vector<T>& list, const Rule& rule) {
  std::stable_sort(list.begin(), list.end(), [&rule](const T& a, const T& b) { return rule.before(a, b); });
  std::size_t kept = 0;
  std::size_t begin = 0;  // of the class of the next element
  for (std::size_t next = 0; next < list.size(); ++next) {
    if (kept > begin && !rule.alike(list[kept - 1], list[next])) begin = kept;
    const std::size_t until = rule.two_figures && kept > begin ? kept - 1 : begin;
    bool is_dominated = false;
    for (std::size_t i = kept; i-- > until && !is_dominated;) is_dominated = rule.dominates(list[i], list[next]);
    if (is_dominated) continue;
    if (kept != next) list[kept] = std::move(list[next]);
    ++kept;
  }
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(kept), list.end());
}

/// A rule from two functions; all elements are alike.
template <class Before, class Dominates>
struct front_rule {
  Before before;
  Dominates dominates;
  bool two_figures = false;

  template <class T>
  [[nodiscard]] static constexpr bool alike(const T& /*a*/, const T& /*b*/) noexcept {
    return true;
  }
};
template <class Before, class Dominates>
front_rule(Before, Dominates, bool) -> front_rule<Before, Dominates>;

/// Appends an element to a front `[begin, ..)`, unless an element of the front covers it, and drops the elements that it
/// covers. Keeps the order of the rest. `covers(a, b)` is transitive; O(n) calls.
template <class T, class U, class Covers>
void add_to_front(std::vector<T>& list, U&& added, const Covers& covers, std::size_t begin = 0) {
  std::size_t kept = begin;
  for (std::size_t i = begin; i < list.size(); ++i) {
    if (covers(list[i], added)) return;  // then it covers none of those before either
    if (covers(added, list[i])) continue;
    if (kept != i) list[kept] = std::move(list[i]);
    ++kept;
  }
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(kept), list.end());
  list.push_back(std::forward<U>(added));
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
