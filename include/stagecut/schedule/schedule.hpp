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

  /// Equal in both ends.
  friend bool operator==(const stage_edge&, const stage_edge&) = default;
};

/// What every rank does in one iteration, and in which order.
///
/// A rank runs its ops one after the other, each as soon as those before it have ended and what it needs has arrived:
/// F waits for F of the stage before; B and I for B or I of the stage behind; W for I of its own stage. Where there are
/// edges, F waits for F of all stages from which one leads to its stage, B and I for all to which one leads from there.
/// On its own stage F waits for F of the slice before, B and I for B or I of the slice behind. So the order alone
/// decides, with the durations, when everything runs.
struct schedule {
  std::string name{};                     ///< `1f1b`; empty: of one's own
  std::size_t microbatches = 0;           ///< of an iteration, m
  std::size_t slices = 1;                 ///< into which the sequence of every microbatch is cut
  std::vector<std::size_t> rank_of{};     ///< the rank of every stage
  std::vector<std::vector<op>> orders{};  ///< the ops of every rank, in the order in which it runs them
  std::vector<stage_edge> edges{};        ///< between stages, without a circle; empty: a chain, from each to the next

  /// Ranks p.
  [[nodiscard]] std::size_t ranks() const noexcept { return orders.size(); }
  /// Stages, of all ranks together.
  [[nodiscard]] std::size_t stages() const noexcept { return rank_of.size(); }

  /// Equal in every part.
  friend bool operator==(const schedule&, const schedule&) = default;
};

/// Whether any rank runs ops of a kind.
[[nodiscard]] STAGECUT_DECL bool runs(const schedule& order, op_kind kind) noexcept;

/// Stages dealt out in turn: stage s on rank s mod p (Megatron-LM's virtual pipeline; with one chunk, stage s on rank s).
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> loop_placement(std::size_t ranks, std::size_t chunks);

/// Two stages a rank, down and back up: stages r and 2p - 1 - r on rank r, so that the last rank hands over to itself.
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> v_placement(std::size_t ranks);

/// The chunk that every stage is of its rank: how many stages before it stand there.
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
