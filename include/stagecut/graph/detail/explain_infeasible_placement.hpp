// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/detail/communication_elements.hpp>
#include <stagecut/graph/operator_graph.hpp>

// Why operators cannot be placed, if that is evident without a search.
namespace stagecut::inline STAGECUT_ABI::detail {

/// A weight in readable form.
[[nodiscard]] inline std::string weight_text(double weight) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", weight);
  return text;
}

/// The path by which edges lead out of a group and back into it, within an element: `0 -> 1 -> 4, of group 2 as 0`.
/// Empty: none.
class closed_cycle {
 public:
  closed_cycle(const operator_graph& graph, const contraction& parts, std::size_t element)
      : graph_(graph), parts_(parts), came_by_(graph.operators.size(), unseen) {
    next_.resize(graph.operators.size());
    for (std::size_t i = 0; i < graph.edges.size(); ++i) {
      const auto inside = [&](std::size_t v) { return parts.element_of(v) == element; };
      const operator_edge& each = graph.edges[i];
      if (inside(each.from) && inside(each.to) && !same_group(each.from, each.to)) next_[each.from].push_back(i);
    }
    for (const std::size_t v : parts.operators_of(element)) {
      if (graph.operators[v].group != graph_operator::none && text_.empty()) look(v, parts.operators_of(element));
    }
  }

  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  static constexpr std::size_t unseen = graph_operator::none;

  [[nodiscard]] bool same_group(std::size_t a, std::size_t b) const {
    return a == b || (graph_.operators[a].group != graph_operator::none &&
                      graph_.operators[a].group == graph_.operators[b].group);
  }

  /// Finds the shortest path from the group of an operator back to it.
  void look(std::size_t begin, view<const std::size_t> members) {
    std::fill(came_by_.begin(), came_by_.end(), unseen);
    std::vector<std::size_t> reached;
    for (const std::size_t v : members) {
      if (same_group(v, begin)) reached.push_back(v);
    }
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const std::size_t by : next_[reached[i]]) {
        const std::size_t to = graph_.edges[by].to;
        if (same_group(to, begin)) return write(by, begin);
        if (came_by_[to] != unseen) continue;
        for (const std::size_t v : members) {
          if (same_group(v, to)) came_by_[v] = by, reached.push_back(v);
        }
      }
    }
  }

  void write(std::size_t last, std::size_t begin) {
    std::vector<std::size_t> edges{last};
    while (!same_group(graph_.edges[edges.back()].from, begin))
      edges.push_back(came_by_[graph_.edges[edges.back()].from]);
    std::reverse(edges.begin(), edges.end());
    text_ = std::to_string(graph_.edges[edges[0]].from);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const std::size_t to = graph_.edges[edges[i]].to;
      const std::size_t next = graph_.edges[edges[i + 1 < edges.size() ? i + 1 : 0]].from;
      text_ += joined({" -> ", to});
      if (to == next) continue;
      text_ += joined({", of group ", graph_.operators[to].group, " as ", next});
      if (i + 1 < edges.size()) text_ += joined({", ", next});
    }
  }

  const operator_graph& graph_;
  const contraction& parts_;
  std::vector<std::vector<std::size_t>> next_{};  // edges that leave a group, by operator
  std::vector<std::size_t> came_by_;
  std::string text_{};
};

/// An element in an explanation.
[[nodiscard]] inline std::string placed_text(const operator_graph& graph, const contraction& parts, std::size_t e) {
  const auto operators = parts.operators_of(e);
  const std::string first = operator_text(graph, operators[0]);
  if (operators.size() == 1) return first;
  return joined({first, " and the ", operators.size() - 1, " that share its device"});
}

/// What closes a cycle, if anything does, for the end of an explanation.
[[nodiscard]] inline std::string cycle_text(const operator_graph& graph, const contraction& parts, std::size_t e) {
  if (parts.operators_of(e).size() < 2) return "";
  const closed_cycle cycle(graph, parts, e);
  return cycle.text().empty() ? "" : joined({": a group closes the cycle ", cycle.text()});
}

