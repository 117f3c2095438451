// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/makespan/makespan_helpers.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/search_limits.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The problem that `minimize_makespan` solves.
struct makespan_request {
  schedule order{};                               ///< the passes of the ranks; the chain is cut into its stages
  std::vector<link_speed> links{};                ///< one per boundary, or one for all; empty: no messages
  transfer_kind transfers = transfer_kind::link;  ///< the resource that messages occupy
  std::optional<double> memory_per_device{};      ///< bytes that no rank may exceed; unset: no limit
  std::vector<double> memory_of_ranks{};  ///< bytes of each rank, in place of one limit for all; empty: as above
  std::optional<cuts> start{};            ///< a cut to start from; the answer is no worse
  std::optional<double> within{};  ///< asks for all cuts of at most (1 + within) times the least makespan
  std::size_t most_within = 1000;  ///< the most such cuts to return
  search_limits limits{};          ///< limits of the search
  makespan_helpers helpers{};      ///< helpers of the search
};

/// A cut and its makespan.
struct simulated_cut {
  stagecut::cuts cuts{};  ///< the stages
  double makespan = 0;    ///< in the unit of the model

  /// Equality of all members.
  friend bool operator==(const simulated_cut&, const simulated_cut&) = default;
};

/// The best cut found, with a proof.
struct makespan_cut {
  stagecut::cuts cuts{};                ///< the stages
  double makespan = 0;                  ///< simulated, in the unit of the model
  double bound = 0;                     ///< no cut finishes earlier; equal to `makespan` if proved optimal
  std::vector<simulated_cut> within{};  ///< the cuts that `within` requests, by makespan, then by cut points
  bool all_within = false;              ///< whether `within` is complete
  bool ties_settled = false;            ///< whether the tie rule selected it among all best cuts
  std::size_t nodes = 0;                ///< partial cuts examined
  std::size_t simulations = 0;          ///< complete cuts examined

  /// The optimality gap of the makespan, as a fraction of the bound.
  [[nodiscard]] double gap() const noexcept { return bound > 0 ? (makespan - bound) / bound : makespan > 0 ? 1 : 0; }
};

}  // namespace stagecut::inline STAGECUT_ABI
