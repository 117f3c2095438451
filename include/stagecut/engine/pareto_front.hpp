// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// Sorts elements, and drops those that another one before them dominates; of equal ones the first stays.
///
/// A `Rule` tells how elements compare:
///
///     bool before(a, b)      a strict weak order in which whatever dominates an element is before it or equal to it
///     bool alike(a, b)       whether one may take the place of the other: an equivalence, its classes ranges of that order
///     bool dominates(a, b)   of alike elements, a not behind b: whether a is nowhere worse; transitive, true of equal ones
///     bool two_figures       whether the last element that is kept dominates whatever any other one of its class does
///
/// O(n log n) comparisons, and without `two_figures` n times as many as are kept of a class.
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

/// A rule of two functions, where all are alike.
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

/// Adds an element behind the elements `[begin, ..)`, none of which covers another, unless one of them covers it; drops those
/// that it covers. The others stay in their order. O(n) calls of `covers(a, b)`, which is transitive.
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
