// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/io/detail/hf_figures.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/profile/architecture.hpp>

// Vision towers and projectors of the library transformers: classes `XVisionModel` and `XForConditionalGeneration`. The
// parameters are those of checkpoints; a layer whose output is unused (Llava's `vision_feature_layer` of -2) still
// counts.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// The defaults of a class of towers; 0: none, the figure is required.
struct tower_defaults {
  std::size_t layers, hidden, heads, ffn, image, patch;
};

/// Layers, and patches of a square image.
inline transformer::vision_tower read_tower(hf_figures& at, const tower_defaults& d) {
  transformer::vision_tower v;
  v.layers = at.needed({"num_hidden_layers", "depth"}, d.layers, most_layers);
  v.hidden = at.needed({"hidden_size"}, d.hidden);
  v.heads = at.needed({"num_attention_heads", "num_heads"}, d.heads);
  v.ffn = at.needed({"intermediate_size"}, d.ffn);
  const std::size_t patch = at.count({"patch_size"}, d.patch, 1, 10'000);
  const std::size_t image = at.count({"image_size"}, d.image, 1, 100'000);
  if (image < patch)
    at.object().fail("\"patch_size\" ", std::to_string(patch), " is above \"image_size\" ", std::to_string(image));
  v.inputs = at.count({"num_channels", "in_channels", "in_chans"}, 3, 1, 100) * patch * patch;
  v.patches = (image / patch) * (image / patch);
  return v;
}

/// A class token, learned positions, a norm before the layers and one after them.
inline transformer::vision_tower clip_tower(hf_figures& at) {
  transformer::vision_tower v = read_tower(at, {12, 768, 12, 3072, 224, 32});
  v.positions = v.patches + 1;
  v.extra_tokens = 1;
  v.extra_norms = 2;
  return v;
}

/// Learned positions, a norm after the layers, no head.
inline transformer::vision_tower siglip_tower(hf_figures& at) {
  transformer::vision_tower v = read_tower(at, {12, 768, 12, 3072, 224, 16});
  v.input_bias = true;
  v.positions = v.patches;
  v.extra_norms = 1;
  return v;
}

/// Rotary, gated, without biases, a norm before the layers. The image has the largest possible size.
inline transformer::vision_tower pixtral_tower(hf_figures& at) {
  transformer::vision_tower v = read_tower(at, {24, 1024, 16, 4096, 1024, 16});
  v.gated = true;
  v.biases = false;
  v.norm = transformer::normalization::rmsnorm;
  v.extra_norms = 1;
  return v;
}

/// Side of the square of patches that becomes one token.
inline std::size_t merged_patches(const hf_figures& at, const char* name) {
  const std::size_t side = at.count({name}, 2, 1, 1000);
  return side * side;
}

/// Reduces the patches to whole squares of merged ones: the remainder at the edges is cut off.
inline void whole_squares(transformer::vision_tower& v) {
  v.patches = v.patches < v.merged ? v.merged : v.patches / v.merged * v.merged;
}

inline void set_llava_vision(const hf_figures& whole, hf_figures& at, transformer::architecture& a) {
  const std::string kind = at.text("model_type", "clip_vision_model");
  if (kind != "clip_vision_model" && kind != "pixtral") {
    at.object().fail_at("/model_type", in_quotes(kind), " is none of clip_vision_model, pixtral");
  }
  transformer::vision_tower v = kind == "pixtral" ? pixtral_tower(at) : clip_tower(at);
  v.projector = {a.hidden};
  v.projector_bias = whole.flag("multimodal_projector_bias", true);
  a.vision = v;
}

/// Pixtral's tower; a norm and a matrix merge several patches into one, then two matrices turn it into a token.
inline void set_mistral3_vision(const hf_figures& whole, hf_figures& at, transformer::architecture& a) {
  transformer::vision_tower v = pixtral_tower(at);
  v.merged = merged_patches(whole, "spatial_merge_size");
  whole_squares(v);
  v.projector = {v.hidden, a.hidden};
  if (whole.flag("multimodal_projector_bias", false)) {
    whole.object().fail_at("/multimodal_projector_bias", "such models are not known here");
  }
  v.projector_bias = false;
  v.projector_norm = v.hidden;
  a.vision = v;
}

/// SigLIP's tower; patches are averaged to the required number of tokens, then scaled by a norm and multiplied by one
/// matrix.
inline void set_gemma3_vision(const hf_figures& whole, hf_figures& at, transformer::architecture& a) {
  transformer::vision_tower v = siglip_tower(at);
  const std::size_t tokens = whole.count({"mm_tokens_per_image"}, 256, 1);
  if (v.patches % tokens != 0) {
    whole.object().fail(std::to_string(v.patches), " patches of an image are no multiple of \"mm_tokens_per_image\" ",
                        std::to_string(tokens));
  }
  v.merged = v.patches / tokens;
  v.projector_merges = false;
  v.projector_bias = false;
  v.projector_norm = v.hidden;
  v.projector_norm_kind = transformer::normalization::rmsnorm;
  a.vision = v;
}

/// A class token, learned positions in addition to rotary ones; concatenated patches go through two matrices in the tower
/// and one after it.
inline void set_llama4_vision(const hf_figures&, hf_figures& at, transformer::architecture& a) {
  transformer::vision_tower v = read_tower(at, {34, 768, 16, 5632, 448, 14});
  v.positions = v.patches + 1;
  v.extra_tokens = 1;
  v.extra_norms = 2;
  const double ratio = at.amount("pixel_shuffle_ratio", 0.5);
  std::size_t side = 1;
  while (side < 100 && static_cast<double>(side) * ratio != 1) ++side;
  if (side == 100) at.object().fail_at("/pixel_shuffle_ratio", std::to_string(ratio), " is no 1, 1/2, 1/3 ...");
  v.merged = side * side;
  whole_squares(v);
  v.projector = {at.count({"projector_input_dim"}, 4096, 1), at.count({"projector_output_dim"}, 4096, 1)};
  v.projector_bias = at.flag("multi_modal_projector_bias", false);
  a.vision = v;
}

/// Common to both towers of Qwen: no published size of images, so one of 448 pixels is assumed, as two equal frames; the
/// merger's norm applies to each patch, its first matrix takes several concatenated patches and keeps their width.
inline void finish_qwen_vision(const hf_figures& at, transformer::architecture& a, transformer::vision_tower& v,
                               const char* width) {
  const std::size_t given = at.count({width}, a.hidden);
  if (given != a.hidden) {
    at.object().fail_at(json_step(width), std::to_string(given), " is not \"hidden_size\" of the text, ",
                        std::to_string(a.hidden));
  }
  v.inputs *= at.count({"temporal_patch_size"}, 2, 1, 100);
  v.merged = merged_patches(at, "spatial_merge_size");
  whole_squares(v);
  v.projector = {v.hidden * v.merged};
  v.projector_norm = v.hidden;
  a.vision = v;
}

inline void set_qwen2_vision(const hf_figures&, hf_figures& at, transformer::architecture& a) {
  // Its width is called `embed_dim`; `hidden_size` is the text's.
  transformer::vision_tower v = read_tower(at, {32, 1280, 16, 5120, 448, 14});
  v.hidden = at.count({"embed_dim"}, 1280, 1);
  const double ratio = at.amount("mlp_ratio", 4);
  if (!(ratio > 0) || ratio > 1000)
    at.object().fail_at("/mlp_ratio", std::to_string(ratio), " is not above 0 and at most 1000");
  v.ffn = static_cast<std::size_t>(static_cast<double>(v.hidden) * ratio);
  finish_qwen_vision(at, a, v, "hidden_size");
}

/// The sorted, unique entries of `fullatt_block_indexes`; else the default of the class, up to the number of layers.
inline std::vector<std::size_t> full_layers(const hf_figures& at, std::size_t layers) {
  std::vector<char> listed(layers, 0);
  if (const auto given = at.find({"fullatt_block_indexes"})) {
    for (const json_value& element : given->elements()) {
      const std::size_t layer = element.count();
      if (layer >= layers) element.fail(std::to_string(layer), " is not below \"depth\" ", std::to_string(layers));
      listed[layer] = 1;
    }
  } else {
    for (std::size_t layer = 7; layer < layers && layer <= 31; layer += 8) listed[layer] = 1;
  }
  std::vector<std::size_t> made;
  for (std::size_t layer = 0; layer < layers; ++layer) {
    if (listed[layer] != 0) made.push_back(layer);
  }
  return made;
}

/// Gated, norms with only a scale; all layers except the listed ones use windows, whose side is in pixels.
inline void set_qwen2_5_vision(const hf_figures&, hf_figures& at, transformer::architecture& a) {
  transformer::vision_tower v = read_tower(at, {32, 3584, 16, 3420, 448, 14});
  v.gated = true;
  v.norm = transformer::normalization::rmsnorm;
  const std::size_t side = at.count({"window_size"}, 112, 1, 100'000) / at.count({"patch_size"}, 14, 1);
  v.window = side * side;
  v.full_layers = full_layers(at, v.layers);
  finish_qwen_vision(at, a, v, "out_hidden_size");
}

/// Models of images and text: the default text family, and the function that builds the tower.
struct hf_vision_family {
  const char* name;
  const char* text;
  void (*rules)(const hf_figures& whole, hf_figures& at, transformer::architecture& a);
};

/// By name.
inline constexpr hf_vision_family hf_vision_families[] = {{"gemma3", "gemma3_text", set_gemma3_vision},
                                                          {"llama4", "llama4_text", set_llama4_vision},
                                                          {"llava", "llama", set_llava_vision},
                                                          {"mistral3", "mistral", set_mistral3_vision},
                                                          {"qwen2_5_vl", "qwen2_5_vl_text", set_qwen2_5_vision},
                                                          {"qwen2_vl", "qwen2_vl_text", set_qwen2_vision}};

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
