// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/profile/layer_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A partition from a caller, checked: the stage of each element.
class given_partition {
 public:
  std::vector<std::uint32_t> stage_of{};
  std::size_t stages = 0;

  /// @param parts     the elements and their precedence
  /// @param given     the stage of each operator
  /// @param count     of stages; 0: one more than the greatest number given
  /// @param renumber  whether stages may be renumbered if edges lead to lower ones
  /// @throws          argument_error with the operator, the group, or the stages of a cycle and its edges
  given_partition(const char* function, const operator_graph& graph, const contraction& parts,
                  const std::vector<std::size_t>& given, std::size_t count, bool renumber)
      : stages(count), function_(function), graph_(graph), parts_(parts) {
    if (given.size() != graph.operators.size()) {
      refuse("stage_of.size()", std::to_string(given.size()),
             joined({"must be the number of operators, ", graph.operators.size()}));
    }
    for (std::size_t v = 0; count == 0 && v < given.size(); ++v) {
      if (given[v] < given.size()) stages = std::max(stages, given[v] + 1);
    }
    if (stages == 0) stages = 1;
    for (std::size_t v = 0; v < given.size(); ++v) check(given, v);
    for (std::size_t e = 0; e < parts.elements(); ++e) {
      stage_of.push_back(static_cast<std::uint32_t>(given[parts.operators_of(e)[0]]));
    }
    if (const std::string down = edge_down(); !down.empty()) put_in_order(renumber, down);
    check_fixed();
  }

 private:
  void refuse(const std::string& argument, const std::string& value, const std::string& requirement) const {
    fail(argument_error(function_, argument, value, requirement));
  }
  [[nodiscard]] std::string name_of(std::size_t v) const {
    return graph_.names.empty() ? std::to_string(v) : operator_text(graph_, v);
  }

  void check(const std::vector<std::size_t>& given, std::size_t v) const {
    const std::string argument = joined({"stage_of[", v, "]"});
    const std::string value = given[v] == graph_operator::none ? "none" : std::to_string(given[v]);
    if (given[v] >= stages) refuse(argument, value, joined({"must be below the number of stages, ", stages}));
    const std::size_t first = parts_.operators_of(parts_.element_of(v))[0];
    if (given[v] == given[first]) return;
    const std::size_t group = graph_.operators[v].group;
    const bool same = group != graph_operator::none && group == graph_.operators[first].group;
    refuse(argument, value,
           joined({"must be that of ", operator_text(graph_, first), ", ", given[first],
                   same ? ", which is of the same group" : ", from which groups and cycles keep it"}));
  }

  void check_fixed() const {
    for (std::size_t e = 0; e < stage_of.size(); ++e) {
      for (const std::size_t v : parts_.operators_of(e)) {
        const std::size_t fixed = graph_.operators[v].stage;
        if (fixed == graph_operator::none || fixed == stage_of[e]) continue;
        refuse(joined({"stage_of[", v, "]"}), std::to_string(stage_of[e]),
               joined({"must be ", fixed, ", which is fixed"}));
      }
    }
  }

  /// An edge to a lower stage, in words; empty if there is none.
  [[nodiscard]] std::string edge_down() const {
    for (std::size_t e = 0; e < stage_of.size(); ++e) {
      for (const precedence::element to : parts_.below().successors(e)) {
        if (stage_of[e] > stage_of[to]) return edge_between(e, to);
      }
    }
    return {};
  }

  /// The edge of operators that requires a pair of elements.
  [[nodiscard]] std::string edge_between(std::size_t e, std::size_t to) const {
    for (const operator_edge& edge : graph_.edges) {
      const bool back = graph_.operators[edge.from].is_backward;
      const std::size_t before = parts_.element_of(back ? edge.to : edge.from);
      const std::size_t behind = parts_.element_of(back ? edge.from : edge.to);
      if (back == graph_.operators[edge.to].is_backward && before == e && behind == to) {
        return joined({"the edge ", name_of(edge.from), " -> ", name_of(edge.to)});
      }
    }
    return "an edge";
  }

  /// Numbers the stages topologically.
  void put_in_order(bool renumber, const std::string& down) {
    layer_graph edges(stages);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (std::size_t e = 0; e < stage_of.size(); ++e) {
      for (const precedence::element to : parts_.below().successors(e)) {
        if (stage_of[e] != stage_of[to]) pairs.emplace_back(stage_of[e], stage_of[to]);
      }
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    for (const auto& [from, to] : pairs) edges.join(from, to);
    if (const auto cycle = edges.cycle(); !cycle.empty()) refuse_cycle(cycle);
    if (!renumber) {
      refuse("stage_of", "{…}", "must not lead to lower stages, as " + down + " does, where stages are not alike");
    }
    const auto order = edges.order();
    std::vector<std::uint32_t> number(stages);
    for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = static_cast<std::uint32_t>(i);
    for (std::uint32_t& stage : stage_of) stage = number[stage];
  }

  void refuse_cycle(const std::vector<std::size_t>& cycle) const {
    std::string stages_text;
    std::string edges_text;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      stages_text += std::to_string(cycle[i]) + " -> ";
      const std::size_t next = cycle[i + 1 < cycle.size() ? i + 1 : 0];
      if (i < 4) edges_text += (i == 0 ? "" : ", ") + edge_of_stages(cycle[i], next);
    }
    if (cycle.size() > 4) edges_text += ", ...";
    refuse("stage_of", "{…}",
           joined({"must not make a cycle of stages: ", stages_text, cycle[0], ", by ", edges_text}));
  }
  [[nodiscard]] std::string edge_of_stages(std::size_t from, std::size_t to) const {
    for (std::size_t e = 0; e < stage_of.size(); ++e) {
      for (const precedence::element next : parts_.below().successors(e)) {
        if (stage_of[e] == from && stage_of[next] == to) return edge_between(e, next);
      }
    }
    return {};
  }

  const char* function_;
  const operator_graph& graph_;
  const contraction& parts_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
