// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The number of edges between the stages of a schedule, those of a chain counted.
[[nodiscard]] inline std::size_t edge_count(const schedule& all) noexcept {
  if (!all.edges.empty()) return all.edges.size();
  return all.stages() == 0 ? 0 : all.stages() - 1;
}

/// Whether a transfer goes along its edge's direction at this end: SEND_F and RECV_B are at the stage that it leads from.
[[nodiscard]] constexpr bool leads_down(op_kind transfer) noexcept {
  return transfer == op_kind::send_forward || transfer == op_kind::receive_backward;
}

/// The edges of every stage, in the order of `schedule::edges`; of a chain edge b leads from stage b to b + 1.
class stage_links {
 public:
  /// The end of an edge that is not at the stage whose links these are.
  struct link {
    std::size_t edge = 0;   // its position among the edges
    std::size_t stage = 0;  // at its other end
  };

  /// @pre the edges name stages that there are
  explicit stage_links(const schedule& all)
      : chain_(all.edges.empty()), first_(2 * all.stages() + 1), links_(2 * edge_count(all)) {
    const std::size_t edges = edge_count(all);
    const auto edge = [&](std::size_t e) { return chain_ ? stage_edge{e, e + 1} : all.edges[e]; };
    for (std::size_t e = 0; e < edges; ++e) ++first_[down_of(edge(e).from) + 1], ++first_[up_of(edge(e).to) + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    std::vector<std::size_t> next(first_.begin(), first_.end());
    for (std::size_t e = 0; e < edges; ++e) {
      const stage_edge each = edge(e);
      links_[next[down_of(each.from)]++] = {e, each.to};
      links_[next[up_of(each.to)]++] = {e, each.from};
    }
  }

  /// Whether the stages are a chain because no edges were given.
  [[nodiscard]] bool chain() const noexcept { return chain_; }

  /// Those that lead from a stage (`down`), or to it.
  [[nodiscard]] view<const link> of(std::size_t stage, bool down) const noexcept {
    const std::size_t i = down ? down_of(stage) : up_of(stage);
    return {links_.data() + first_[i], first_[i + 1] - first_[i]};
  }

  /// The one along which a transfer goes; null: none. O(links of the stage).
  [[nodiscard]] const link* find(const op& transfer) const noexcept {
    if (chain_ != (transfer.peer == op::neighbour)) return nullptr;
    for (const link& each : of(transfer.stage, leads_down(transfer.kind))) {
      if (chain_ || each.stage == transfer.peer) return &each;
    }
    return nullptr;
  }

  /// The other end of a link as a transfer names it.
  [[nodiscard]] std::uint32_t peer(const link& each) const noexcept {
    return chain_ ? op::neighbour : static_cast<std::uint32_t>(each.stage);
  }

 private:
  [[nodiscard]] static std::size_t down_of(std::size_t stage) noexcept { return 2 * stage; }
  [[nodiscard]] static std::size_t up_of(std::size_t stage) noexcept { return 2 * stage + 1; }

  bool chain_;
  std::vector<std::size_t> first_;  // of every stage: its links down, its links up
  std::vector<link> links_;
};

/// Whether messages along a link of a stage go from one rank to another.
[[nodiscard]] inline bool crosses_ranks(const schedule& all, std::size_t stage,
                                        const stage_links::link& each) noexcept {
  return all.rank_of[each.stage] != all.rank_of[stage];
}

/// The stages of a circle of edges, from one of them back to it, as text; empty: there is none.
[[nodiscard]] inline std::string circle_of_edges(const stage_links& links, std::size_t stages) {
  // Stages to which nothing leads are taken away; who is left has one before it that is left.
  std::vector<std::size_t> before(stages);
  std::vector<std::size_t> taken;
  for (std::size_t s = 0; s < stages; ++s) {
    before[s] = links.of(s, false).size();
    if (before[s] == 0) taken.push_back(s);
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    for (const stage_links::link& each : links.of(taken[i], true)) {
      if (--before[each.stage] == 0) taken.push_back(each.stage);
    }
  }
  if (taken.size() == stages) return {};
  std::size_t at = 0;
  while (before[at] == 0) ++at;
  std::vector<std::size_t> path;
  std::vector<std::size_t> step(stages, stages);
  while (step[at] == stages) {
    step[at] = path.size();
    path.push_back(at);
    for (const stage_links::link& each : links.of(at, false)) {
      if (before[each.stage] != 0) at = each.stage;
    }
  }
  std::string text = std::to_string(at);
  for (std::size_t i = path.size(); i-- > step[at];) text += joined({" -> ", path[i]});
  return text;
}

/// What is wrong with the edges of a schedule; empty: nothing.
[[nodiscard]] inline std::string edge_problem(const schedule& all) {
  if (all.edges.empty()) return {};
  const auto name = [&](std::size_t e) {
    return joined({"edge ", e, " (", all.edges[e].from, " -> ", all.edges[e].to, ")"});
  };
  for (std::size_t e = 0; e < all.edges.size(); ++e) {
    const stage_edge& each = all.edges[e];
    for (const std::size_t stage : {each.from, each.to}) {
      if (stage < all.stages()) continue;
      return joined({name(e), " names stage ", stage, ", which must be below ", all.stages()});
    }
  }
  if (all.stages() > op::neighbour) return "has more stages than edges can name";
  const stage_links links(all);
  std::vector<std::size_t> latest(all.stages(), all.edges.size());  // edge to a stage, from those looked at
  for (std::size_t s = 0; s < all.stages(); ++s) {
    for (const stage_links::link& each : links.of(s, true)) {
      const std::size_t other = latest[each.stage];
      if (other != all.edges.size() && all.edges[other] == all.edges[each.edge]) {
        return joined({name(each.edge), " stands twice"});
      }
      latest[each.stage] = each.edge;
    }
  }
  const std::string circle = circle_of_edges(links, all.stages());
  return circle.empty() ? std::string() : joined({"its edges lead round in a circle: ", circle});
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
