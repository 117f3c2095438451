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

/// The schedules that may run a chain.
enum class order_choice : std::uint8_t {
  any,       ///< any that `synthesize_schedule` can make
  in_flight  ///< `in_flight_order`: 1F1B with the best number of microbatches in flight on each rank; one stage per rank
};

/// The problem that `minimize_cut_and_order` solves. Unset fields keep their defaults.
struct cut_and_order_request {
  std::vector<std::size_t> rank_of{};             ///< the rank of every stage
  std::size_t microbatches = 1;                   ///< microbatches of an iteration, m
  bool split = true;                        ///< whether the backward pass is split into I and W; else B is one pass
  std::vector<bool> whole{};                ///< with `split`, the stages that still run B as one pass; empty: none
  order_choice orders = order_choice::any;  ///< the schedules to search; `in_flight` requires unsplit B
  std::vector<link_speed> links{};          ///< one per boundary, or one for all; empty: no messages
  transfer_kind transfers = transfer_kind::link;  ///< the resource that messages occupy
  std::optional<double> memory_per_device{};      ///< bytes that no rank may exceed; unset: no limit
  std::vector<double> memory_of_ranks{};  ///< bytes of each rank, in place of one limit for all; empty: as above
  std::optional<cuts> start{};            ///< a cut to start from, in addition to others
  search_limits limits{};                 ///< limits of the search
  std::uint64_t seed = 1;                 ///< seed of the schedule search
  makespan_helpers helpers{};             ///< helpers of the search for cuts
};

/// A cut and the schedule that runs it, with a proof.
struct cut_and_order {
  stagecut::cuts cuts{};   ///< the stages
  schedule order{};        ///< the passes of every rank
  double makespan = 0;     ///< simulated, in the unit of the model
  double bound = 0;        ///< no cut and schedule of the request finish earlier; equal to `makespan` if proved optimal
  std::size_t rounds = 0;  ///< number of cut or schedule searches in the alternation

  /// The optimality gap of the makespan, as a fraction of the bound.
  [[nodiscard]] double gap() const noexcept { return bound > 0 ? (makespan - bound) / bound : makespan > 0 ? 1 : 0; }
};

}  // namespace stagecut::inline STAGECUT_ABI
