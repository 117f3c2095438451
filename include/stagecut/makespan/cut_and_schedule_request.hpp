// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
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

/// The schedules that may run a chain.
enum class schedule_family : std::uint8_t {
  any,       ///< any that `synthesize_schedule` can make
  in_flight  ///< `in_flight_order`: 1F1B with the best number of microbatches in flight on each rank; one stage per rank
};

/// The problem that `minimize_cut_and_schedule` solves. Unset fields keep their defaults.
struct cut_and_schedule_request {
  std::vector<std::size_t> rank_of{};  ///< the rank of every stage
  std::size_t microbatches = 1;        ///< microbatches of an iteration, m
  bool split = true;                   ///< whether the backward pass is split into I and W; else B is one pass
  std::vector<bool> whole{};           ///< with `split`, the stages that still run B as one pass; empty: none
  schedule_family family = schedule_family::any;  ///< the schedules to search; `in_flight` requires unsplit B
  std::vector<link_speed> links{};                ///< one per boundary, or one for all; empty: no messages
  transfer_kind transfers = transfer_kind::link;  ///< the resource that messages occupy
  stagecut::memory_limit memory_limit{};          ///< bytes of each rank: one value for all, one for each, or no limit
  std::optional<cuts> start{};                    ///< a cut to start from, in addition to others
  search_options search{.time_limit = 10};        ///< limits of the search
  search_backends backends{};                     ///< helpers of the search for cuts
};

/// A cut and the schedule that runs it, with a proof.
struct cut_and_schedule : solution<double> {
  stagecut::cuts cuts{};          ///< the stages
  stagecut::schedule schedule{};  ///< the passes of every rank
};

}  // namespace stagecut::inline STAGECUT_ABI
