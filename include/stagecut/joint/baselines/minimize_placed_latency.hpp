// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/search_options.hpp>
#include <stagecut/core/solution.hpp>
#include <stagecut/joint/baselines/equal_machines.hpp>
#include <stagecut/joint/baselines/placed_layers.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The problem of placing layers on machines.
struct placed_request {
  equal_machines machines{};                ///< the machines and their links
  std::size_t microbatches = 1;             ///< per iteration
  bool at_most = false;                     ///< whether fewer devices may be used
  bool all_reduce = true;                   ///< whether the gradient exchange counts
  search_options search{.time_limit = 10};  ///< of the search
};

/// Layers cut into stages on machines, with a proof.
struct placed_cut : solution<double> {
  std::vector<placed_stage> stages{};  ///< from the input to the output
};

/// See `minimize_placed_latency`.
struct minimize_placed_latency_fn {
  /// See `minimize_placed_latency`.
  [[nodiscard]] outcome<placed_cut> operator()(const placed_layers& layers, const placed_request& request) const;

 private:
  static outcome<placed_cut> solved(const placed_layers& layers, const placed_request& request);
};

/// Cuts layers into stages and places each on devices of equal machines, minimising the iteration time of DAPPLE's
/// formula: the sum of all stages and of the round trips of all messages, the largest of these for every microbatch but
/// one, and the exposed part of the gradient exchange.
///
/// @param layers   cumulative figures of the layers before each point
/// @param request  machines, microbatches
/// @return         optimal, with `cost == bound`; feasible, with a bound, if a limit was reached first; infeasible
///                 (`constraint`) if no stages lead from the first point to the last one; unknown if a limit was
///                 reached before a cut was found
/// @throws         argument_error for invalid machines or microbatches; invalid_input for invalid layers
///
/// Devices are taken from the output on, each stage's by the best of three placements (`placement`). A stage of d
/// devices takes its time / d. A message goes inside a machine, or, from the senders outside the receivers' machine,
/// across, or, where receivers are on several machines, as a collective. Gradients are exchanged in a ring, inside a
/// machine on one link per pair of devices. Memory is ignored, as in DAPPLE's planner.
///
/// Exact among these placements, in doubles as computed, like `minimize_pipeline_latency` with `messages` and
/// `all_reduce`. Ties: the cut found first; deterministic. As machines are equal, a state is the sorted numbers of
/// devices taken: 45 for two machines of 8, times those taken by the last stage, not 2^16 sets.
///
/// Source: DAPPLE (PPoPP 2021).
inline constexpr minimize_placed_latency_fn minimize_placed_latency{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/minimize_placed_latency.ipp>
#endif
