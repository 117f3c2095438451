// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/overlapped_cost.hpp>

namespace stagecut::inline STAGECUT_ABI::testing {

/// The result of `check_axioms`.
struct axiom_report {
  std::string broken;      ///< the violated axiom (`right_monotone`, `pure`, …); empty if none was found
  std::size_t stage = 0;   ///< the stage of the violation, for a `staged_cost`
  interval one;            ///< the first of the two intervals that show it
  interval other;          ///< the second
  std::size_t checks = 0;  ///< number of comparisons

  /// Whether no violation was found.
  [[nodiscard]] explicit operator bool() const noexcept { return broken.empty(); }

  /// One line for display.
  [[nodiscard]] std::string text() const {
    using stagecut::detail::joined;
    const auto written = [](interval i) { return joined({"[", i.first, ", ", i.last, ")"}); };
    if (broken.empty()) return joined({"no axiom was found broken in ", checks, " checks"});
    return joined({broken, " does not hold at ", written(one), " and ", written(other), ", stage ", stage});
  }
};

namespace detail {

/// One stage of a model as `cost(first, last)`, with the promises of the model.
template <class Model, class Price>
class axiom_checker {
 public:
  using cost_type = cost_t<Model>;

  axiom_checker(const Model& model, Price price, axiom_report& report)
      : model_(model), price_(price), report_(report) {}

  /// Checks all promises that involve one or two neighbouring intervals.
  /// @pre `first <= last && last <= n`
  void check(std::size_t first, std::size_t last) {
    const cost_type cost = price_(first, last);
    const interval here{first, last};
    expect("ordered", ordered(cost), here, here);
    expect("pure", price_(first, last) == cost, here, here);
    if constexpr (promises<Model, right_monotone>) {
      if (last < model_.size()) expect("right_monotone", cost <= price_(first, last + 1), here, {first, last + 1});
    }
    if constexpr (promises<Model, left_monotone>) {
      if (first > 0) expect("left_monotone", cost <= price_(first - 1, last), here, {first - 1, last});
    }
    if constexpr (promises<Model, additive>) {
      const auto sum = stagecut::detail::difference(model_.prefix(last), model_.prefix(first));
      expect("additive", cost == static_cast<cost_type>(sum), here, here);
    }
    if constexpr (promises<Model, separable>) {
      const auto apart = stagecut::detail::difference(stagecut::detail::separable_end(model_, report_.stage, last),
                                                      stagecut::detail::separable_begin(model_, report_.stage, first));
      expect("separable", cost == static_cast<cost_type>(apart), here, here);
    }
    if constexpr (promises<Model, separable> || overlapped_cost<Model>) {
      if constexpr (requires { model_.work(first, first, last); }) check_work(first, last, cost);
    }
    if constexpr (promises<Model, monge> || promises<Model, inverse_monge>) {
      // Neighbouring quadruples imply all others.
      if (first < last && last < model_.size()) check_quadrangle(first, last);
    }
  }

 private:
  /// Checks the monotone part of the cost.
  void check_work(std::size_t first, std::size_t last, const cost_type& cost) {
    const auto work = model_.work(report_.stage, first, last);
    const interval here{first, last};
    expect("work", work <= cost, here, here);
    if (last < model_.size())
      expect("work", work <= model_.work(report_.stage, first, last + 1), here, {first, last + 1});
    if (first > 0) expect("work", work <= model_.work(report_.stage, first - 1, last), here, {first - 1, last});
  }

  void check_quadrangle(std::size_t first, std::size_t last) {
    const cost_type left = price_(first, last);
    const cost_type right = price_(first + 1, last + 1);
    const cost_type outer = price_(first, last + 1);
    const cost_type inner = price_(first + 1, last);
    const interval one{first, last};
    const interval other{first + 1, last + 1};
    if constexpr (std::floating_point<cost_type>) {
      // The axiom is about exact numbers: the tolerance is the rounding of the four costs and of the two sums here.
      const cost_type slack = 4 * std::numeric_limits<cost_type>::epsilon() * (outer + inner);
      if constexpr (promises<Model, monge>) expect("monge", left + right <= outer + inner + slack, one, other);
      if constexpr (promises<Model, inverse_monge>) {
        expect("inverse_monge", left + right + slack >= outer + inner, one, other);
      }
    } else if constexpr (integer<cost_type>) {
      using sum_type = stagecut::detail::wide_integer;
      const sum_type apart = sum_type{left} + sum_type{right};
      const sum_type nested = sum_type{outer} + sum_type{inner};
      if constexpr (promises<Model, monge>) expect("monge", apart <= nested, one, other);
      if constexpr (promises<Model, inverse_monge>) expect("inverse_monge", apart >= nested, one, other);
    } else {
      if constexpr (promises<Model, monge>) expect("monge", left - inner <= outer - right, one, other);
      if constexpr (promises<Model, inverse_monge>) expect("inverse_monge", left - inner >= outer - right, one, other);
    }
  }

