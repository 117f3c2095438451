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
                                                  const sweep_axes& axes, const sweep_options& options = {},
                                                  const each_index_ref& for_each = {}) const;
};

/// Plans every configuration of some axes by its makespan, and tells of each the time of a microbatch and the memory of the
/// fullest device, and which of them are on the Pareto front of both.
///
/// Every configuration has one row, of its fastest plan within the memory limit of the request: a slower plan of the same
/// configuration with less memory is not looked for. Microbatches are those of the profile: all are of one size.
///
/// @param model     a chain or a graph, as of `make_plan`
/// @param request   as of `make_plan`, with a makespan; what the axes leave out. Its `limits` do not count. Its `helpers` are
///                  asked by several searches at once, if `for_each` runs them at once, and have to say the same whoever
///                  asked before
/// @param axes      what to combine
/// @param options   how long to search, whom to ask and to tell
/// @param for_each  optional: who plans configurations at the same time: threads, say. Else one after the other
/// @return          a row for each configuration, in the order of the axes, with the reason where there is no plan. The same
///                  to the bit whatever runs it, unless there is a time limit
/// @throws          argument_error and invalid_input as `make_plan`, for what is wrong in every configuration, for another
///                  objective than the makespan, for a makespan that is not known with the first value of every axis, and for
///                  axes with a 0 or more than 2^24 configurations. What `make_plan` throws for some configurations only: of
///                  those in a round the first
///
/// All configurations are bounded first, which takes a hundredth of the time. Then they are planned in rounds of 64 at the
/// same time, those of the least bound of time first; before each round those are left out that the rounds before dominate.
inline constexpr sweep_rows_fn sweep_rows{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/sweep_rows.ipp>
#endif
