// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/objective.hpp>

namespace stagecut::inline STAGECUT_ABI::testing {

/// The result of `check_objective`.
struct objective_report {
  std::string broken;      ///< the violated axiom (`isotone`, `associative`, …); empty if none was found
  std::size_t one = 0;     ///< index of the first cost that shows it
  std::size_t other = 0;   ///< index of the second
  std::size_t third = 0;   ///< index of the third
  std::size_t checks = 0;  ///< number of comparisons

  /// Whether no violation was found.
  [[nodiscard]] explicit operator bool() const noexcept { return broken.empty(); }
};

/// Searches for a broken promise of an objective: that it is associative, that `isotone` and `strictly_isotone` hold if
/// promised, and that its `hopeless` and `less` are correct.
///
/// @param goal   the objective to check
/// @param costs  costs of stages to test with: their values, and those of all pairs
/// @return       the first violated axiom, and the costs that show it
/// @throws       whatever `goal` throws
///
/// Rounded values are not associative to the last unit: test those with integer-valued costs. O(n⁴) calls of the
/// objective for n costs.
template <class Objective, class Cost>
requires objective<Objective, Cost>
[[nodiscard]] objective_report check_objective(const Objective& goal, view<const Cost> costs) {
  using value_type = value_t<Objective, Cost>;
  objective_report report;
  std::vector<value_type> values;
  for (const Cost& cost : costs) values.push_back(goal(cost));
  for (const Cost& cost : costs) {
    for (const Cost& other : costs) values.push_back(goal(goal(cost), goal(other)));
  }
  std::size_t one = 0;
  std::size_t other = 0;
  std::size_t third = 0;
  const auto expect = [&](std::string_view axiom, bool holds) {
    ++report.checks;
    if (holds || !report.broken.empty()) return;
    report.broken = axiom;
    report.one = one;
    report.other = other;
    report.third = third;
  };
  const auto same = [](const value_type& a, const value_type& b) { return !(a < b) && !(b < a); };
  for (one = 0; one < values.size(); ++one) {
    const value_type& a = values[one];
    expect("ordered", !(a < a));
    for (other = 0; other < values.size(); ++other) {
      const value_type& b = values[other];
      for (third = 0; third < costs.size(); ++third) {
        const value_type c = goal(costs[third]);
        expect("associative", same(goal(goal(a, b), c), goal(a, goal(b, c))));
        if constexpr (promises<Objective, isotone>) {
          if (!(b < a)) expect("isotone", !(goal(b, c) < goal(a, c)) && !(goal(c, b) < goal(c, a)));
        }
        if constexpr (promises<Objective, strictly_isotone>) {
          if (a < b) expect("strictly_isotone", goal(a, c) < goal(b, c) && goal(c, a) < goal(c, b));
        }
        if constexpr (requires { goal.less(costs[third], a, b); }) {
          expect("less", goal.less(costs[third], a, b) == (goal(c, a) < b));
        }
        if constexpr (requires { goal.hopeless(costs[third], a); }) {
          if (goal.hopeless(costs[third], a)) expect("hopeless", !(c < a) && !(goal(c, b) < a) && !(goal(b, c) < a));
        }
      }
    }
  }
  return report;
}

/// The same for a container of costs.
template <class Objective, class Container>
requires objective<Objective, element_t<Container>>
[[nodiscard]] objective_report check_objective(const Objective& goal, const Container& costs) {
  return testing::check_objective(goal, view<const element_t<Container>>(costs));
}

}  // namespace stagecut::inline STAGECUT_ABI::testing
