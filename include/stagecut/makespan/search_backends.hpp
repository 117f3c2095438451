// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <stagecut/core/callback.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/makespan/cut_heuristic.hpp>
#include <stagecut/makespan/makespan_problem.hpp>
#include <stagecut/makespan/remaining_cuts.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The remaining cuts, for exhaustive evaluation. Valid during the call.
struct enumeration_call {
  makespan_problem problem;     ///< what is cut, under which schedule and limits
  remaining_cuts cuts;          ///< what is to be evaluated: all other allowed cuts are above `most`
  double most = 0;              ///< a makespan in the unit of the model; cuts above it do not count
  double seconds = 0;           ///< time left; infinite if the search has no limit
  function_ref<bool()> stop{};  ///< polled now and then; true: return `too_many` at once
};

/// The outcome of an exhaustive evaluation.
enum class enumeration_answer : std::uint8_t {
  too_many,  ///< no result: not all cuts were evaluated
  none,      ///< no allowed cut has makespan `most` or less
  found      ///< the best allowed cut was written
};

/// A request for a lower bound. Valid during the call.
struct bound_call {
  makespan_problem problem;     ///< what is cut, under which schedule and limits
  double bound = 0;             ///< a known lower bound, in the unit of the model
  double value = 0;             ///< makespan of the best cut so far; same unit
  double seconds = 0;           ///< time limit of the call; infinite if the search has no limit
  function_ref<bool()> stop{};  ///< true: return what is known at once; also after `seconds`
};

template <class Signature>
class proving_backend;

/// A function whose answer can be part of a proof: an enumerator or a bound provider. Owns it as a `callback` does.
///
/// The search cannot check such an answer. It believes it only if `trusted` is set, which each new function clears:
///
///     request.backends.bound_provider = own_bound;
///     request.backends.bound_provider.trusted = true;  // it is a lower bound: docs/makespan.md
template <class Result, class... Arguments>
class proving_backend<Result(Arguments...)> : public callback<Result(Arguments...)> {
  using base = callback<Result(Arguments...)>;

 public:
  /// None.
  constexpr proving_backend() noexcept = default;

  /// @param function  as for a `callback`; trusted if it is, or `std::ref` of, one of the library's own
  template <class Function>
  requires(!std::same_as<std::remove_cvref_t<Function>, proving_backend> && std::is_constructible_v<base, Function>)
      proving_backend(Function&& function)  // NOLINT(google-explicit-constructor)
      : base(std::forward<Function>(function)), trusted(is_own<std::remove_cvref_t<Function>>()) {}

  /// Whether the search believes its answers, and reports them as its own proof. A false answer of a trusted function makes
  /// `bound` and `state` false; without trust it costs time only.
  bool trusted = false;

 private:
  template <class Function>
  [[nodiscard]] static constexpr bool is_own() {
    return requires { typename Function::trusted_backend; }
    || requires { typename Function::type::trusted_backend; };
  }
};

/// Evaluates all remaining cuts. The search calls it with sets of shrinking size; it returns early if there are too many
/// cuts. The cut that it writes is checked and simulated.
///
/// If it is trusted, the proof relies on no other cut being better than the one written, or than `most`. Otherwise only the
/// cut is used, and the search continues.
using cut_enumerator = proving_backend<enumeration_answer(const enumeration_call&, view<std::size_t>)>;

/// Returns a better lower bound on the makespan of all allowed cuts in the unit of the model, or the known one.
///
/// If it is trusted, it is the bound of the search. Otherwise it is a target: the search tries early to prove it.
using bound_provider = proving_backend<double(const bound_call&)>;

/// Functions that take part in a search for the smallest makespan, all optional. `search::backends_on` provides all of them,
/// built on mass evaluation on the host's processors or on a device. A request owns them; `std::ref` makes it refer to one.
struct search_backends {
  callback<bool(const heuristic_call&, view<std::size_t>)> heuristic{};  ///< finds better cuts
  cut_enumerator enumerator{};                                           ///< evaluates all remaining cuts
  stagecut::bound_provider bound_provider{};                             ///< bounds all cuts
};

}  // namespace stagecut::inline STAGECUT_ABI
