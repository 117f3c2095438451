// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/transformer.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

// Models that people cut, from the figures that their authors publish: what frameworks' formats have to say.
namespace framework_models {

using stagecut::transformer::architecture;
using stagecut::transformer::tying;
using stagecut::transformer::vision_tower;

/// A decoder as Llama: RMS norms, a gate, no biases, no dropout.
inline architecture llama(std::string name, std::size_t layers, std::size_t hidden, std::size_t heads,
                          std::size_t kv_heads, std::size_t ffn, std::size_t vocabulary, std::size_t sequence = 4096) {
  architecture a;
  a.name = std::move(name);
  a.layers = layers, a.hidden = hidden, a.heads = heads, a.kv_heads = kv_heads, a.ffn = ffn;
  a.vocabulary = vocabulary, a.sequence = sequence;
  a.gated = true, a.biases = false, a.dropout = false;
  a.norm = stagecut::transformer::normalization::rmsnorm;
  return a;
}

/// A decoder as GPT-2: learned positions, and the head is the embedding.
inline architecture gpt(std::string name, std::size_t layers, std::size_t hidden, std::size_t heads,
                        std::size_t sequence) {
  architecture a;
  a.name = std::move(name);
  a.layers = layers, a.hidden = hidden, a.heads = heads, a.ffn = 4 * hidden;
  a.vocabulary = 50257, a.positions = sequence, a.sequence = sequence;
  a.tied = tying::replicate;
  return a;
}

inline architecture bert() {
  architecture a = gpt("bert-large", 24, 1024, 16, 512);
  a.vocabulary = 30522, a.token_types = 2, a.encoder = true;
  return a;
}

inline architecture mixtral() {
  architecture a = llama("mixtral-8x7b", 32, 4096, 32, 8, 14336, 32000);
  a.experts = 8, a.top_k = 2;
  return a;
}

inline architecture qwen() {
  architecture a = llama("qwen2.5-7b", 28, 3584, 28, 4, 18944, 152064);
  a.qkv_bias = true;
  return a;
}

inline architecture gemma() {
  architecture a = llama("gemma-7b", 28, 3072, 16, 16, 24576, 256000);
  a.head_dim = 256;
  a.tied = tying::replicate;
  return a;
}

/// DeepSeek-V3: three dense layers, experts behind them, and a layer that guesses one token further.
inline architecture deepseek() {
  architecture a = llama("deepseek-v3", 61, 7168, 128, 128, 18432, 129280);
  a.latent = {1536, 512, 128, 64, 128};
  a.experts = 256, a.top_k = 8, a.expert_ffn = 2048, a.shared_ffn = 2048, a.router_bias = true;
  a.forms.resize(61);
  for (std::size_t i = 0; i < 3; ++i) a.forms[i].dense = true;
  a.mtp_layers = 1;
  return a;
}

/// Qwen2.5-VL: a tower with windows in front, four patches a token.
inline architecture qwen_vl() {
  architecture a = qwen();
  a.name = "qwen2.5-vl-7b";
  vision_tower v;
  v.layers = 32, v.hidden = 1280, v.heads = 16, v.ffn = 3420;
  v.gated = true, v.norm = stagecut::transformer::normalization::rmsnorm;
  v.inputs = 1176, v.patches = 1024, v.window = 64, v.full_layers = {7, 15, 23, 31};
  v.merged = 4, v.projector = {5120}, v.projector_norm = 1280;
  a.vision = v;
  return a;
}

/// LLaVA-1.5: CLIP's tower at 336 pixels, and a projector of two matrices.
inline architecture llava() {
  architecture a = llama("llava-1.5-7b", 32, 4096, 32, 32, 11008, 32000);
  vision_tower v;
  v.layers = 23, v.hidden = 1024, v.heads = 16, v.ffn = 4096;
  v.inputs = 588, v.positions = 577, v.extra_norms = 1, v.extra_tokens = 1, v.patches = 576;
  v.projector = {4096};
  a.vision = v;
  return a;
}

/// With at most `most` layers; the first ones keep their form.
inline stagecut::profile profile_of(architecture a, std::size_t most) {
  a.layers = std::min(a.layers, most);
  if (!a.forms.empty()) a.forms.resize(a.layers);
  if (a.vision && a.vision->layers > most) {
    a.vision->layers = most;
    std::erase_if(a.vision->full_layers, [&](std::size_t i) { return i >= most; });
  }
  return stagecut::transformer::profile(a);
}

/// As T5: an embedding, encoders, decoders, a norm and a head, all by T5's names.
inline stagecut::profile t5(std::size_t most) {
  stagecut::profile made = profile_of(bert(), most);
  made.name = "t5-large";
  made.layers.pop_back();
  for (std::size_t i = 1; i < made.layers.size(); ++i) made.layers[i].name = "encoder.block." + std::to_string(i - 1);
  architecture text = gpt("", 24, 1024, 16, 512);
  text.tied = tying::none;
  const stagecut::profile decoder = profile_of(text, most);
  for (std::size_t i = 1; i < decoder.layers.size(); ++i) {
    made.layers.push_back(decoder.layers[i]);
    if (made.layers.back().kind == "decoder") made.layers.back().name = "decoder.block." + std::to_string(i - 1);
  }
  made.layers.front().name = "shared";
  for (auto& layer : made.layers) layer.tied = {};
  return made;
}

/// As ResNet-50: blocks whose activations halve as their width doubles, of no kind.
inline stagecut::profile resnet() {
  stagecut::profile made;
  made.name = "resnet-50";
  const auto add = [&](std::string name, double time, double parameters, double output) {
    stagecut::layer& each = made.layers.emplace_back();
    each.name = std::move(name);
    each.forward = time, each.backward = 2 * time;
    each.parameters = parameters, each.output = output, each.activations = 4 * output;
  };
  add("stem", 1e-3, 37e3, 25.7e6);
  const std::size_t blocks[] = {3, 4, 6, 3};
  for (std::size_t group = 0; group < 4; ++group) {
    for (std::size_t i = 0; i < blocks[group]; ++i) {
      const auto scale = static_cast<double>(std::size_t{1} << group);
      add("layer" + std::to_string(group + 1) + "." + std::to_string(i), i == 0 ? 1.5e-3 : 1e-3, 280e3 * scale * scale,
          102.8e6 / scale);
    }
  }
  add("fc", 1e-4, 8.2e6, 0);
  return made;
}

/// The models, each with `most` layers of a kind at most.
inline std::vector<stagecut::profile> models(std::size_t most = 24) {
  const auto of = [&](const architecture& a) { return profile_of(a, most); };
  return {of(gpt("gpt2-xl", 48, 1600, 25, 1024)),
          of(llama("llama-2-7b", 32, 4096, 32, 32, 11008, 32000)),
          of(llama("llama-2-70b", 80, 8192, 64, 8, 28672, 32000)),
          of(llama("llama-3-8b", 32, 4096, 32, 8, 14336, 128256, 8192)),
          of(llama("llama-3.1-405b", 126, 16384, 128, 8, 53248, 128256, 8192)),
          of(qwen()),
          of(mixtral()),
          of(deepseek()),
          of(qwen_vl()),
          of(llava()),
          of(bert()),
          t5(most),
          resnet(),
          of(gemma()),
          of(gpt("gpt3-175b", 96, 12288, 96, 2048))};
}

}  // namespace framework_models
