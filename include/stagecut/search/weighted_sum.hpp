// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/core/placed.hpp>
#include <stagecut/search/candidate_cost.hpp>
#include <stagecut/search/candidate_space.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

namespace detail {

/// Lanes for an evaluator that has none: candidates are evaluated when they are set.
template <class E, std::size_t Width>
class single_lanes {
 public:
  explicit single_lanes(const E& evaluator) : evaluator_(evaluator), room_(detail::room_of(evaluator)) {}
  void set(std::size_t lane, candidate points) {
    costs_[lane] = detail::cost_of(evaluator_, points, {room_.data(), room_.size()});
  }
  [[nodiscard]] const auto& costs() const noexcept { return costs_; }

 private:
  const E& evaluator_;
  std::vector<number_t<E>> room_;
  std::array<candidate_cost_t<E>, Width> costs_{};
};

/// The lanes of an evaluator, its own or `single_lanes`.
template <std::size_t Width, class E>
[[nodiscard]] auto lanes_of(const E& evaluator) {
  if constexpr (has_lanes<E>) {
    return evaluator.lanes();
  } else {
    return single_lanes<E, Width>(evaluator);
  }
}

template <class E>
struct width_of : std::integral_constant<std::size_t, 0> {};
template <has_lanes E>
struct width_of<E> : std::integral_constant<std::size_t, decltype(std::declval<const E&>().lanes())::width> {};

}  // namespace detail

/// The weighted sum of two costs, as a `double`, the same bits everywhere; nest for more costs. Both use the same
/// scratch memory, one after the other.
template <class A, class B>
class weighted_sum {
  static_assert(
      candidate_cost<A> && candidate_cost<B>,
      "weighted_sum(weight, evaluator, weight, evaluator) takes evaluators of candidates: wrap a cost of stages "
      "in stage_objective(cost), a pipeline model in cut_makespan(model, schedule)");
  static constexpr bool a_works = detail::has_room<A>;
  static constexpr bool b_works = detail::has_room<B>;
  static_assert(!a_works || !b_works || std::is_same_v<detail::number_t<A>, detail::number_t<B>>,
                "both work on numbers of the same type");

 public:
  /// Element type of the scratch memory.
  using number = std::conditional_t<a_works, detail::number_t<A>, detail::number_t<B>>;

  /// @param weight_a  of the first
  /// @param a         kept as a copy
  /// @param weight_b  of the second
  /// @param b         kept as a copy
  /// @throws        argument_error for a weight that is NaN
  constexpr weighted_sum(double weight_a, A a, double weight_b, B b)
      : a_(std::move(a)), b_(std::move(b)), weight_a_(weight_a), weight_b_(weight_b) {
    if (is_nan(weight_a) || is_nan(weight_b)) {
      stagecut::detail::fail(
          argument_error("search::weighted_sum", is_nan(weight_a) ? "weight_a" : "weight_b", "NaN", "must not be NaN"));
    }
  }

  /// See `candidate_cost`.
  /// @{
  STAGECUT_CALLS_ANY
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr std::size_t room() const requires(a_works || b_works) {
    const std::size_t a = need(a_);
    const std::size_t b = need(b_);
    return a < b ? b : a;
  }
  STAGECUT_CALLS_ANY
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double operator()(candidate points, strided_view<number> room) const
      requires(a_works || b_works) {
    return sum(cost(a_, points, room), cost(b_, points, room));
  }
  STAGECUT_CALLS_ANY
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double operator()(candidate points) const
      requires(!a_works && !b_works) {
    return sum(a_(points), b_(points));
  }
  [[nodiscard]] auto lanes() const requires(detail::has_lanes<A> || detail::has_lanes<B>) { return both_lanes(*this); }
  STAGECUT_DEVICE void call_parts() const {
    detail::call_on_device(a_);
    detail::call_on_device(b_);
  }
  void check(candidate points) const {
    detail::check_candidate(a_, points);
    detail::check_candidate(b_, points);
  }
  template <class Memory>
  [[nodiscard]] auto placed(Memory& memory) const {
    using first = stagecut::detail::placed_t<A, Memory>;
    using second = stagecut::detail::placed_t<B, Memory>;
    return weighted_sum<first, second>(weight_a_, stagecut::detail::placed(a_, memory), weight_b_,
                                       stagecut::detail::placed(b_, memory));
  }
  /// @}

 private:
  class both_lanes {
    static constexpr std::size_t of_a = detail::width_of<A>::value;
    static constexpr std::size_t of_b = detail::width_of<B>::value;
    static_assert(of_a == 0 || of_b == 0 || of_a == of_b, "both have lanes of the same width");

   public:
    static constexpr std::size_t width = of_a == 0 ? of_b : of_a;

    explicit both_lanes(const weighted_sum& of)
        : of_(of), a_(detail::lanes_of<width>(of.a_)), b_(detail::lanes_of<width>(of.b_)) {}
    void set(std::size_t lane, candidate points) {
      a_.set(lane, points);
      b_.set(lane, points);
    }
    [[nodiscard]] const std::array<double, width>& costs() {
      const auto& a = a_.costs();
      const auto& b = b_.costs();
      for (std::size_t lane = 0; lane < width; ++lane) costs_[lane] = of_.sum(a[lane], b[lane]);
      return costs_;
    }

   private:
    const weighted_sum& of_;
    decltype(detail::lanes_of<width>(std::declval<const A&>())) a_;
    decltype(detail::lanes_of<width>(std::declval<const B&>())) b_;
    std::array<double, width> costs_{};
  };

  STAGECUT_CALLS_ANY
  template <class E>
  [[nodiscard]] STAGECUT_HOST_DEVICE static constexpr std::size_t need(const E& e) {
    if constexpr (detail::has_room<E>) return e.room();
    return 0;
  }
  STAGECUT_CALLS_ANY
  template <class E>
  [[nodiscard]] STAGECUT_HOST_DEVICE static constexpr auto cost(const E& e, candidate points,
                                                                strided_view<number> room) {
    if constexpr (detail::has_room<E>) {
      return e(points, room);
    } else {
      return e(points);
    }
  }
  template <class X, class Y>
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr double sum(X a, Y b) const {
    // One fused operation, so that compilers have no choice whether to fuse.
    return ::fma(weight_a_, static_cast<double>(a), weight_b_ * static_cast<double>(b));
  }

  A a_;
  B b_;
  double weight_a_;
  double weight_b_;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
