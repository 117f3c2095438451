// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/cost/link_speed.hpp>
#include <stagecut/io/detail/graph_plan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>

// The times of messages between a plan's stages.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// The links between the stages of a plan: those of its messages, else the profile's link, else none.
class stage_links {
 public:
  explicit stage_links(const plan& made) : made_(made), links_(made.messages.links) {
    if (links_.empty() && made.profile.machine.link) links_ = {*made.profile.machine.link};
  }

  /// Seconds of a message from one stage to another. If edges between stages have links but none joins these two, the
  /// message takes as long as over the slowest.
  [[nodiscard]] double operator()(std::size_t from, std::size_t to, double bytes) const {
    if (links_.empty()) return 0;
    if (links_.size() == 1) return links_[0](bytes);
    if (made_.edges.empty()) {
      if (to == from + 1) return links_[from](bytes);
    } else {
      const auto before = [](const planned_edge& edge, const planned_edge& wanted) {
        return edge.from != wanted.from ? edge.from < wanted.from : edge.to < wanted.to;
      };
      const planned_edge wanted{from, to, 0};
      const auto found = std::lower_bound(made_.edges.begin(), made_.edges.end(), wanted, before);
      if (found != made_.edges.end() && !before(wanted, *found)) {
        return links_[static_cast<std::size_t>(found - made_.edges.begin())](bytes);
      }
    }
    double slowest = 0;
    for (const link_speed& each : links_) slowest = std::max(slowest, each(bytes));
    return slowest;
  }

 private:
  const plan& made_;
  std::vector<link_speed> links_;
};

/// Seconds of every stage for the outputs that cross its boundary, one way: each output counts once, regardless of its
/// receivers, at the sending stage and at each receiving stage. 0 for a stage on a CPU. O(m log m) for m edges.
/// @pre the parts of the plan are consistent
[[nodiscard]] inline std::vector<double> communication_of(const plan& made) {
  const std::vector<std::size_t> stage_of = stage_of_layers(made);
  std::vector<profile_edge> crossing;  // from a layer to a stage
  for (const auto& [from, to] : all_edges(made.profile)) {
    if (stage_of[from] != stage_of[to]) crossing.push_back({from, stage_of[to]});
  }
  std::sort(crossing.begin(), crossing.end(), [](const profile_edge& a, const profile_edge& b) {
    return a.from != b.from ? a.from < b.from : a.to < b.to;
  });
  crossing.erase(std::unique(crossing.begin(), crossing.end()), crossing.end());
  const stage_links link(made);
  std::vector<double> result(made.stages.size());
  for (std::size_t e = 0; e < crossing.size();) {
    const std::size_t from = crossing[e].from;
    double sent = 0;
    for (; e < crossing.size() && crossing[e].from == from; ++e) {
      const double seconds = link(stage_of[from], crossing[e].to, output_of(made, from));
      result[crossing[e].to] += seconds;
      sent = std::max(sent, seconds);
    }
    result[stage_of[from]] += sent;
  }
  for (std::size_t s = 0; s < result.size(); ++s) {
    if (made.stages[s].on_cpu) result[s] = 0;
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
