// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/memory_shortage.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/parts/held_microbatches.hpp>
#include <stagecut/engine/shortage.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL bool memory_fit::is_over() {
  if (++steps_ % 4096 == 1 && clock_.look(0)) steps_ = patience + 1;
  return steps_ > patience;
}

STAGECUT_DECL reason too_large_block(const profile& model, const cuts& blocks, const training_memory& memory,
                                     const std::vector<stage_moments>& held, double bytes) {
  const std::size_t stages = held.size();
  reason why{reason::cause::memory, 0, engine::floor_bytes(bytes)};
  double most = bytes;
  for (std::size_t b = 0; b < blocks.stages(); ++b) {
    const std::size_t first = blocks[b];
    const std::size_t last = blocks[b + 1];
    std::optional<double> least;
    const std::size_t lowest = stages > blocks.stages() - b ? stages - (blocks.stages() - b) : 0;
    for (std::size_t s = lowest; s <= b && s < stages; ++s) {
      const double here = memory.share(first, last, held[s]);
      if (!least || here < *least) least = here;
    }
    if (!(*least > most)) continue;
    most = *least;
    why.what = reason::cause::layer_too_large;
    why.needed = engine::whole_bytes(*least);
    why.place = layer_text(model, first);
    if (last - first > 1) {
      const std::string &from = model.layers[first].name, &to = model.layers[last - 1].name;
      why.place = joined({"the group of layers ", first, " to ", last - 1});
      if (!from.empty() && !to.empty()) why.place += joined({" (", in_quotes(from), " to ", in_quotes(to), ")"});
    }
  }
  return why;
}

STAGECUT_DECL std::vector<std::size_t> offered_degrees(const profile& model) {
  std::vector<std::size_t> result;
  for (const auto& layer : model.layers) {
    for (const layer_variant& variant : layer.shardings.get()) {
      if (variant.tensor_parallel > 1) result.push_back(variant.tensor_parallel);
    }
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

STAGECUT_DECL profile sharded_by(profile model, std::size_t degree) {
  for (auto& layer : model.layers) {
    const layer_variant* chosen = nullptr;
    for (const layer_variant& variant : layer.shardings.get()) {
      if (variant.tensor_parallel != degree) continue;
      if (chosen == nullptr || (!chosen->recomputation.empty() && variant.recomputation.empty())) chosen = &variant;
    }
    if (chosen == nullptr) continue;
    layer.parameters = chosen->parameters;
    layer.resident = chosen->resident;
    layer.activations = chosen->activations;
    layer.workspace = chosen->workspace;
    layer.recomputed = chosen->recomputed;
  }
  return model;
}

STAGECUT_DECL std::string sharding_remedy(const profile& model, const cuts& blocks, const memory_options& options,
                                          const std::vector<stage_moments>& held, double bytes,
                                          const search_options& limits) {
  for (const std::size_t degree : offered_degrees(model)) {
    const training_memory shared(sharded_by(model, degree), options);
    memory_fit fits(blocks, shared, limits);
    if (fits(held, bytes) == true) return joined({"sharding every layer ", degree, " ways would do"});
  }
  return "";
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
