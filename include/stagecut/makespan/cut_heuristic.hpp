// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/makespan/makespan_problem.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The state of a search that asks for a better cut. Valid during the call.
struct heuristic_call {
  makespan_problem problem;          ///< what is cut, under which schedule and limits
  view<const std::size_t> points{};  ///< points of the best cut so far, k + 1
  double value = 0;                  ///< makespan of that cut, in the unit of the model
  double goal = 0;                   ///< no cut has a smaller makespan; same unit
  double seconds = 0;                ///< time limit of the call; infinite if the search has no limit
  std::size_t simulations = 0;       ///< cuts that the search would simulate without a heuristic, approximately
  view<const std::vector<std::size_t>> starts{};  ///< points of other promising cuts, also allowed
  function_ref<bool()> stop{};                    ///< true: return at once; also after `seconds`
};

/// A heuristic that the search calls now and then for a better cut: for example a search on a device, or one that uses
/// the model. It writes the points of a cut into the second argument and returns true, or returns false. The search
/// checks and simulates the answer and discards points that are not a cut, not allowed, or no improvement, so a heuristic
/// affects speed, not correctness.
template <class F>
concept cut_heuristic = requires(F& heuristic, const heuristic_call& call, view<std::size_t> points) {
  { heuristic(call, points) } -> std::convertible_to<bool>;
};

/// A reference to a heuristic, or none: then the search looks for better cuts itself.
using cut_heuristic_ref = function_ref<bool(const heuristic_call&, view<std::size_t>)>;

}  // namespace stagecut::inline STAGECUT_ABI
