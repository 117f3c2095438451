// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/chain_model.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/stage_memory.hpp>
#include <stagecut/profile/training_memory.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL chain_model::chain_model(const profile& model, const memory_options& options, cuts blocks)
    : blocks_(checked(model, std::move(blocks))),
      memory_(model, options),
      times_(times_of(model, options, blocks_)),
      splits_(model.splits_backward()),
      checkpointed_(options.checkpoint == checkpointing::always) {
  if (!model.edges.empty()) {
    detail::fail(argument_error("chain_model", "model.edges", std::to_string(model.edges.size()),
                                "must be empty: see as_chain"));
  }
  if (options.checkpoint == checkpointing::except_last) {
    detail::fail(argument_error("chain_model", "options.checkpoint", "except_last",
                                "has no equal microbatches: take never or always"));
  }
}

STAGECUT_DECL cuts chain_model::checked(const profile& model, cuts blocks) {
  if (blocks.items() != model.layers.size()) {
    detail::fail(argument_error("chain_model", "blocks.items()", std::to_string(blocks.items()),
                                detail::joined({"must be the number of layers, ", model.layers.size()})));
  }
  return blocks;
}

STAGECUT_DECL split_item_times chain_model::times_of(const profile& model, const memory_options& options,
                                                     const cuts& blocks) {
  const std::size_t n = blocks.stages();
  std::vector<double> forward(n);
  std::vector<double> backward(n);
  std::vector<double> input(n);
  std::vector<double> weight(n);
  std::vector<double> sent(n);
  for (std::size_t b = 0; b < n; ++b) {
    for (std::size_t i = blocks[b]; i < blocks[b + 1]; ++i) {
      const layer& each = model.layers[i];
      forward[b] += each.forward;
      const double again = options.checkpoint == checkpointing::always ? each.forward : 0;
      const double of_weight = each.backward_weight.value_or(0);
      backward[b] += each.backward + again;
      input[b] += each.backward_input.value_or(each.backward - of_weight) + again;
      weight[b] += of_weight;
      sent[b] = each.output;
    }
    if (input[b] < 0) input[b] = 0;  // for a layer that has only its weight gradient
  }
  if (!model.splits_backward()) input = backward, weight.assign(n, 0);
  return {std::move(forward), std::move(backward), std::move(input), std::move(weight), std::move(sent)};
}

}  // namespace stagecut::inline STAGECUT_ABI
