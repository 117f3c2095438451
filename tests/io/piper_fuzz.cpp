// SPDX-License-Identifier: BSL-1.0
// Any text is read as a Piper graph, whose layers can all be written in a plan, or rejected with a position.
#include <stagecut/io/graphs/piper.hpp>
#include <stagecut/io/graphs/piper_plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz(data, size, [](std::string_view text, std::string_view source) {
    const auto graph = stagecut::io::parse_piper(text, source, limits_for(text));
    require(!graph.layers.empty() && graph.devices > 0 && graph.microbatches > 0);
    require(stagecut::is_finite(graph.bandwidth) && graph.bandwidth > 0);
    std::vector<std::size_t> in(graph.layers.size(), 0);
    std::vector<std::size_t> out(graph.layers.size(), 0);
    for (const auto& edge : graph.edges) {
      require(edge.from < graph.layers.size() && edge.to < graph.layers.size() && edge.from != edge.to);
      ++out[edge.from];
      ++in[edge.to];
    }
    std::vector<stagecut::variant_stage> stages;
    for (std::size_t v = 0; v < graph.layers.size(); ++v) {
      for (const auto& divided : graph.layers[v].divided) {
        for (std::size_t r = 0; r < divided.variants.size(); ++r) {
          require(divided.variants[r].received_bytes.size() == in[v] && divided.variants[r].sent_bytes.size() == out[v]);
          stages.push_back({{v}, 1, divided.tensor_parallel, {r}});
        }
      }
    }
    require(stagecut::io::as_piper_plan(graph, stages).ends_with("]}"));
  });
}
