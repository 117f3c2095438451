// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/baselines/equal_machines.hpp>
#include <stagecut/joint/baselines/placed_layers.hpp>
#include <stagecut/schedule/search_limits.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// For what layers are placed on machines.
struct placed_request {
  equal_machines machines{};     ///< and their links
  std::size_t microbatches = 1;  ///< of one iteration
  bool at_most = false;          ///< whether fewer devices will do
  bool all_reduce = true;        ///< whether the exchange of gradients counts
  search_limits limits{};        ///< of the search
};

/// Layers cut into stages on machines, with their proof.
struct placed_cut {
  std::vector<placed_stage> stages{};  ///< from the input to the output
  double cost = 0;                     ///< what was minimised, in seconds
  double bound = 0;                    ///< no cut costs less; equal to `cost` if proved optimal
  std::size_t searches = 0;            ///< dynamic programs that were run

  /// How far the cost may be from the least one, as a fraction of the bound.
  [[nodiscard]] double gap() const noexcept { return bound > 0 ? (cost - bound) / bound : cost > 0 ? 1 : 0; }
};

/// See `minimize_placed_length`.
struct minimize_placed_length_fn {
  /// See `minimize_placed_length`.
  [[nodiscard]] outcome<placed_cut> operator()(const placed_layers& layers, const placed_request& request) const;
};

/// Cuts layers into stages and places each on devices of equal machines, so that an iteration of the pipeline is shortest by
/// the formula of DAPPLE's paper: the sum of all stages and of the round trips of all messages, for every microbatch but one
/// the largest of these, and what is exposed of the exchange of gradients.
///
/// @param layers   what all before each point adds up to
/// @param request  machines, microbatches
/// @return         optimal, with `cost == bound`; feasible, with a bound, if a limit was reached first; infeasible
///                 (`constraint`) if no stages lead from the first point to the last one; unknown if a limit was reached before
///                 a cut was found
/// @throws         argument_error for machines or microbatches that make no sense; invalid_input for layers that make none
///
/// Devices are taken from the output on, each stage's by the best of three placements (`placement`). A stage of d devices
/// takes its time / d; a message goes inside a machine, or from those senders that are not on the receivers' machine across, or,
/// where receivers are on several machines, as a collective; gradients are exchanged as in a ring, inside a machine on as
/// many links as there are pairs of devices. Memory is not looked at, as DAPPLE's planner does not.
///
/// Exact among these placements, in doubles as they are computed, as `minimize_pipeline_length` with `messages` and
/// `all_reduce`. Of cuts that cost the same it returns the one found first, the same every time. As machines are alike, a state
/// is the sorted numbers of devices taken: 45 for two machines of 8, times what the last stage took of them, not 2^16 sets.
///
/// Source: DAPPLE (PPoPP 2021).
inline constexpr minimize_placed_length_fn minimize_placed_length{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/minimize_placed_length.ipp>
#endif
