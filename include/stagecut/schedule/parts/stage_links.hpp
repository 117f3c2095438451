// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The number of edges between the stages of a schedule, including those of a chain.
[[nodiscard]] STAGECUT_DECL std::size_t edge_count(const schedule& all) noexcept;

/// Whether a transfer follows its edge's direction at this end: SEND_F and RECV_B are at the source stage of the edge.
[[nodiscard]] constexpr bool leads_down(op_kind transfer) noexcept {
  return transfer == op_kind::send_forward || transfer == op_kind::receive_backward;
}

/// The edges of every stage, in the order of `schedule::edges`; in a chain, edge b leads from stage b to b + 1.
class stage_links {
 public:
  /// The far end of an edge, seen from a stage.
  struct link {
    std::size_t edge = 0;   // its index among the edges
    std::size_t stage = 0;  // the stage at the far end
  };

  /// @pre the edges name existing stages
  explicit stage_links(const schedule& all);

  /// Whether the stages are a chain because no edges were given.
  [[nodiscard]] bool chain() const noexcept { return chain_; }

  /// The links that lead from a stage (`down`), or to it.
  [[nodiscard]] view<const link> of(std::size_t stage, bool down) const noexcept;

  /// The link that a transfer uses; null: none. O(links of the stage).
  [[nodiscard]] const link* find(const op& transfer) const noexcept;

  /// The far end of a link, as a transfer's `peer`.
  [[nodiscard]] std::uint32_t peer(const link& each) const noexcept {
    return chain_ ? op::neighbour : static_cast<std::uint32_t>(each.stage);
  }

 private:
  [[nodiscard]] static std::size_t down_of(std::size_t stage) noexcept { return 2 * stage; }
  [[nodiscard]] static std::size_t up_of(std::size_t stage) noexcept { return 2 * stage + 1; }

  bool chain_;
  std::vector<std::size_t> first_;  // per stage: its links down, its links up
  std::vector<link> links_;
};

/// Whether messages along a link of a stage cross ranks.
[[nodiscard]] inline bool crosses_ranks(const schedule& all, std::size_t stage,
                                        const stage_links::link& each) noexcept {
  return all.rank_of[each.stage] != all.rank_of[stage];
}

/// The stages of a cycle of edges, from one of them back to it, as text; empty: acyclic.
[[nodiscard]] STAGECUT_DECL std::string cycle_of_edges(const stage_links& links, std::size_t stages);

/// The fault of a schedule's edges; empty: none.
[[nodiscard]] STAGECUT_DECL std::string edge_problem(const schedule& all);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/stage_links.ipp>
#endif
