// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/memory_shortage.hpp>

#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/parts/held_microbatches.hpp>
#include <stagecut/engine/shortage.hpp>
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
    std::optional<double> alone;  // as a stage of its own, buffers included
    const std::size_t lowest = stages > blocks.stages() - b ? stages - (blocks.stages() - b) : 0;
    for (std::size_t s = lowest; s <= b && s < stages; ++s) {
      const double here = memory.share(first, last, held[s]);
      if (!least || here < *least) least = here;
      if (!can_stand_alone(b, blocks.stages(), s, stages)) continue;
      const double all = memory.most(first, last, held[s]);
      if (!alone || all < *alone) alone = all;
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
    why.remedy = alone ? joined({"sharded ", engine::whole_bytes(*alone / bytes), " ways it would fit"}) : "";
  }
  return why;
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
