// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/detail/search_record.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/parts/expects_cost.hpp>
#include <stagecut/sequence/chain_partition.hpp>
#include <stagecut/sequence/detail/allows_cut.hpp>
#include <stagecut/sequence/detail/convex_windows.hpp>
#include <stagecut/sequence/detail/lagrange_total.hpp>
#include <stagecut/sequence/detail/layered_total.hpp>
#include <stagecut/sequence/detail/on_blocks.hpp>
#include <stagecut/sequence/detail/total_program.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/parts/chain_clock.hpp>
#include <stagecut/sequence/parts/explain_infeasible.hpp>
#include <stagecut/sequence/parts/stage_windows.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

__extension__ typedef unsigned __int128 wide_unsigned;  // NOLINT(modernize-use-using)

/// The square of an integer sum. Sums of such squares are at most the square of the whole sum, so they never overflow.
template <class Total>
struct square_price {
  using total_type = Total;
  const std::vector<std::uint64_t>& prefix;

  [[nodiscard]] total_type operator()(std::size_t, std::size_t first, std::size_t last) const {
    const auto sum = static_cast<total_type>(prefix[last] - prefix[first]);
    return sum * sum;
  }
};

/// The squared deviation of a number from a mean.
struct squared_deviation {
  double mean;
  [[nodiscard]] double operator()(double x) const { return (x - mean) * (x - mean); }
};

/// Minimizes the variance of the stages' sums. Integers are unchanged; floating-point prefixes are scaled by a power of
/// two if squares could overflow or underflow.
template <class Model>
class least_variance {
 public:
  using sum_type = std::conditional_t<integer<cost_t<Model>>, std::uint64_t, double>;

  least_variance(const Model& cost, std::size_t stages) : items_(cost.size()), stages_(stages) {
    const known_prefixes<cost_t<Model>> chain(cost);
    prefix_.resize(items_ + 1);
    for (std::size_t i = 0; i <= items_; ++i) prefix_[i] = static_cast<sum_type>(chain.prefix(i));
    if constexpr (std::is_same_v<sum_type, double>) {
      constexpr int harmless = 400;
      const double whole = prefix_[items_] - prefix_[0];
      if (is_finite(whole)) (void)__builtin_frexp(whole, &exponent_);
      if (-harmless < exponent_ && exponent_ < harmless) exponent_ = 0;
      if (exponent_ != 0) {
        for (double& prefix : prefix_) prefix = __builtin_ldexp(prefix, -exponent_);
      }
    }
    deviation_.mean = static_cast<double>(prefix_[items_] - prefix_[0]) / static_cast<double>(stages);
  }

  /// The cut points.
  [[nodiscard]] std::vector<std::size_t> run() const {
    const auto prefix = [this](std::size_t i) { return prefix_[i]; };
    const cut_windows where = convex_windows(prefix, deviation_, items_, stages_).run();
    if constexpr (std::is_same_v<sum_type, double>) {
      const convex_price<decltype(prefix), squared_deviation> price{prefix, deviation_};
      if (!narrow(where, items_)) return lagrange_total(price, items_, stages_).run();
      return layered_total<false, decltype(price)>(price, where).run();
    } else {
      // Additional costs of n stages must not overflow, either.
      constexpr auto small = std::uint64_t{1} << 44U;
      if (!narrow(where, items_) && prefix_[items_] - prefix_[0] < small) {
        return lagrange_total(square_price<wide_integer>{prefix_}, items_, stages_).run();
      }
      return layered_total<false, square_price<wide_unsigned>>(square_price<wide_unsigned>{prefix_}, where).run();
    }
  }

  /// The same with only allowed stages; none also if the clock ended it.
  template <class Constraint>
  [[nodiscard]] std::optional<std::vector<std::size_t>> run(const Constraint& allowed, chain_clock& clock) const {
    if constexpr (std::is_same_v<sum_type, double>) {
      const auto prefix = [this](std::size_t i) { return prefix_[i]; };
      const convex_price<decltype(prefix), squared_deviation> price{prefix, deviation_};
      return detail::total_program(price, allowed, items_, stages_, &clock);
    } else {
      return detail::total_program(square_price<wide_unsigned>{prefix_}, allowed, items_, stages_, &clock);
    }
  }

  /// The variance of the sums of the stages.
  [[nodiscard]] double variance(const std::vector<std::size_t>& points) const {
    const auto count = static_cast<double>(stages_);
    double squares = 0;
    double error = 0;  // the sum of the deviations, ideally 0
    for (std::size_t s = 0; s < stages_; ++s) {
      const double off = deviation(as_computed(prefix_[points[s + 1]] - prefix_[points[s]]));
      squares += off * off;
      error += off;
    }
    const double variance = (squares - error * error / count) / count;
    if (!(variance > 0)) return 0;
    const double result = __builtin_ldexp(variance, 2 * exponent_);
    return is_finite(result) ? result : std::numeric_limits<double>::max();
  }

