// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/parts/stage_links.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL std::size_t edge_count(const schedule& all) noexcept {
  if (!all.edges.empty()) return all.edges.size();
  return all.stages() == 0 ? 0 : all.stages() - 1;
}

STAGECUT_DECL stage_links::stage_links(const schedule& all)
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

STAGECUT_DECL auto stage_links::of(std::size_t stage, bool down) const noexcept -> view<const link> {
  const std::size_t i = down ? down_of(stage) : up_of(stage);
  return {links_.data() + first_[i], first_[i + 1] - first_[i]};
}

STAGECUT_DECL auto stage_links::find(const op& transfer) const noexcept -> const link* {
  if (chain_ != (transfer.peer == op::neighbour)) return nullptr;
  for (const link& each : of(transfer.stage, leads_down(transfer.kind))) {
    if (chain_ || each.stage == transfer.peer) return &each;
  }
  return nullptr;
}

STAGECUT_DECL std::string cycle_of_edges(const stage_links& links, std::size_t stages) {
  // Removes stages without incoming edges, repeatedly; each stage that remains has a predecessor that remains.
  std::vector<std::size_t> before(stages);
  std::vector<std::size_t> taken;
  for (std::size_t s = 0; s < stages; ++s) {
    before[s] = links.of(s, false).size();
    if (before[s] == 0) taken.push_back(s);
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    for (const stage_links::link& link : links.of(taken[i], true)) {
      if (--before[link.stage] == 0) taken.push_back(link.stage);
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
    for (const stage_links::link& link : links.of(at, false)) {
      if (before[link.stage] != 0) at = link.stage;
    }
  }
  std::string text = std::to_string(at);
  for (std::size_t i = path.size(); i-- > step[at];) text += joined({" -> ", path[i]});
  return text;
}

STAGECUT_DECL std::string edge_problem(const schedule& all) {
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
  std::vector<std::size_t> latest(all.stages(), all.edges.size());  // latest edge found to each stage
  for (std::size_t s = 0; s < all.stages(); ++s) {
    for (const stage_links::link& link : links.of(s, true)) {
      const std::size_t other = latest[link.stage];
      if (other != all.edges.size() && all.edges[other] == all.edges[link.edge]) {
        return joined({name(link.edge), " stands twice"});
      }
      latest[link.stage] = link.edge;
    }
  }
  const std::string cycle = cycle_of_edges(links, all.stages());
  return cycle.empty() ? std::string() : joined({"its edges form a cycle: ", cycle});
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
