// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/schedule/op.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// An edge between stages: the output of one is an input of the other.
struct stage_edge {
  std::size_t from = 0;  ///< the stage whose output is sent
  std::size_t to = 0;    ///< the stage that needs it, and sends its gradient back

  /// Equality of both ends.
  friend bool operator==(const stage_edge&, const stage_edge&) = default;
};

/// The ops of every rank in one iteration, in order.
///
/// A rank runs its ops one after the other, each as soon as the previous ones have ended and its inputs have arrived: F
/// waits for F of the previous stage; B and I for B or I of the next stage; W for I of its own stage. If there are
/// edges, F waits for F of every stage with an edge into its stage, B and I for those of every stage with an edge from
/// it. On its own stage F waits for F of the previous slice, B and I for B or I of the next slice. So the order and the
/// durations determine all times.
struct schedule {
  std::string name{};                     ///< `1f1b`; empty: custom
  std::size_t microbatches = 0;           ///< microbatches of an iteration, m
  std::size_t slices = 1;                 ///< slices of each microbatch's sequence
  std::vector<std::size_t> rank_of{};     ///< the rank of every stage
  std::vector<std::vector<op>> orders{};  ///< the ops of every rank, in the order in which it runs them
  std::vector<stage_edge> edges{};        ///< between stages, acyclic; empty: a chain, from each to the next

  /// Ranks p.
  [[nodiscard]] std::size_t ranks() const noexcept { return orders.size(); }
  /// Stages, of all ranks together.
  [[nodiscard]] std::size_t stages() const noexcept { return rank_of.size(); }

  /// Equality of all members.
  friend bool operator==(const schedule&, const schedule&) = default;
};

/// Whether any rank runs ops of a kind.
[[nodiscard]] STAGECUT_DECL bool has_kind(const schedule& order, op_kind kind) noexcept;

/// Stages assigned in turn: stage s on rank s mod p (Megatron-LM's virtual pipeline; with one stage per rank, stage s
/// on rank s).
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> loop_placement(std::size_t ranks, std::size_t stages_per_rank);

/// Two stages per rank, down and back up: stages r and 2p - 1 - r on rank r, so the last rank sends to itself.
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> v_placement(std::size_t ranks);

/// The index of every stage among the stages of its rank.
/// @pre `rank_of` holds ranks
/// @pre `rank_of` holds ranks
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> chunks_of_stages(const schedule& order);

namespace detail {

/// A schedule without ops.
[[nodiscard]] STAGECUT_DECL schedule empty_schedule(const char* name, std::vector<std::size_t> rank_of,
                                                    std::size_t ranks, std::size_t microbatches);

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/schedule.ipp>
#endif
