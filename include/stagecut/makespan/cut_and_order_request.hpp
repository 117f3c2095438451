// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/makespan/makespan_helpers.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/search_limits.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Which orders a chain may be run in.
enum class order_choice : std::uint8_t {
  any,       ///< any, as `synthesize_schedule` makes them
  in_flight  ///< `in_flight_order`: 1F1B with so many microbatches in flight on every rank as are best; one stage a rank
};

/// For what a chain is cut and ordered: see `minimize_cut_and_order`. What is not said stays at its default.
struct cut_and_order_request {
  std::vector<std::size_t> rank_of{};             ///< the rank of every stage
  std::size_t microbatches = 1;                   ///< of an iteration, m
  bool split = true;                              ///< whether backward passes are I and W apart; else B, whole
  std::vector<bool> whole{};                      ///< with `split`, stages that run B whole all the same; empty: none
  order_choice orders = order_choice::any;        ///< which; `in_flight` with B whole
  std::vector<link_speed> links{};                ///< of every boundary, or one for all; empty: no messages
  transfer_kind transfers = transfer_kind::link;  ///< what messages occupy
  std::optional<double> memory_per_device{};      ///< bytes that no rank may exceed; unset: no limit
  std::vector<double> memory_of_ranks{};  ///< bytes of every rank, in place of the same for all; empty: as above
  std::optional<cuts> start{};            ///< a cut to begin with, beside others
  search_limits limits{};                 ///< how long to look
  std::uint64_t seed = 1;                 ///< of the search for orders
  makespan_helpers helpers{};             ///< who helps to find cuts
};

/// A cut and the order that runs it, with their proof.
struct cut_and_order {
  stagecut::cuts cuts{};   ///< where
  schedule order{};        ///< what every rank does
  double makespan = 0;     ///< simulated, in the unit of the model
  double bound = 0;        ///< no cut and no order of these end earlier; equal to `makespan` if proved best
  std::size_t rounds = 0;  ///< how often a cut was made for an order, or an order for a cut

  /// How far the makespan may be from the least one, as a fraction of the bound.
  [[nodiscard]] double gap() const noexcept { return bound > 0 ? (makespan - bound) / bound : makespan > 0 ? 1 : 0; }
};

}  // namespace stagecut::inline STAGECUT_ABI