  static bool ordered(const cost_type& cost) {
    if constexpr (arithmetic<cost_type>) {
      return !is_nan(cost);
    } else {
      return cost == cost;
    }
  }

  void expect(std::string_view axiom, bool holds, interval one, interval other) {
    ++report_.checks;
    if (holds || !report_.broken.empty()) return;
    report_.broken = axiom;
    report_.one = one;
    report_.other = other;
  }

  const Model& model_;
  Price price_;
  axiom_report& report_;
};

/// Calls `check(first, last)` for all intervals of a short chain, or for about `intervals` of a long one: those at its
/// ends, and others from a fixed sequence.
template <class Check>
void for_intervals(std::size_t items, std::size_t intervals, Check check) {
  if (items <= intervals / (items + 1)) {
    for (std::size_t first = 0; first <= items; ++first) {
      for (std::size_t last = first; last <= items; ++last) {
        if (!check(first, last)) return;
      }
    }
    return;
  }
  stagecut::detail::random_bits random(0);
  for (std::size_t i = 0; i < intervals; ++i) {
    std::size_t first = random.remainder(items + 1);
    // Every other interval is short: violations occur in single items and in long sums.
    std::size_t last =
        i % 2 == 0 ? random.remainder(items + 1) : first + random.remainder(items - first < 4 ? items - first + 1 : 4);
    if (first > last) std::swap(first, last);
    if (i == 0) first = 0, last = items;
    if (!check(first, last)) return;
  }
}

}  // namespace detail

/// Searches for a broken promise of a cost model: that calls are pure; that costs are ordered (no NaN); that every
/// declared axiom holds on neighbouring intervals, which implies it for all; and that an optional member `work` of a
/// separable or overlapped cost is monotone and at most the cost.
///
/// @param model      the model to check
/// @param intervals  number of intervals to check; all of them if the chain has no more
/// @return           the first violation with its position, or none
///
/// Quadrangle inequalities of floating-point costs have a tolerance for the rounding of their sums (4 epsilon); all else
/// is compared exactly. Deterministic. O(intervals) calls of the model.
template <interval_cost Model>
[[nodiscard]] axiom_report check_axioms(const Model& model, std::size_t intervals = 100'000) {
  axiom_report report;
  detail::axiom_checker checker(
      model, [&model](std::size_t first, std::size_t last) { return model(first, last); }, report);
  detail::for_intervals(model.size(), intervals, [&](std::size_t first, std::size_t last) {
    checker.check(first, last);
    return report.broken.empty();
  });
  return report;
}

/// The same for a cost that depends on the stage, for the stages `[0, stages)`; `stage_invariant` is checked if
/// promised.
template <staged_cost Model>
[[nodiscard]] axiom_report check_axioms(const Model& model, std::size_t stages, std::size_t intervals = 100'000) {
  axiom_report report;
  for (std::size_t stage = 0; stage < stages && report.broken.empty(); ++stage) {
    report.stage = stage;
    detail::axiom_checker checker(
        model, [&model, stage](std::size_t first, std::size_t last) { return model(stage, first, last); }, report);
    detail::for_intervals(model.size(), intervals / stages, [&](std::size_t first, std::size_t last) {
      checker.check(first, last);
      if constexpr (promises<Model, stage_invariant>) {
        ++report.checks;
        if (report.broken.empty() && !(model(stage, first, last) == model(0, first, last))) {
          report.broken = "stage_invariant";
          report.one = report.other = {first, last};
        }
      }
      return report.broken.empty();
    });
  }
  return report;
}

}  // namespace stagecut::inline STAGECUT_ABI::testing
