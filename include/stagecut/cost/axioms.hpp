// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <stagecut/core/config.hpp>
#include <stagecut/cost/parts/wrapped.hpp>

namespace stagecut::inline STAGECUT_ABI {

template <class Function, unsigned Bits>
class function_cost;

/// Promises that only a cost can make, as bits of `axiom`.
template <unsigned Bits>
concept axioms_of_a_cost = (Bits & ~0xBFU) == 0;

/// Promises of one kind of object: a cost, a constraint or an objective.
template <unsigned Bits>
concept axioms_of_one_kind = axioms_of_a_cost<Bits> || (Bits & ~0x60U) == 0 || (Bits & ~0x300U) == 0;

namespace detail {

// Names for compiler errors about invalid promises.
struct only_a_cost_is_made_of_a_function;
struct no_cost_constraint_or_objective_promises_both;
struct its_call_operator_has_to_be_const;

}  // namespace detail

/// A function with a const call operator that returns the cost of the items `[first, last)`.
template <class Function>
concept interval_function = requires(const Function& function, std::size_t i) {
  function(i, i);
};

/// A function whose call operator is not const.
template <class Function>
concept mutable_interval_function = !interval_function<Function> && requires(Function& function, std::size_t i) {
  function(i, i);
};

/// A set of promises about a cost `f(first, last)` of the items `[first, last)`, or `f(stage, first, last)`, one bit
/// each. The promises are objects: `monotone`, `additive`, …; `a | b` promises both.
///
/// As a function, `monotone(n, f)`, a set turns a function that keeps its promises into a cost model for a chain of n
/// items.
template <unsigned Bits>
struct axiom {
  static constexpr unsigned bits = Bits;  ///< one for each promise

  /// @param items     number of items n of the chain
  /// @param function  `function(first, last)`, a totally ordered cost, for `first <= last <= n`
  /// @{
  template <interval_function Function>
  requires axioms_of_a_cost<Bits>
  [[nodiscard]] constexpr function_cost<Function, Bits> operator()(std::size_t items, Function function) const {
    return {items, std::move(function)};
  }
  template <interval_function Function>
  requires(!axioms_of_a_cost<Bits>) detail::only_a_cost_is_made_of_a_function operator()(
      std::size_t items, Function function) const = delete;  // only for promises of a cost: monotone(n, f)
  template <mutable_interval_function Function>
  detail::its_call_operator_has_to_be_const
  operator()(std::size_t items, Function function) const = delete;  // const, or a lambda without `mutable`
  /// @}

  /// Both sets of promises.
  /// @{
  template <unsigned Others>
  requires axioms_of_one_kind<Bits | Others>
  [[nodiscard]] constexpr axiom<Bits | Others> operator|(axiom<Others>) const noexcept { return {}; }
  template <unsigned Others>
  requires(!axioms_of_one_kind<Bits | Others>) detail::no_cost_constraint_or_objective_promises_both operator|(
      axiom<Others>) const = delete;  // no object can promise both: see the tables in docs/cost.md
  /// @}
};

/// `f(i, j) <= f(i, j + 1)`: one more item at the end never lowers the cost.
inline constexpr axiom<1> right_monotone{};
/// `f(i, j) <= f(i - 1, j)`: one more item at the front never lowers the cost.
inline constexpr axiom<2> left_monotone{};
/// Both: widening an interval never lowers its cost.
inline constexpr axiom<3> monotone{};
/// `f(i, j) + f(i', j') <= f(i, j') + f(i', j)` for `i <= i' <= j <= j'`, in exact arithmetic (quadrangle inequality).
inline constexpr axiom<8> monge{};
/// The reverse: `f(i, j) + f(i', j') >= f(i, j') + f(i', j)`, in exact arithmetic.
inline constexpr axiom<16> inverse_monge{};
/// `f(s, i, j)` is the same for every stage s. A cost `f(first, last)` without a stage always is.
inline constexpr axiom<32> stage_invariant{};
/// `f(i, j)` is `prefix(j) - prefix(i)` exactly as computed, rounding included, and `prefix(i)` never decreases in i; the
/// model has the member `prefix`. A sum of non-negative items satisfies this.
///
/// Implies `monotone` (rounding preserves order), `monge` and `inverse_monge` (both sides are the same four prefixes) and
/// `stage_invariant`. A sum with negative items may promise `separable | monge | inverse_monge`.
inline constexpr axiom<63> additive{};
/// For a constraint: each part of an allowed interval is allowed too.
inline constexpr axiom<64> hereditary{};
/// `f(s, i, j)` is `end(s, j) - begin(s, i)` exactly as computed; the model has those members (without `s` if stages do
/// not differ).
inline constexpr axiom<128> separable{};
/// For an objective: `a <= b` implies `combine(a, c) <= combine(b, c)` and `combine(c, a) <= combine(c, b)`.
inline constexpr axiom<256> isotone{};
/// `isotone`, and the same with `<` in place of `<=`.
inline constexpr axiom<768> strictly_isotone{};

/// How a cost model declares its promises: `using axioms = stagecut::axioms<stagecut::monotone>;`.
///
/// All must apply to a cost, or all to a constraint, or all to an objective: `axioms<monotone, isotone>` does not
/// compile.
template <auto... Promised>
requires axioms_of_one_kind<(0U | ... | std::remove_cvref_t<decltype(Promised)>::bits)>
using axioms = axiom<(0U | ... | std::remove_cvref_t<decltype(Promised)>::bits)>;

/// The promises of a model: those of its nested type `axioms`, or none. Specialise it for a type that is not yours:
/// `template <> inline constexpr auto stagecut::enable_axioms<their_model> = stagecut::monotone;`.
template <class Model>
inline constexpr auto enable_axioms = axiom<0>{};

/// The promises of a nested type.
template <class Model>
requires requires { typename Model::axioms; }
inline constexpr auto enable_axioms<Model> = typename Model::axioms{};

/// The promises of what a reference, or a `std::reference_wrapper`, refers to.
/// @{
template <class Model>
inline constexpr auto enable_axioms<const Model&> = enable_axioms<Model>;
template <detail::reference_wrapper Model>
inline constexpr auto enable_axioms<Model> = enable_axioms<std::remove_cvref_t<detail::wrapped_t<Model>>>;
/// @}

/// Whether `Model` promises all of `Promise`. The library trusts the author: `testing::check_axioms` searches for
/// violations. A broken promise leads to a wrong answer, never to undefined behaviour or an endless loop.
template <class Model, auto Promise>
inline constexpr bool promises =
    (enable_axioms<Model>.bits &
     std::remove_cvref_t<decltype(Promise)>::bits) == std::remove_cvref_t<decltype(Promise)>::bits;

/// A cost model built from a function: see `axiom`.
template <class Function, unsigned Bits>
class function_cost {
 public:
  using axioms = axiom<Bits>;  ///< as promised by its author

  /// A chain of `items` items with costs `function(first, last)`.
  constexpr function_cost(std::size_t items, Function function) : items_(items), function_(std::move(function)) {}

  /// Number of items n.
  [[nodiscard]] constexpr std::size_t size() const noexcept { return items_; }

  /// The cost of the items `[first, last)`: the function's result.
  [[nodiscard]] constexpr auto operator()(std::size_t first, std::size_t last) const { return function_(first, last); }

 private:
  std::size_t items_;
  Function function_;
};

}  // namespace stagecut::inline STAGECUT_ABI
