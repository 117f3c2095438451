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

/// An iteration of layers that are dealt out, and recomputed.
struct recompute_run {
  double makespan = 0;                 ///< in the unit of the model
  std::vector<double> memory{};        ///< bytes of every rank at its peak, the constant included
  pass_times<double> times{};          ///< of every stage
  transfer_times<double> transfers{};  ///< of every boundary; empty: no messages
  std::vector<double> recomputed{};  ///< of every stage, what a backward pass takes more than with the fastest choices
};

namespace detail {

/// Whether an order runs the gradients of inputs and of parameters apart.
[[nodiscard]] STAGECUT_DECL bool splits_backward(const schedule& order) noexcept;

/// Refuses a request that makes no sense for a model, and a model that makes none.
STAGECUT_DECL void check_recompute_request(const char* function, const recompute_model& model,
                                           const recompute_request& request);

/// What the message behind every stage takes at least, wherever it is cut; 0 behind the last one.
[[nodiscard]] STAGECUT_DECL std::vector<double> least_messages(const recompute_model& model,
                                                               const recompute_request& request);

/// The choice of the next layer of a type, of which some are left for every choice: the one that keeps least comes first.
[[nodiscard]] STAGECUT_DECL std::size_t next_choice(const layer_type& type, std::vector<std::size_t>& left) noexcept;

}  // namespace detail

/// Runs an iteration of layers that are dealt out and recomputed in a given way: a plan of one's own, to compare.
///
/// @param model    the layers
/// @param request  the order, messages, and what ranks need beside layers; its limit of memory is not looked at
/// @param stages   the layers of every stage, some of which may be empty
/// @param choices  of every layer, by number among those of its type
/// @throws         argument_error for stages that are not those of the order and the model, and for a choice that there is
///                 not; otherwise as `minimize_recomputation`
[[nodiscard]] STAGECUT_DECL recompute_run simulate_recomputation(const recompute_model& model,
                                                                 const recompute_request& request, const cuts& stages,
                                                                 const std::vector<std::size_t>& choices);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/simulate_recomputation.ipp>
#endif
