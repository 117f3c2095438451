// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/sweep_options.hpp>
#include <stagecut/plan/sweep_row.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// See `sweep_rows`.
struct sweep_rows_fn {
  /// See `sweep_rows`.
  [[nodiscard]] std::vector<sweep_row> operator()(const profile& model, const plan_request& request,
                                                  const sweep_axes& axes, const sweep_options& options = {}) const;
};

/// Plans every configuration of the axes by its makespan. It returns the time per microbatch and the memory of the
/// fullest device for each, and marks the Pareto front of both.
///
/// Every configuration has one row, for its fastest plan within the memory limit of the request; it does not look for a
/// slower plan of the same configuration with less memory. Microbatches are those of the profile: all have the same
/// size.
///
/// @param model     a chain or a graph, as for `make_plan`
/// @param request   as for `make_plan`, with a makespan; supplies what the axes omit. Limits in `search` are those of each
///                  configuration, `usual_sweep_nodes` if there are none; `search.threads` runs several at once, and
///                  `search.stop` ends the sweep: what was not planned by then stays unknown. `backends` are called by
///                  all threads, and must return the same regardless of earlier calls
/// @param axes      what to combine
/// @param options   what to skip, and progress
/// @return          a row for each configuration, in the order of the axes, with the reason if there is no plan. The
///                  same to the bit for any threads, unless there is a time limit
/// @throws          argument_error and invalid_input as `make_plan`, for errors in every configuration, for an
///                  objective other than the makespan, for a makespan that is not known with the first value of every
///                  axis, and for axes with a 0 or more than 2^24 configurations. Exceptions of `make_plan` for some
///                  configurations only: the first in its round
///
/// All configurations are bounded first, which takes a hundredth of the time. Then they are planned in rounds of 64 in
/// parallel, in increasing order of the time bound; each round skips those that earlier rounds dominate.
inline constexpr sweep_rows_fn sweep_rows{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/sweep_rows.ipp>
#endif
