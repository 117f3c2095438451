// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/io/detail/dot_reader.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/io/detail/graph_plan.hpp>
#include <stagecut/io/detail/json_layer.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The attributes of a layer that are not the usual ones.
[[nodiscard]] inline std::string dot_attributes(const layer& each) {
  std::string text;
  const auto put = [&](std::string_view key, std::string_view value) {
    text += joined({text.empty() ? "" : ", ", key, "=", detail::quoted(value)});
  };
  const auto figure = [&](std::string_view key, const std::optional<double>& value) {
    if (value) put(key, shortest_text(*value));
  };
  stagecut::detail::each_figure(each, [&](std::string_view key, const std::optional<double>& value) {
    if (key == "backward" ? value != usual_backward(each) : key == "resident" || value != 0) figure(key, value);
  });
  figure("cpu", each.cpu);
  if (!each.kind.empty()) put("kind", each.kind);
  if (!each.group.empty()) put("group", each.group);
  if (each.stage) put("stage", std::to_string(*each.stage));
  if (!each.accelerator) put("accelerator", "false");
  if (each.is_backward) put("pass", "backward");
  return text;
}

/// The attributes of the graph: its machine.
[[nodiscard]] inline std::string dot_machine(const stated_machine& machine) {
  std::string text;
  const auto put = [&](std::string_view key, const std::string& value) {
    text += joined({"  ", key, "=", detail::quoted(value), ";\n"});
  };
  if (machine.devices != 0) put("devices", std::to_string(machine.devices));
  if (machine.cpus != 0) put("cpus", std::to_string(machine.cpus));
  if (machine.memory) put("memory", shortest_text(*machine.memory));
  if (machine.link) put("latency", shortest_text(machine.link->latency));
  if (machine.link) put("bandwidth", shortest_text(machine.link->bandwidth));
  return text;
}

}  // namespace detail

/// Reads a graph from a part of DOT, the language of Graphviz.
///
/// `[strict] digraph NAME { ... }` of statements with or without semicolons: nodes `a [...]`, edges
/// `a -> b -> c [...]`, attributes of the graph `key=value` or `graph [...]`, and subgraphs, which are read as if their braces were
/// not there. Names are words, numbers or in double quotes; comments are `//`, `/* */` and lines that begin with `#`. A
/// node has the words of a layer in JSON: the figures (`forward`, `backward`, `output`, ...), `cpu`, `stage`, `kind`,
/// `group`, `accelerator=false`, `pass=backward`; or `weight`, its seconds where neither pass is given. The `weight` of
/// an edge is bytes, the output of its source. The graph has those of `machine`. Other attributes are layout, and left
/// out.
///
/// @param text    the content
/// @param source  what errors call it
/// @param limits  how much is read
/// @return        the nodes as layers, in the order in which they are named first
/// @throws        invalid_input with `SOURCE:LINE`: for a `graph`, an edge `--`, ports, a subgraph as the end of an
///                edge, and defaults (`node [...]`) of what would mean something, none of which is read; a node that
///                sends different weights; an edge that stands twice where the graph is not strict; a cycle; with
///                `SOURCE` if there is no node, or no edge between several, and beyond the limit
///
/// Source: Graphviz, The DOT Language.
[[nodiscard]] inline profile parse_dot(std::string_view text, std::string_view source, const read_limits& limits = {}) {
  detail::check_size(text, source, limits);
  return detail::dot_reader(text, source).read();
}

/// A plan as a graph in DOT: its layers, with what they take, each stage a cluster of its own colour. `parse_dot` reads
/// the layers and edges back, without what DOT has no words for: tied parameters, variants, modules.
///
/// @return  lines; nodes are called by their names, or by their numbers if names are empty or not unique
/// @throws  argument_error if the parts of the plan do not belong together
[[nodiscard]] inline std::string as_dot(const plan& made) {
  detail::check_graph_plan("as_dot", made);
  const std::vector<std::string> names = detail::unique_names(made.profile);
  const std::vector<std::size_t> stages = stage_of_layers(made);
  std::vector<std::vector<std::size_t>> layers(made.stages.size());
  for (std::size_t i = 0; i < stages.size(); ++i) layers[stages[i]].push_back(i);
  std::string text = detail::joined({"digraph ", detail::quoted(made.profile.name), " {\n"});
  text += detail::dot_machine(made.profile.machine);
  text += "  node [shape=box, style=filled];\n";
  for (std::size_t s = 0; s < layers.size(); ++s) {
    text +=
        detail::joined({"  subgraph cluster_", s, " {\n    label=\"stage ", s, made.stages[s].on_cpu ? " on a CPU" : "",
                        "\";\n    node [fillcolor=\"", detail::stage_colour(s), "\"];\n"});
    for (const std::size_t i : layers[s]) {
      const std::string figures = detail::dot_attributes(made.profile.layers[i]);
      text += detail::joined({"    ", detail::quoted(names[i])});
      text += figures.empty() ? std::string(";\n") : detail::joined({" [", figures, "];\n"});
    }
    text += "  }\n";
  }
  for (const auto& [from, to] : detail::all_edges(made.profile)) {
    text += detail::joined({"  ", detail::quoted(names[from]), " -> ", detail::quoted(names[to]), ";\n"});
  }
  return text += "}";
}

}  // namespace stagecut::inline STAGECUT_ABI::io
