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

/// For what a chain is cut: see `minimize_makespan`.
struct makespan_request {
  schedule order{};                               ///< what the ranks do: a stage of the chain is one of its stages
  std::vector<link_speed> links{};                ///< of every boundary, or one for all; empty: no messages
  transfer_kind transfers = transfer_kind::link;  ///< what messages occupy
  std::optional<double> memory_per_device{};      ///< bytes that no rank may exceed; unset: no limit
  std::vector<double> memory_of_ranks{};  ///< bytes of every rank, in place of the same for all; empty: as above
  std::optional<cuts> start{};                    ///< a cut to begin with; the answer is not worse
  std::optional<double> within{};  ///< asks for all cuts of at most (1 + within) times the least makespan
  std::size_t most_within = 1000;  ///< of them
  search_limits limits{};          ///< of the search
  makespan_helpers helpers{};      ///< who helps it
};

/// A cut and when its iteration ends.
struct simulated_cut {
  stagecut::cuts cuts{};  ///< where
  double makespan = 0;    ///< in the unit of the model

  /// Equal in every part.
  friend bool operator==(const simulated_cut&, const simulated_cut&) = default;
};

/// The best cut found, with its proof.
struct makespan_cut {
  stagecut::cuts cuts{};                ///< where
  double makespan = 0;                  ///< simulated, in the unit of the model
  double bound = 0;                     ///< no cut ends earlier; equal to `makespan` if proved optimal
  std::vector<simulated_cut> within{};  ///< those asked for, by makespan, then by cut points
  bool all_within = false;              ///< whether there are no more of them
  bool ties_settled = false;            ///< whether, of the best cuts, it is the one that the rule for ties names
  std::size_t nodes = 0;                ///< partial cuts looked at
  std::size_t simulations = 0;          ///< whole cuts looked at

  /// How far the makespan may be from the least one, as a fraction of the bound.
  [[nodiscard]] double gap() const noexcept { return bound > 0 ? (makespan - bound) / bound : makespan > 0 ? 1 : 0; }
};

}  // namespace stagecut::inline STAGECUT_ABI
