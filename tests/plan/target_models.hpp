// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/profile.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "random_requests.hpp"

/// Models of kinds that frameworks know, and which cuts of these a framework runs: the rules once more, from the cut.
namespace target_models {

using points = std::vector<std::size_t>;

/// A layer of each kind, named `l0`, `l1`, …, with times and memory.
inline stagecut::profile of_kinds(const std::vector<std::string>& kinds) {
  stagecut::profile model;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    stagecut::layer& each = model.layers.emplace_back();
    each.name = "l" + std::to_string(i);
    each.kind = kinds[i];
    each.forward = 1, each.backward = 2;
    each.parameters = 10, each.activations = 1;
  }
  return model;
}

/// Lets two layers share parameters.
inline stagecut::profile tied(stagecut::profile model, std::size_t i, std::size_t j) {
  for (const std::size_t each : {i, j}) model.layers[each].tied.push_back({"t", 1, std::nullopt});
  return model;
}

/// A transformer, now and then with a tower in front, multi-token prediction, and the norm in front of that or behind it.
inline stagecut::profile random_transformer(random_requests::dice& random, std::size_t most_decoders) {
  std::vector<std::string> kinds;
  if (random.up_to(2) == 0) kinds.insert(kinds.end(), {"vision_embedding", "vision"});
  if (random.up_to(3) == 0) kinds.emplace_back("projector");
  kinds.emplace_back("embedding");
  for (std::size_t i = 1 + random.up_to(most_decoders - 1); i-- > 0;) kinds.emplace_back("decoder");
  const bool first = random.up_to(1) == 0;
  if (first) kinds.emplace_back("norm");
  for (std::size_t i = random.up_to(2); i > 0; --i) kinds.emplace_back("mtp");
  if (!first && random.up_to(1) == 0) kinds.emplace_back("norm");
  kinds.emplace_back("head");
  stagecut::profile model = of_kinds(kinds);
  for (auto& layer : model.layers) {
    layer.forward = 1 + random.whole(8), layer.backward = 1 + random.whole(8);
    layer.parameters = 1 + random.whole(50), layer.activations = 1 + random.whole(20);
  }
  return model;
}

/// Whether a framework builds the layers of that cut where they are, by what each says of its stages.
inline bool is_built(stagecut::framework to, const stagecut::profile& model, const points& cut, std::size_t devices) {
  using stagecut::framework;
  const std::size_t last = cut.size() - 2;
  std::vector<std::size_t> stages, decoders(last + 1);
  std::size_t last_decoder = last, mtp = last + 1;
  for (std::size_t s = 0; s <= last; ++s) stages.resize(cut[s + 1], s);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::string& kind = model.layers[i].kind;
    if (kind == "decoder") last_decoder = stages[i], ++decoders[stages[i]];
    if (kind == "mtp" && mtp > last) mtp = stages[i];
  }
  const bool megatron = to == framework::megatron || to == framework::megatron_flags;
  const bool counts =
      to == framework::megatron_flags || to == framework::vllm || to == framework::sglang || to == framework::sapp;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const std::string& kind = model.layers[i].kind;
    const bool tower = kind == "vision_embedding" || kind == "vision" || kind == "projector";
    std::size_t place = stages[i];
    if (tower && (megatron || counts || to == framework::torchtitan)) place = 0;
    if (kind == "embedding" && (megatron || counts || to == framework::torchtitan)) place = 0;
    if (kind == "mtp" && to == framework::torchtitan) return false;
    if (kind == "head" && (megatron || counts)) place = last;
    if (kind == "norm" && (megatron || counts)) place = megatron && mtp <= last ? last_decoder : last;
    if (kind == "mtp" && to == framework::megatron) place = mtp;
    if (kind == "mtp" && to == framework::megatron && mtp + devices <= last) return false;
    if (kind == "mtp" && counts) place = last;
    if (stages[i] != place) return false;
  }
  // Of several stages a device the embedding and the loss may be accounted for, each as a decoder.
  const bool accounts = to == framework::megatron_flags && last + 1 != devices;
  const std::size_t each = last > 1 ? decoders[1] : std::max(decoders[0], decoders[last]);
  for (std::size_t s = 0; s <= last && counts; ++s) {
    if (accounts && (s == 0 || s == last) && decoders[s] + 1 == each) continue;
    const bool between = s != 0 && s != last;
    // MindFormers lets the stages of the head and the tail do without.
    if (decoders[s] == 0 && (between || to != framework::sapp || last == 0)) return false;
    if (to == framework::megatron_flags && last + 1 == devices && between && decoders[s] != decoders[1]) return false;
    if (accounts && decoders[s] != each) return false;
  }
  return true;
}

/// Calls `use(cut)` for every cut of a model into `stages` stages.
template <class Use>
void each_cut(const stagecut::profile& model, std::size_t stages, const Use& use) {
  stagecut::plan_request any;
  any.devices = stages;
  random_requests::each_cut(model, any, use);
}

}  // namespace target_models
