// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A simulated iteration of layers assigned to stages, with recomputation.
struct recompute_run {
  double makespan = 0;                 ///< in the unit of the model
  std::vector<double> memory{};        ///< bytes of every rank at its peak, the constant included
  pass_times<double> times{};          ///< of every stage
  transfer_times<double> transfers{};  ///< of every boundary; empty: no messages
  std::vector<double> recomputed{};    ///< per stage, the extra time of a backward pass over the fastest choices
};

namespace detail {

/// Whether a schedule runs input and parameter gradients apart.
[[nodiscard]] STAGECUT_DECL bool splits_backward(const schedule& order) noexcept;

/// Rejects a request that is invalid for a model, and an invalid model.
STAGECUT_DECL void check_recompute_request(const char* function, const recompute_model& model,
                                           const recompute_request& request);

/// The smallest time of the message after each stage, wherever it is cut; 0 after the last one.
[[nodiscard]] STAGECUT_DECL std::vector<double> least_messages(const recompute_model& model,
                                                               const recompute_request& request);

/// The choice of the next layer of a type, given the number left of each choice: the one that keeps least comes first.
[[nodiscard]] STAGECUT_DECL std::size_t next_choice(const layer_type& type, std::vector<std::size_t>& left) noexcept;

}  // namespace detail

/// Simulates an iteration of a given plan with recomputation: a user's own plan, for comparison.
///
/// @param model    the layers
/// @param request  the schedule, messages, and what ranks need besides layers; its memory limit is not checked
/// @param stages   the layers of every stage, possibly empty
/// @param choices  for every layer, an index into the choices of its type
/// @throws         argument_error for stages that do not match the schedule and the model, and for a choice that does
///                 not exist; otherwise as `minimize_recomputation`
[[nodiscard]] STAGECUT_DECL recompute_run simulate_recomputation(const recompute_model& model,
                                                                 const recompute_request& request, const cuts& stages,
                                                                 const std::vector<std::size_t>& choices);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/simulate_recomputation.ipp>
#endif
