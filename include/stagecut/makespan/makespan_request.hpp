// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/memory_limit.hpp>
#include <stagecut/core/search_options.hpp>
#include <stagecut/core/solution.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/makespan/search_backends.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The problem that `minimize_makespan` solves.
struct makespan_request {
  stagecut::schedule schedule{};                  ///< the passes of the ranks; the chain is cut into its stages
  std::vector<link_speed> links{};                ///< one per boundary, or one for all; empty: no messages
  transfer_kind transfers = transfer_kind::link;  ///< the resource that messages occupy
  stagecut::memory_limit memory_limit{};          ///< bytes of each rank: one value for all, one for each, or no limit
  std::optional<cuts> start{};                    ///< a cut to start from; the answer is no worse
  std::optional<double> within{};  ///< asks for all cuts of at most (1 + within) times the least makespan
  std::size_t most_within = 1000;  ///< the most such cuts to return
  search_options search{.time_limit = 10};  ///< limits of the search
  search_backends backends{};               ///< helpers of the search
};

/// A cut and its makespan.
struct simulated_cut {
  stagecut::cuts cuts{};  ///< the stages
  double value = 0;       ///< in the unit of the model

  /// Equality of all members.
  friend bool operator==(const simulated_cut&, const simulated_cut&) = default;
};

/// The best cut found, with a proof.
struct makespan_cut : solution<double> {
  stagecut::cuts cuts{};                ///< the stages
  std::vector<simulated_cut> within{};  ///< the cuts that `within` requests, by makespan, then by cut points
  bool all_within = false;              ///< whether `within` is complete
  bool ties_settled = false;            ///< whether the tie rule selected it among all best cuts
};

}  // namespace stagecut::inline STAGECUT_ABI
