// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/profile/stored_weights.hpp>

// `quantization_config` of Hugging Face's files: which weights are stored in how many bytes.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// A number of a member, or of the first of several; 0 if there is none.
inline double number_if_any(const json_value& of, std::initializer_list<const char*> names) {
  for (const char* const name : names) {
    const auto found = of.find(name);
    if (found && (**found).is_number() && (**found).get<double>() > 0) return (**found).get<double>();
  }
  return 0;
}

/// Bytes of a weight of `bits` bits in groups with a scale of 2 bytes, and a zero as wide as a weight. Without groups scales
/// are of whole rows: no bytes.
inline double grouped_bytes(double bits, double group) { return bits / 8 + (group > 0 ? (2 + bits / 8) / group : 0); }

/// The part of a file that says how the weights of one group of layers are stored (compressed-tensors, modelopt).
inline double bytes_of_group(const json_value& group) {
  const auto weights = group.find("weights");
  if (!weights || !(**weights).is_object()) return 0;
  const double bits = number_if_any(*weights, {"num_bits"});
  const double size = number_if_any(*weights, {"group_size"});
  const auto type = weights->find("type");
  const bool is_float = type && (**type).is_string() && type->text() == "float";
  if (is_float && bits == 4) return 0.5 + 1 / (size > 0 ? size : 16);  // a scale of one byte
  return is_float ? bits / 8 : grouped_bytes(bits, size);
}

/// By the names of algorithms (modelopt), or the first group of layers.
inline double bytes_of_algorithm(const json_value& from) {
  for (const char* const name : {"quant_algo", "quantization"}) {
    const auto found = from.find(name);
    if (!found || !(**found).is_string()) continue;
    const std::string& is = found->text();
    if (is.find("NVFP4") != is.npos) return 0.5 + 1. / 16;
    if (is.find("FP8") != is.npos || is.find("INT8") != is.npos) return 1;
    if (is.find("W4A16") != is.npos || is.find("INT4") != is.npos) return grouped_bytes(4, 128);
  }
  const auto groups = from.find("config_groups");
  double made = 0;
  if (groups && (**groups).is_object()) {
    groups->each_member([&](std::string_view, const json_value& group) {
      if (made == 0 && (*group).is_object()) made = bytes_of_group(group);
    });
  }
  return made;
}

/// Bytes of a weight by the method's name; 0 if it is not known.
inline double bytes_of_method(std::string_view method, const json_value& from) {
  const auto algorithm = from.find("quant_algo");
  if (algorithm && **algorithm == json("MIXED_PRECISION")) return 0;  // several formats at once
  const double bits = number_if_any(from, {"bits", "w_bit", "num_bits"});
  const auto is = [&](const char* name) {
    const auto found = from.find(name);
    return found && *(*found) == json(true);
  };
  if (method == "awq" || method == "gptq") {
    return grouped_bytes(bits > 0 ? bits : 4, number_if_any(from, {"group_size", "q_group_size"}));
  }
  if (method == "fp8" || method == "fbgemm_fp8") {
    const auto block = from.find("weight_block_size");  // a scale of 4 bytes for each
    if (!block || !(**block).is_array()) return 1;
    double numbers = 1;
    for (const json_value& side : block->elements()) numbers *= side.amount();
    return numbers > 0 ? 1 + 4 / numbers : 1;
  }
  if (method == "mxfp4") return 0.5 + 1. / 32;
  if (method == "bitsandbytes") {
    if (is("load_in_8bit")) return 1;
    return is("bnb_4bit_use_double_quant") ? 0.5 + 1. / 64 + 4. / (64 * 256) : 0.5 + 4. / 64;
  }
  if (method == "compressed-tensors" || method == "modelopt" || method.empty()) return bytes_of_algorithm(from);
  return 0;
}

/// The last part of a module's name or pattern: `self_attn` of `model.layers.*.self_attn*` and of `re:.*self_attn.*`.
inline std::string_view last_part(std::string_view name) {
  while (name.ends_with('*') || name.ends_with('.') || name.ends_with('$')) name.remove_suffix(1);
  name.remove_prefix(std::min(name.find_last_of(".*:") + 1, name.size()));
  return name;
}

/// Whether names of modules that are left as they are cover a part in most layers: by a pattern, or layer by layer. Names
/// of norms within a part, and of towers, do not.
inline bool leaves_out(const std::vector<std::string>& names, std::initializer_list<std::string_view> parts,
                       std::size_t layers) {
  std::set<std::string> listed;
  for (const std::string& name : names) {
    if (name.find("vis") != name.npos || name.find("mtp") != name.npos) continue;
    if (std::find(parts.begin(), parts.end(), last_part(name)) == parts.end()) continue;
    const std::size_t at = name.find("layers.");
    const std::size_t first = at == name.npos ? name.npos : at + 7;
    if (first >= name.size() || name[first] < '0' || name[first] > '9') return true;
    listed.insert(name.substr(first, name.find('.', first) - first));
  }
  return listed.size() * 2 > layers;
}

/// The names of modules that are left as they are.
inline std::vector<std::string> excluded_modules(const json_value& from) {
  std::vector<std::string> made;
  for (const char* const name :
       {"modules_to_not_convert", "ignore", "exclude_modules", "ignored_layers", "llm_int8_skip_modules"}) {
    const auto found = from.find(name);
    if (!found || !(**found).is_array()) continue;
    for (const json_value& each : found->elements()) {
      if ((*each).is_string()) made.push_back(each.text());
    }
  }
  return made;
}

/// Reads the object.
/// @param layers  of the model
/// @return        `bytes` is 0 if the method is not known
inline transformer::stored_weights read_quantization(const json_value& from, std::string_view method,
                                                     std::size_t layers) {
  transformer::stored_weights made;
  made.bytes = bytes_of_method(method, from);
  const std::vector<std::string> names = excluded_modules(from);
  made.attention =
      !leaves_out(names, {"self_attn", "attn", "attention", "linear_attn", "mixer", "q_proj", "o_proj"}, layers);
  made.experts = !leaves_out(names, {"experts"}, layers);
  made.feed_forward = !leaves_out(names, {"mlp", "shared_experts", "shared_expert", "down_proj"}, layers);
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
