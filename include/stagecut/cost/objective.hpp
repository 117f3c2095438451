// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/cost/axioms.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The type of the values of an objective over stages that cost `Cost`.
template <class O, class Cost>
using value_t = std::remove_cvref_t<decltype(std::declval<const O&>()(std::declval<const Cost&>()))>;

/// What the costs of all stages come to, and what is to be the least.
///
/// Valid expressions, for `o` of type `const O`, a cost `c`, and values `a` and `b`:
///   `o(c)`      the value of a single stage, a copyable value, ordered by `<`
///   `o(a, b)`   the value of two neighbouring runs of stages; associative
///
/// Optional, to spare work: `o.hopeless(c, a)`, true if no value of stages of which one costs `c` or more is below `a`;
/// `o.less(c, b, a)`, the same as `o(o(c), b) < a`.
template <class O, class Cost>
concept objective = requires(const O& o, const Cost& c, const value_t<O, Cost>& a) {
  requires std::copyable<value_t<O, Cost>>;
  { o(a, a) } -> std::convertible_to<value_t<O, Cost>>;
  { a < a } -> std::convertible_to<bool>;
};

/// An `objective` that promises `isotone`: making a part worse makes no whole better. Only then are parts of the best
/// whole best themselves, which dynamic programs rely on.
template <class O, class Cost>
concept isotone_objective = objective<O, Cost> && promises<O, isotone>;

/// The cost of the costliest stage.
struct bottleneck {
  using axioms = stagecut::axioms<isotone>;  ///< what it promises

  /// See `objective`.
  /// @{
  template <class Cost>
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr Cost operator()(const Cost& cost) const {
    return cost;
  }
  template <class Cost>
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr Cost operator()(const Cost& a, const Cost& b) const {
    return a < b ? b : a;
  }
  template <class Cost>
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr bool hopeless(const Cost& cost, const Cost& value) const {
    return !(cost < value);
  }
  /// @}
};

/// The sum of the costs of all stages, which must be representable: `minimize_total` looks for that itself.
struct total {
  using axioms = stagecut::axioms<strictly_isotone>;  ///< what it promises, but for rounding

  /// See `objective`.
  /// @{
  template <class Cost>
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr Cost operator()(const Cost& cost) const {
    return cost;
  }
  template <class Cost>
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr Cost operator()(const Cost& a, const Cost& b) const {
    return detail::added(a, b);
  }
  /// @}
};

/// The costliest stage, then the second, and so on: the costs of all stages from the costliest on, compared
/// lexicographically.
struct leximax {
  using axioms = stagecut::axioms<strictly_isotone>;  ///< what it promises

  /// See `objective`.
  /// @{
  template <class Cost>
  [[nodiscard]] std::vector<Cost> operator()(const Cost& cost) const {
    return {cost};
  }
  template <class Cost>
  [[nodiscard]] std::vector<Cost> operator()(const std::vector<Cost>& a, const std::vector<Cost>& b) const {
    std::vector<Cost> both;
    both.reserve(a.size() + b.size());
    std::size_t i = 0;
    for (const Cost& each : b) {
      while (i < a.size() && each < a[i]) both.push_back(a[i++]);
      both.push_back(each);
    }
    while (i < a.size()) both.push_back(a[i++]);
    return both;
  }
  template <class Cost>
  [[nodiscard]] bool hopeless(const Cost& cost, const std::vector<Cost>& value) const {
    return !value.empty() && value[0] < cost;
  }
  template <class Cost>
  [[nodiscard]] bool less(const Cost& cost, const std::vector<Cost>& rest, const std::vector<Cost>& value) const {
    bool placed = false;
    std::size_t from = 0;
    for (const Cost& there : value) {
      const bool here = !placed && (from == rest.size() || !(cost < rest[from]));
      if (!here && from == rest.size()) return true;  // a part of it
      const Cost& next = here ? cost : rest[from];
      if (next < there) return true;
      if (there < next) return false;
      here ? void(placed = true) : void(++from);
    }
    return false;
  }
  /// @}
};

/// One objective, and where that is equal another of the same costs.
///
/// Isotone if the first is strictly so and the second is isotone. The bottleneck is not strictly isotone: a part with a
/// worse second value may belong to the best whole. For that see `minimize_bottleneck_then`.
template <class First, class Second>
struct in_order {
  First first;    ///< counts first
  Second second;  ///< counts where the first is equal

  /// What it promises.
  using axioms = axiom<promises<First, strictly_isotone> && promises<Second, isotone>
                           ? (promises<Second, strictly_isotone> ? strictly_isotone.bits : isotone.bits)
                           : 0U>;

  /// What stages come to by both, where both values are trivially copyable; else that is a `std::pair`.
  template <class A, class B>
  requires(std::is_trivially_copyable_v<A>&& std::is_trivially_copyable_v<B>) struct values {
    A first;   ///< of the first
    B second;  ///< of the second

    /// By the first; where those are equal, by the second.
    friend STAGECUT_HOST_DEVICE constexpr bool operator<(const values& a, const values& b) {
      return a.first < b.first || (!(b.first < a.first) && a.second < b.second);
    }
    /// Equal in both.
    friend bool operator==(const values&, const values&) = default;
  };

  /// See `objective`.
  /// @{
  template <class Cost>
  [[nodiscard]] auto operator()(const Cost& cost) const {
    return std::pair(first(cost), second(cost));
  }
  template <class A, class B>
  [[nodiscard]] auto operator()(const std::pair<A, B>& a, const std::pair<A, B>& b) const {
    return std::pair<A, B>(first(a.first, b.first), second(a.second, b.second));
  }
  template <class Cost>
  requires requires { typename values<value_t<First, Cost>, value_t<Second, Cost>>; }
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr auto operator()(const Cost& cost) const {
    return values<value_t<First, Cost>, value_t<Second, Cost>>{first(cost), second(cost)};
  }
  template <class A, class B>
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr values<A, B> operator()(const values<A, B>& a,
                                                                       const values<A, B>& b) const {
    return {first(a.first, b.first), second(a.second, b.second)};
  }
  /// @}
};

/// The type, from what is given.
template <class First, class Second>
in_order(First, Second) -> in_order<First, Second>;

/// Between the costliest and the cheapest stage. It is not isotone; `minimize_range` minimises it.
struct range {
  /// The ends of a range.
  template <class Cost>
  struct ends {
    Cost least;  ///< of the cheapest stage
    Cost most;   ///< of the costliest stage

    /// By their distance.
    friend STAGECUT_HOST_DEVICE constexpr bool operator<(const ends& a, const ends& b) {
      return detail::difference(a.most, a.least) < detail::difference(b.most, b.least);
    }
  };

  /// See `objective`.
  /// @{
  template <class Cost>
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr ends<Cost> operator()(const Cost& cost) const {
    return {cost, cost};
  }
  template <class Cost>
  [[nodiscard]] STAGECUT_HOST_DEVICE constexpr ends<Cost> operator()(const ends<Cost>& a, const ends<Cost>& b) const {
    return {b.least < a.least ? b.least : a.least, a.most < b.most ? b.most : a.most};
  }
  /// @}
};

}  // namespace stagecut::inline STAGECUT_ABI
