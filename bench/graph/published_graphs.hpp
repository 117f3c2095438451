// SPDX-License-Identifier: BSL-1.0
// Published graphs, from the workload folder.
#pragma once

#include <stagecut/graph/graph_of_profile.hpp>
#include <stagecut/graph/operator_graph.hpp>
#include <stagecut/io/read_profile.hpp>
#include <stagecut/profile/profile.hpp>

#include <filesystem>
#include <string>

namespace bench {

/// The published operator graphs.
inline constexpr const char* published_graphs[] = {"layer/bert24_inference",      "layer/bert24_training",
                                                   "layer/gnmt_inference",        "layer/gnmt_training",
                                                   "layer/resnet50_inference",    "layer/resnet50_training",
                                                   "operator/bert_l-3_inference", "operator/bert_l-3_training",
                                                   "operator/bert_l-6_inference", "operator/bert_l-6_training"};

/// A model with its operators.
struct model_graph {
  stagecut::profile model{};
  stagecut::operator_graph graph{};
};

/// One of `published_graphs`.
inline model_graph published_graph(const std::filesystem::path& folder, const std::string& name) {
  model_graph result;
  result.model = stagecut::io::read_profile((folder / "dnn-partitioning" / (name + ".json")).string());
  result.graph = stagecut::graph_of(result.model);
  return result;
}

}  // namespace bench
