// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/host_device.hpp>
#include <stagecut/cost/axioms.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The cost of the items `[first, last)` of a chain as one stage, independent of the stage.
///
/// Valid expressions, for `m` of type `const M` and `0 <= first <= last <= m.size()`:
///   `m.size()`          number of items n, as `std::size_t`
///   `m(first, last)`    the cost, a copyable, totally ordered value; unit chosen by the model (seconds, bytes, FLOP)
///
/// Axioms (checked by `testing::check_axioms`, not by the compiler):
///   pure      equal arguments give equal results, and concurrent calls do not race
///   ordered   no result is NaN
template <class M>
concept interval_cost = requires(const M& m, std::size_t i) {
  { m.size() } -> std::convertible_to<std::size_t>;
  requires std::totally_ordered<std::remove_cvref_t<decltype(m(i, i))>>;
  requires std::copyable<std::remove_cvref_t<decltype(m(i, i))>>;
};

/// The same with costs that depend on the stage: `m(stage, first, last)`. Axioms as for `interval_cost`.
template <class M>
concept staged_cost = requires(const M& m, std::size_t i) {
  { m.size() } -> std::convertible_to<std::size_t>;
  requires std::totally_ordered<std::remove_cvref_t<decltype(m(i, i, i))>>;
  requires std::copyable<std::remove_cvref_t<decltype(m(i, i, i))>>;
};

namespace detail {

/// Without a member `type` if `M` is not a cost: clang evaluates a function's type before its constraints.
template <class M>
struct cost_of {};
template <interval_cost M>
struct cost_of<M> {
  using type = std::remove_cvref_t<decltype(std::declval<const M&>()(std::size_t{}, std::size_t{}))>;
};
template <staged_cost M>
requires(!interval_cost<M>) struct cost_of<M> {
  using type = std::remove_cvref_t<decltype(std::declval<const M&>()(std::size_t{}, std::size_t{}, std::size_t{}))>;
};

/// The cost of the items `[first, last)` on that stage, whether costs depend on the stage or not.
STAGECUT_CALLS_ANY
template <class M>
[[nodiscard]] STAGECUT_HOST_DEVICE constexpr auto price(const M& model, std::size_t stage, std::size_t first,
                                                        std::size_t last) {
  if constexpr (requires { model(first, last); }) {
    return model(first, last);
  } else {
    return model(stage, first, last);
  }
}

}  // namespace detail

/// A cost of the items of a stage, whether it depends on the stage or not.
template <class M>
concept stage_cost = interval_cost<M> || staged_cost<M>;

/// The type of a model's costs.
template <class M>
using cost_t = typename detail::cost_of<M>::type;

/// An `interval_cost` that promises `monotone`: widening an interval never lowers its cost.
template <class M>
concept monotone_cost = interval_cost<M> && promises<M, monotone>;

/// A `monotone_cost` in numbers that promises `additive`: `m(first, last) == m.prefix(last) -
/// m.prefix(first)`, as computed, where `m.prefix(i)` is a number that never decreases in i, for `0 <= i <= m.size()`.
///
/// An optional member makes algorithms faster: `m.lower_cut(end, bound, lowest, highest,
/// likely)`, the smallest `i` in `[lowest, highest]` with `end - m.prefix(i) <=
/// bound`, or `highest` if there is none, searched from `likely` on.
template <class M>
concept additive_cost = monotone_cost<M> && promises<M, additive> && arithmetic<cost_t<M>> &&
    requires(const M& m, std::size_t i) {
  { m.prefix(i) } -> std::same_as<cost_t<M>>;
};

/// A `stage_cost` in numbers that promises `separable`: `m(stage, first, last) == m.end(stage, last) - m.begin(stage,
/// first)`, as computed; without `stage` for an `interval_cost`.
///
/// An optional member makes algorithms faster: `m.work(stage, first, last)`, monotone in the interval and at most the
/// cost.
template <class M>
concept separable_cost = stage_cost<M> && promises<M, separable> && arithmetic<cost_t<M>> &&(
    requires(const M& m, std::size_t i) {
      { m.end(i, i) - m.begin(i, i) } -> std::convertible_to<cost_t<M>>;
    } ||
    requires(const M& m, std::size_t i) {
      { m.end(i) - m.begin(i) } -> std::convertible_to<cost_t<M>>;
    });

namespace detail {

/// The two parts of a separable cost.
/// @{
template <separable_cost Model>
[[nodiscard]] auto separable_end(const Model& model, std::size_t stage, std::size_t last) {
  if constexpr (requires { model.end(stage, last); }) {
    return model.end(stage, last);
  } else {
    return model.end(last);
  }
}
template <separable_cost Model>
[[nodiscard]] auto separable_begin(const Model& model, std::size_t stage, std::size_t first) {
  if constexpr (requires { model.begin(stage, first); }) {
    return model.begin(stage, first);
  } else {
    return model.begin(first);
  }
}
/// @}

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI
