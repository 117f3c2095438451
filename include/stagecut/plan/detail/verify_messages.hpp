// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/plan/detail/check_notes.hpp>
#include <stagecut/plan/detail/verified_plan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>

// What the stages of a plan send to each other.
namespace stagecut::inline STAGECUT_ABI::detail {

/// A dependency: a stage needs the output of a layer of an earlier one.
struct stage_need {
  std::size_t from = 0;
  std::size_t to = 0;
  std::size_t layer = 0;

  friend bool operator==(const stage_need&, const stage_need&) = default;
};

/// The dependencies of all layers, by both stages, without duplicates. The backward pass sends back along the same
/// edges.
[[nodiscard]] inline std::vector<stage_need> stage_needs(const verified_plan& all) {
  std::vector<stage_need> needs;
  for (const auto& [from, to] : all.flow) {
    if (from >= all.stage_of.size() || to >= all.stage_of.size() || all.model.layers[from].is_backward) continue;
    if (all.stage_of[from] < all.stage_of[to]) needs.push_back({all.stage_of[from], all.stage_of[to], from});
  }
  std::stable_sort(needs.begin(), needs.end(), [](const stage_need& a, const stage_need& b) {
    return a.from != b.from ? a.from < b.from : a.to != b.to ? a.to < b.to : a.layer < b.layer;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (i == 0 || needs[i] != needs[kept - 1]) needs[kept++] = needs[i];
  }
  needs.resize(kept);
  return needs;
}

/// The boundaries of a chain with empty stages, which forward what they receive. None if no stage is empty.
[[nodiscard]] inline std::vector<planned_edge> handed_on(const verified_plan& all) {
  std::vector<planned_edge> result;
  if (!all.made.edges.empty() || !all.made.assignment.empty() || !all.model.edges.empty()) return result;
  bool any = false;
  double bytes = 0;
  for (std::size_t s = 0; s < all.stages(); ++s) {
    any = any || all.layers[s].empty();
    if (!all.layers[s].empty()) bytes = all.figures[all.layers[s].back()].output;
    if (s + 1 < all.stages()) result.push_back({s, s + 1, bytes});
  }
  if (!any) result.clear();
  return result;
}

/// The boundaries of a graph whose stages forward what passes them, which its plan expresses by an edge from each to
/// the next and no others: what crosses each boundary. None if the plan has other edges.
[[nodiscard]] inline std::vector<planned_edge> crossing_edges(const verified_plan& all,
                                                              const std::vector<stage_need>& needs) {
  const std::vector<planned_edge>& said = all.made.edges;
  bool row = said.size() + 1 == all.stages();
  for (std::size_t e = 0; e < said.size(); ++e) row = row && said[e].from == e && said[e].to == e + 1;
  if (!row || said.empty()) return {};
  std::vector<std::size_t> reaches(all.stage_of.size());  // for each layer, the last stage that needs it
  for (const auto& [from, to, layer] : needs) {
    reaches[layer] = std::max(reaches[layer], to);
  }
  std::vector<planned_edge> result;
  for (std::size_t s = 0; s + 1 < all.stages(); ++s) {
    result.push_back({s, s + 1, 0});
    for (std::size_t i = 0; i < reaches.size(); ++i) {
      if (all.stage_of[i] <= s && reaches[i] > s) result.back().bytes += all.figures[i].output;
    }
  }
  return result;
}

/// The edges between stages: the output of each producer with a consumer on the other stage, once; or what is
/// forwarded.
[[nodiscard]] inline std::vector<planned_edge> needed_edges(const verified_plan& all) {
  std::vector<planned_edge> result = handed_on(all);
  if (!result.empty()) return result;
  const std::vector<stage_need> needs = detail::stage_needs(all);
  result = detail::crossing_edges(all, needs);
  if (!result.empty()) return result;
  for (const auto& [from, to, layer] : needs) {
    if (result.empty() || result.back().from != from || result.back().to != to) result.push_back({from, to, 0});
    result.back().bytes += all.figures[layer].output;
  }
  // An edge with 0 bytes may be superfluous: it distinguishes stages without any messages from a chain.
  for (const planned_edge& edge : all.made.edges) {
    if (edge.bytes == 0 && edge.from < edge.to && edge.to < all.stages() && result.empty()) result.push_back(edge);
  }
  return result;
}

[[nodiscard]] inline std::string edge_text(std::size_t e, std::size_t from, std::size_t to) {
  return joined({"edge ", e, " (", from, " -> ", to, ")"});
}

/// Compares the edges of a plan, or the boundaries of its chain, with those that are needed.
inline void compare_edges(const verified_plan& all, check_notes& notes) {
  const std::vector<planned_edge>& said = all.made.edges;
  if (said.empty()) {
    if (all.stages() > 1 && (!all.flow.empty() && !all.model.edges.empty())) {
      return notes.broken("", "the profile is a graph, and there are no edges between the stages");
    }
    for (std::size_t e = 0; e + 1 < all.stages() || e < all.edges.size(); ++e) {
      if (e < all.edges.size() && all.edges[e].from == e && all.edges[e].to == e + 1) continue;
      return notes.broken(edge_text(e, e, e + 1), "its stages are no chain, and it has no edges between them");
    }
    return;
  }
  for (std::size_t e = 0; e < said.size() || e < all.edges.size(); ++e) {
    if (e >= said.size()) {
      const planned_edge& each = all.edges[e];
      return notes.broken(edge_text(e, each.from, each.to), "is missing", 0, each.bytes);
    }
    const std::string place = edge_text(e, said[e].from, said[e].to);
    const bool here = e < all.edges.size() && all.edges[e].from == said[e].from && all.edges[e].to == said[e].to;
    if (here) {
      notes.compare(place, "its bytes are not those of the layers that are needed", said[e].bytes, all.edges[e].bytes);
    } else if (e < all.edges.size()) {
      return notes.broken(place,
                          joined({"the next that is needed leads from ", all.edges[e].from, " to ", all.edges[e].to}));
    } else {
      return notes.broken(place, "no layer needs it");
    }
  }
}

/// Checks the links of a plan.
inline void verify_links(const verified_plan& all, check_notes& notes) {
  const auto& [kind, links] = all.made.messages;
  const bool known = kind == "link" || kind == "latency" || kind == "stream" || kind == "blocking";
  if (links.empty() ? !kind.empty() : !known) {
    notes.broken("", joined({"there are no messages of the kind ", in_quotes(kind), ", or no links"}));
  }
  const std::size_t messages = all.made.edges.empty() ? all.stages() - 1 : all.made.edges.size();
  if (links.size() > 1 && links.size() != messages) {
    notes.broken("", "there is neither one link nor one for each edge", static_cast<double>(links.size()),
                 static_cast<double>(messages));
  }
  for (std::size_t e = 0; e < links.size(); ++e) {
    for (const double each : {links[e].latency, links[e].bandwidth}) {
      if (!is_finite(each) || is_negative(each)) notes.broken(joined({"link ", e}), "is negative or not finite");
    }
  }
}

/// Checks the edges between the stages; records those that are needed.
[[nodiscard]] inline plan_check verify_messages(verified_plan& all) {
  check_notes notes("messages");
  if (all.stage_of.empty()) {
    notes.not_checked("", no_stages);
    return notes.take();
  }
  all.edges = detail::needed_edges(all);
  double found = 0;
  double said = 0;
  for (const planned_edge& edge : all.edges) found += edge.bytes;
  for (const planned_edge& edge : all.made.edges) said += edge.bytes;
  detail::compare_edges(all, notes);
  detail::verify_links(all, notes);
  all.edges_hold = !notes.is_broken();
  notes.figures(all.made.edges.empty() ? std::nullopt : std::optional<double>(said), found);
  return notes.take();
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
