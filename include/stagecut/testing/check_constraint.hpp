// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include <stagecut/core/interval.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/testing/check_axioms.hpp>

namespace stagecut::inline STAGECUT_ABI::testing {

namespace detail {

/// Whether a chain can be cut into that number of non-empty allowed stages, by reachability.
template <stage_constraint Constraint>
[[nodiscard]] bool can_be_kept(const Constraint& allowed, std::size_t items, std::size_t stages) {
  std::vector<bool> reached(items + 1);
  reached[0] = true;
  for (std::size_t s = 0; s < stages; ++s) {
    std::vector<bool> next(items + 1);
    for (std::size_t first = 0; first < items; ++first) {
      for (std::size_t last = first + 1; reached[first] && last <= items; ++last) {
        if (!next[last] && allowed(s, first, last)) next[last] = true;
      }
    }
    reached.swap(next);
  }
  return reached[items];
}

/// Checks a constraint on one interval, and on those related to it by the promises.
template <stage_constraint Constraint>
class constraint_checker {
 public:
  constraint_checker(const Constraint& constraint, std::size_t items, axiom_report& report)
      : constraint_(constraint), items_(items), report_(report) {}

  /// Checks all promises for a non-empty interval as stage s.
  void check(std::size_t s, std::size_t first, std::size_t last) {
    const interval here{first, last};
    const bool allowed = constraint_(s, first, last);
    expect("pure", constraint_(s, first, last) == allowed, here, here);
    if constexpr (promises<Constraint, stage_invariant>) {
      expect("stage_invariant", constraint_(0, first, last) == allowed, here, here);
    }
    if constexpr (promises<Constraint, hereditary>) {
      if (allowed && last - first > 1) {
        expect("hereditary", constraint_(s, first + 1, last), here, {first + 1, last});
        expect("hereditary", constraint_(s, first, last - 1), here, {first, last - 1});
      }
    }
    if constexpr (requires { constraint_.hopeless(s, first, last); }) {
      if (!allowed && constraint_.hopeless(s, first, last)) {
        for (std::size_t end = last + 1; end <= items_; ++end) {
          expect("hopeless", !constraint_(s, first, end), here, {first, end});
        }
      }
    }
  }

  /// Counts a check, and records the first failure.
  void expect(std::string_view axiom, bool holds, interval one, interval other) {
    ++report_.checks;
    if (holds || !report_.broken.empty()) return;
    report_.broken = axiom;
    report_.one = one;
    report_.other = other;
  }

 private:
  const Constraint& constraint_;
  std::size_t items_;
  axiom_report& report_;
};

}  // namespace detail

/// Searches for a broken promise of a constraint: that calls are pure; that `hereditary` and `stage_invariant` hold if
/// promised; that a hopeless interval and all its extensions are forbidden; and that no cut exists if it reports an
/// obstacle, for all numbers of stages up to `stages`.
///
/// @param constraint  the constraint to check; never called with empty stages
/// @param items       number of items n of the chain
/// @param stages      number of stages k to check, at least 1
/// @param intervals   number of intervals to check; all of them if the chain has no more
/// @return            the first violation with its position, or none
///
/// Deterministic. O(intervals) calls of the constraint, times n for hopeless intervals; O(k² n²) if it reports obstacles.
template <stage_constraint Constraint>
[[nodiscard]] axiom_report check_constraint(const Constraint& constraint, std::size_t items, std::size_t stages,
                                            std::size_t intervals = 100'000) {
  axiom_report report;
  detail::constraint_checker<Constraint> checker(constraint, items, report);
  for (std::size_t s = 0; s < stages && report.broken.empty(); ++s) {
    report.stage = s;
    detail::for_intervals(items, intervals / stages, [&](std::size_t first, std::size_t last) {
      if (first < last) checker.check(s, first, last);
      return report.broken.empty();
    });
  }
  if constexpr (requires { constraint.obstacle(items, stages); }) {
    for (std::size_t k = 1; k <= stages && report.broken.empty(); ++k) {
      if (!constraint.obstacle(items, k)) continue;
      report.stage = k - 1;  // the last of k
      checker.expect("obstacle", !detail::can_be_kept(constraint, items, k), {0, items}, {0, items});
    }
  }
  return report;
}

}  // namespace stagecut::inline STAGECUT_ABI::testing
