// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace engine {
struct cut_problem;
}

/// What is known when a better cut is asked for.
struct improvement {
  view<const std::size_t> points{};              ///< of the best cut so far, k + 1 of them
  double makespan = 0;                           ///< its own, in the unit of the model
  double goal = 0;                               ///< no cut has less, likewise
  double seconds = 0;                            ///< that may be spent; infinite if the search has no limit
  std::size_t simulations = 0;                   ///< about so many cuts would be simulated if there were no improver
  const engine::cut_problem* problem = nullptr;  ///< what is cut, for improvers that simulate; of this call alone
  view<const std::vector<std::size_t>>
      starts{};  ///< points of other cuts, good in one way or another, likewise allowed
};

/// What is asked, now and then, for a better cut: a search on a device, say, or one that knows the model. It writes the
/// points of a cut into the second argument and returns true, or returns false. What it says is looked at: a cut that is
/// none, not allowed, or no better is left, so it decides how good the first cuts are, not what is true.
template <class F>
concept cut_improver = requires(F& improver, const improvement& task, view<std::size_t> points) {
  { improver(task, points) } -> std::convertible_to<bool>;
};

/// One of them, or none: then the search looks for better cuts itself.
using cut_improver_ref = function_ref<bool(const improvement&, view<std::size_t>)>;

}  // namespace stagecut::inline STAGECUT_ABI
