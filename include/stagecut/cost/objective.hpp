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

/// The type of an objective's values for stages with costs of type `Cost`.
template <class O, class Cost>
using value_t = std::remove_cvref_t<decltype(std::declval<const O&>()(std::declval<const Cost&>()))>;

/// The combined value of the costs of all stages, to be minimized.
///
/// Valid expressions, for `o` of type `const O`, a cost `c`, and values `a` and `b`:
///   `o(c)`      the value of a single stage, a copyable value, ordered by `<`
///   `o(a, b)`   the value of two neighbouring runs of stages; associative
///
/// Optional, for speed: `o.hopeless(c, a)`, true if no stages with one of cost `c` or more have a value below `a`;
/// `o.less(c, b, a)`, the same as `o(o(c), b) < a`.
template <class O, class Cost>
concept objective = requires(const O& o, const Cost& c, const value_t<O, Cost>& a) {
  requires std::copyable<value_t<O, Cost>>;
  { o(a, a) } -> std::convertible_to<value_t<O, Cost>>;
  { a < a } -> std::convertible_to<bool>;
};

/// An `objective` that promises `isotone`: a worse part never makes the whole better. Only then are parts of an optimal
/// whole optimal, which dynamic programs rely on.
template <class O, class Cost>
concept isotone_objective = objective<O, Cost> && promises<O, isotone>;

/// The cost of the costliest stage.
struct bottleneck {
  using axioms = stagecut::axioms<isotone>;  ///< its promise

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

/// The sum of the costs of all stages, which must be representable: `minimize_total` checks this itself.
struct total_cost {
  using axioms = stagecut::axioms<strictly_isotone>;  ///< its promise, except for rounding

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

/// The costs of all stages in decreasing order, compared lexicographically.
struct leximax {
  using axioms = stagecut::axioms<strictly_isotone>;  ///< its promise

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
      if (!here && from == rest.size()) return true;  // a prefix of it
      const Cost& next = here ? cost : rest[from];
      if (next < there) return true;
      if (there < next) return false;
      here ? void(placed = true) : void(++from);
    }
    return false;
  }
  /// @}
};

/// One objective, with another as tie-break.
///
/// Isotone if the first is strictly isotone and the second isotone. The bottleneck is not strictly isotone: a part with a
/// worse second value may belong to an optimal whole. For that see `minimize_bottleneck_then`.
template <class First, class Second>
struct in_order {
  First first;    ///< compared first
  Second second;  ///< compared if the first is equal

  /// Its promises.
  using axioms = axiom<promises<First, strictly_isotone> && promises<Second, isotone>
                           ? (promises<Second, strictly_isotone> ? strictly_isotone.bits : isotone.bits)
                           : 0U>;

  /// The pair of values, if both are trivially copyable; else that is a `std::pair`.
  template <class A, class B>
  requires(std::is_trivially_copyable_v<A>&& std::is_trivially_copyable_v<B>) struct values {
    A first;   ///< value of the first
    B second;  ///< value of the second

    /// By the first; on ties, by the second.
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

/// The type, deduced from the arguments.
template <class First, class Second>
in_order(First, Second) -> in_order<First, Second>;

/// The difference between the costliest and the cheapest stage. Not isotone; `minimize_range` minimizes it.
struct cost_range {
  /// The ends of a range.
  template <class Cost>
  struct ends {
    Cost least;  ///< of the cheapest stage
    Cost most;   ///< of the costliest stage

    /// By their difference.
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
