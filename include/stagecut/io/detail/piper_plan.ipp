// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/graphs/piper_plan.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/graph_plan.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/json/json_line.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/variant_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// A stage in Piper's format.
struct piper_stage {
  json nodes = json::array();
  json names = json::array();

  void add(std::size_t node, const std::string& variant) {
    nodes.push_back(node);
    names.push_back(json::array({node, variant}));
  }
  [[nodiscard]] std::string text(std::size_t replicas, std::size_t ways) && {
    json made = json::object();
    made["nodes"] = std::move(nodes);
    made["dataParallelDegree"] = replicas;
    made["tensorParallelDegree"] = ways;
    made["TMPCids"] = std::move(names);
    return json_line(made);
  }
};

}  // namespace detail

STAGECUT_DECL std::string as_piper_plan(const variant_graph& graph, const std::vector<variant_stage>& stages) {
  const auto refuse = [](std::size_t s, const char* part, const std::string& value, const char* requirement) {
    detail::fail(argument_error("io::as_piper_plan", detail::joined({"stages[", s, "].", part}), value, requirement));
  };
  std::string text = "{\"stages\": [";
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const variant_stage& stage = stages[s];
    if (stage.variants.size() != stage.layers.size()) {
      refuse(s, "variants", std::to_string(stage.variants.size()), "must be one of each layer");
    }
    detail::piper_stage made;
    for (std::size_t i = 0; i < stage.layers.size(); ++i) {
      if (stage.layers[i] >= graph.layers.size()) {
        refuse(s, "layers", std::to_string(stage.layers[i]), "must be below the number of layers");
      }
      const variant_layer& layer = graph.layers[stage.layers[i]];
      const divided_layer* divided = nullptr;
      for (const divided_layer& each : layer.divided) divided = each.tensor_parallel == stage.tensor_parallel ? &each : divided;
      if (divided == nullptr || stage.variants[i] >= divided->variants.size()) {
        refuse(s, "variants", std::to_string(stage.variants[i]),
               "must be a variant of the layer on this number of devices");
      }
      const std::string& name = divided->variants[stage.variants[i]].name;
      if (!detail::is_utf8(name)) refuse(s, "variants", detail::in_quotes(name), "must be UTF-8");
      made.add(layer.id, name);
    }
    text += s == 0 ? "\n  " : ",\n  ";
    text += std::move(made).text(stage.replicas, stage.tensor_parallel);
  }
  return text += "\n]}";
}

STAGECUT_DECL std::string as_piper(const plan& made) {
  detail::check_graph_plan("as_piper", made);
  std::string text = "{\"stages\": [";
  for (std::size_t s = 0; s < made.stages.size(); ++s) {
    detail::piper_stage stage;
    for (const std::size_t i : layers_of(made, s)) {
      const layer_choice choice = made.choices.empty() ? layer_choice() : made.choices[i];
      const std::string& name = choice.sharding.empty() ? choice.recomputation : choice.sharding;
      if (!detail::is_utf8(name)) {
        detail::fail(argument_error("io::as_piper", detail::joined({"plan#/choices/", i}), detail::in_quotes(name),
                                    "must be UTF-8"));
      }
      stage.add(i, name.empty() ? "vanilla" : name);
    }
    text += s == 0 ? "\n  " : ",\n  ";
    text += std::move(stage).text(made.stages[s].replicas, made.stages[s].tensor_parallel);
  }
  return text += "\n]}";
}

}  // namespace stagecut::inline STAGECUT_ABI::io
