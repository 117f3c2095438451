// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "drawn_chains.hpp"

#include <stagecut/io/file.hpp>
#include <stagecut/io/json/transformer_config.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/transformer.hpp>

#include <cstddef>
#include <string>

// Chains for schedules with several stages a device: those of models that people have, beside drawn ones.
namespace bench {

/// The configurations in examples/models.
inline constexpr const char* transformers[] = {"bert-large", "gpt2-xl",        "gpt3-175b",   "llama-2-70b",
                                               "llama-2-7b", "llama-3.1-405b", "mixtral-8x7b"};

/// One of them, on A100s: the embedding, the layers, the norm with the head. All items but the first and the last
/// are alike.
/// @param folder  examples/models
/// @throws        stagecut::invalid_input as `read_transformer_config`
inline chain transformer_chain(const std::string& folder, const std::string& name) {
  const std::string path = folder + "/" + name + ".json";
  const auto config = stagecut::io::read_transformer_config(stagecut::io::file_text(path), path);
  const auto profile = stagecut::transformer::profile(config.architecture, config.training);
  chain made;
  for (std::size_t i = 0; i < profile.layers.size(); ++i) {
    const stagecut::layer& each = profile.layers[i];
    double resident = each.resident.value_or(0);
    for (const auto& tied : each.tied) resident += tied.resident.value_or(0);
    if (i == 0 || each.group.empty() || each.group != profile.layers[i - 1].group) {
      for (auto* to : {&made.times.forward, &made.times.backward, &made.times.weight}) to->push_back(0);
      for (auto* to : {&made.resident, &made.activations}) to->push_back(0);
    }
    made.times.forward.back() += each.forward;
    made.times.backward.back() += each.backward;
    made.times.weight.back() += each.backward_weight.value_or(0);
    made.resident.back() += resident;
    made.activations.back() += each.activations;
  }
  return made;
}

}  // namespace bench