 private:
  [[nodiscard]] double deviation(sum_type sum) const {
    if constexpr (std::is_same_v<sum_type, double>) {
      return sum - deviation_.mean;
    } else {
      const std::uint64_t whole = prefix_[items_] - prefix_[0];
      const std::uint64_t mean = whole / stages_;
      const double rest = static_cast<double>(whole % stages_) / static_cast<double>(stages_);
      return (sum < mean ? -static_cast<double>(mean - sum) : static_cast<double>(sum - mean)) - rest;
    }
  }

  std::size_t items_;
  std::size_t stages_;
  int exponent_ = 0;
  std::vector<sum_type> prefix_;
  squared_deviation deviation_{};
};

}  // namespace detail

/// See `minimize_variance`.
struct minimize_variance_fn : detail::expects_additive_cost {
  using detail::expects_additive_cost::operator();

  /// See `minimize_variance`.
  /// @{
  template <additive_cost Model>
  [[nodiscard]] outcome<chain_partition<double>> operator()(const Model& cost, std::size_t stages) const {
    if (auto refused = too_many(cost.size(), stages)) return *std::move(refused);
    const detail::least_variance solver(cost, stages);
    return answer(solver, solver.run());
  }

  template <additive_cost Model, stage_constraint Constraint>
  [[nodiscard]] outcome<chain_partition<double>> operator()(const Model& cost, std::size_t stages,
                                                            const Constraint& allowed,
                                                            const search_options& limits = {}) const {
    detail::check_limits("minimize_variance", limits);
    if (auto refused = too_many(cost.size(), stages)) return *std::move(refused);
    if constexpr (detail::cuts_only<Constraint>) {
      return detail::on_blocks(cost, stages, allowed, [&](const auto& merged) { return (*this)(merged, stages); });
    } else {
      return detail::recorded_search(limits,
                                     [&](const search_options& asked) { return solved(cost, stages, allowed, asked); });
    }
  }
  /// @}

 private:
  template <additive_cost Model, class Constraint>
  [[nodiscard]] static outcome<chain_partition<double>> solved(const Model& cost, std::size_t stages,
                                                               const Constraint& allowed,
                                                               const search_options& limits) {
    const detail::least_variance solver(cost, stages);
    auto points = solver.run();
    if (detail::allows_cut(allowed, points, stages)) return answer(solver, std::move(points));
    detail::chain_clock clock(limits);
    auto best = solver.run(allowed, clock);
    if (best) return answer(solver, *std::move(best));
    using outcome_type = outcome<chain_partition<double>>;
    if (!clock.was_over()) return outcome_type::infeasible(detail::explain_infeasible(allowed, cost.size(), stages));
    auto start = minimize_bottleneck(cost, stages, allowed);
    if (!start) return outcome_type::infeasible(start.why());
    const auto at = start->cuts.points();
    const double variance = solver.variance({at.begin(), at.end()});
    const double bound = solver.variance(points);
    return outcome_type::feasible({{variance, bound < variance ? bound : variance}, std::move(start->cuts)});
  }

  static std::optional<outcome<chain_partition<double>>> too_many(std::size_t items, std::size_t stages);

  template <class Solver>
  static outcome<chain_partition<double>> answer(const Solver& solver, std::vector<std::size_t> points) {
    const double variance = solver.variance(points);
    return outcome<chain_partition<double>>::optimal({{variance, variance}, cuts(std::move(points))});
  }
};

/// Cuts a chain into `stages` contiguous, non-empty stages with the smallest variance of their sums.
///
/// @param cost     additive costs of intervals: `prefix_sums`, `block_sums`, or your own model
/// @param stages   number of stages k, at least 1
/// @param allowed  optional: which intervals may be stages, a `stage_constraint`
/// @param limits   optional: limits and callbacks of the search for allowed stages
/// @return         optimal, with `cost == bound`, the population variance Σ (W_s - W / k)² / k of the stages' sums W_s,
///                 in the square of the cost's unit; feasible if a limit was reached: cuts with the smallest bottleneck,
///                 and the smallest unconstrained variance as the bound; or infeasible: `more_stages_than_layers` if k >
///                 n, `constraint` if no cut has only allowed stages
/// @throws         argument_error if `stages == 0`, and for a time limit that is NaN; whatever `cost`, `allowed` and
///                 `limits` throw
///
/// Exact for integers, compared by their squares in 128 bits, with the lexicographically smallest cuts on ties; the
/// variance itself is rounded. For floating-point sums of any magnitude minimal except for the rounding of sums of
/// squares: they are first scaled by a power of two. A variance above the largest number is returned as that number, one
/// below the smallest as 0. Deterministic; thread-safe.
///
/// Cut points lie in windows that convexity leaves (Jensen), with w items, usually far fewer than n: O(n) to read the
/// sums, then O(k w log w). For wide windows, O(n log n) for each of usually 5 to 30 additional costs of a stage (see
/// `minimize_total`). O(k n w) with a constraint that forbids the best cut, as in `minimize_total`. O(n + k w) memory.
inline constexpr minimize_variance_fn minimize_variance{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/sequence/detail/minimize_variance.ipp>
#endif
