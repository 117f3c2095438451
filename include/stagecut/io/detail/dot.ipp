// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/graphs/dot.hpp>

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

/// The attributes of a layer that differ from the defaults.
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

STAGECUT_DECL profile parse_dot(std::string_view text, std::string_view source, const read_limits& limits) {
  detail::check_size(text, source, limits);
  return detail::dot_reader(text, source).read();
}

STAGECUT_DECL std::string as_dot(const plan& made) {
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