/// For an element whose operators are fixed to several devices, or to one that does not exist.
[[nodiscard]] inline std::string fixed_apart(const operator_graph& graph, const communication_elements& elements,
                                             std::size_t e) {
  std::size_t first = graph_operator::none;
  for (const std::size_t v : elements.parts().operators_of(e)) {
    const std::size_t device = graph.operators[v].stage;
    if (device == graph_operator::none) continue;
    if (device >= elements.devices()) {
      return joined({operator_text(graph, v), " has to stand on device ", device, " of ", elements.devices()});
    }
    if (first == graph_operator::none) first = v;
    if (device == graph.operators[first].stage) continue;
    return joined({operator_text(graph, first), " has to stand on device ", graph.operators[first].stage, ", and ",
                   operator_text(graph, v), ", which shares it, on device ", device,
                   cycle_text(graph, elements.parts(), e)});
  }
  return "";
}

/// For an element that edges from and to fixed operators leave no device.
[[nodiscard]] inline std::string fixed_backwards(const operator_graph& graph, const communication_elements& elements,
                                                 std::size_t e) {
  const auto fixed_at = [&](bool back, std::size_t device) -> std::size_t {
    std::vector<bool> seen(elements.size());
    std::vector<std::size_t> reached{e};
    for (std::size_t i = 0; i < reached.size(); ++i) {
      for (const std::size_t v : elements.parts().operators_of(reached[i])) {
        if (graph.operators[v].stage == device) return v;
      }
      const auto beside = back ? elements.below().predecessors(reached[i]) : elements.below().successors(reached[i]);
      for (const std::size_t to : beside) {
        if (!seen[to]) seen[to] = true, reached.push_back(to);
      }
    }
    return graph_operator::none;
  };
  const std::size_t before = fixed_at(true, elements.first(e));
  const std::size_t behind = fixed_at(false, elements.last(e));
  return joined({operator_text(graph, before), " has to stand on device ", elements.first(e), ", and ",
                 operator_text(graph, behind), ", to which edges lead from it, on device ", elements.last(e)});
}

/// For an element that exceeds a device; empty if it does not.
[[nodiscard]] inline std::string too_heavy(const operator_graph& graph, const communication_elements& elements,
                                           std::size_t e) {
  const auto& held = elements.of(e);
  if (held.within(elements.most())) return "";
  const bool variables = held.variables > elements.most().variables;
  const double has = variables ? elements.variables(held.variables) : elements.operations(held.operations);
  const double most =
      variables ? elements.variables(elements.most().variables) : elements.operations(elements.most().operations);
  return joined({placed_text(graph, elements.parts(), e), " weigh",
                 elements.parts().operators_of(e).size() == 1 ? "s " : " ", weight_text(has), " in ",
                 variables ? "variables" : "operations", ", and a device takes at most ", weight_text(most),
                 cycle_text(graph, elements.parts(), e)});
}

/// Evident causes: operators without a device, elements that are too heavy, fewer elements than devices.
[[nodiscard]] inline std::optional<reason> explain_infeasible_placement(const operator_graph& graph,
                                                                        const communication_elements& elements) {
  const auto because = [](std::string place, const char* remedy) {
    return reason{reason::cause::constraint, 0, 0, std::move(place), remedy};
  };
  for (std::size_t e = 0; e < elements.size(); ++e) {
    if (std::string text = fixed_apart(graph, elements, e); !text.empty()) return because(std::move(text), "");
  }
  for (std::size_t e = 0; e < elements.size(); ++e) {
    if (elements.first(e) > elements.last(e)) return because(fixed_backwards(graph, elements, e), "");
    if (std::string text = too_heavy(graph, elements, e); !text.empty()) {
      return because(std::move(text), "allow more imbalance, or fewer devices");
    }
  }
  if (!elements.may_empty() && elements.devices() > elements.size()) {
    return reason{reason::cause::more_stages_than_layers, elements.devices(), elements.size(), "",
                  "allow fewer, or part what shares a device"};
  }
  return std::nullopt;
}

/// The reason if it was proved that there is no placement.
[[nodiscard]] inline reason no_placement(const communication_elements& elements) {
  return {reason::cause::constraint, 0, 0,
          joined({"no placement on ", elements.devices(), " devices holds at most ",
                  weight_text(elements.variables(elements.most().variables)), " of the variables and ",
                  weight_text(elements.operations(elements.most().operations)), " of the operations on each",
                  elements.ordered() ? " with edges to the same or a later one" : ""}),
          elements.ordered() ? "allow more imbalance, or devices that are not contiguous" : "allow more imbalance"};
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
