// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/json_object.hpp>
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/profile.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "../fuzz_bytes.hpp"

/// Whether every figure of a layer or of a variant is an amount.
template <class Each>
bool sound_figures(const Each& each) {
  bool sound = true;
  const auto check = [&](double x) { sound = sound && stagecut::is_finite(x) && !stagecut::is_negative(x); };
  for (const double x : {each.forward, each.backward, each.forward + each.backward}) check(x);
  for (const double x : {each.parameters, each.activations, each.output, each.workspace}) check(x);
  for (const auto& x : {each.backward_input, each.backward_weight, each.resident}) check(x.value_or(0));
  return sound;
}

/// Ends the program if a profile is not sound, or not read back from JSON as it is. Texts that are not UTF-8 come from
/// the other formats, and are refused.
inline void require_sound(const stagecut::profile& model) {
  require(!model.layers.empty());
  bool writable = stagecut::io::detail::is_utf8(model.name);
  for (const auto& layer : model.layers) {
    require(sound_figures(layer));
    for (const auto& variant : layer.recomputations) require(sound_figures(variant) && variant.tensor_parallel > 0);
    for (const auto& variant : layer.shardings) require(sound_figures(variant) && variant.tensor_parallel > 0);
    for (const std::string_view text :
         {std::string_view(layer.name), std::string_view(layer.kind), std::string_view(layer.group)}) {
      writable = writable && stagecut::io::detail::is_utf8(text);
    }
    require(stagecut::is_finite(layer.cpu.value_or(0)) && !stagecut::is_negative(layer.cpu.value_or(0)));
    require(!layer.is_backward || layer.forward == 0);
  }
  try {
    require(stagecut::io::parse_json_profile(stagecut::io::as_json(model), "again", {.depth = 1000}) == model);
    require(stagecut::io::profile_hash(model).size() == 16);
    require(writable);
  } catch (const stagecut::argument_error&) {
    require(!writable);
  }
}

/// Ends the program unless a profile is turned into a sound chain of its layers, or refused where it is none.
inline void require_chain_or_refusal(const stagecut::profile& model) {
  const bool leaves = std::all_of(model.layers.begin(), model.layers.end(),
                                  [](const stagecut::layer& layer) { return layer.children.empty(); });
  try {
    const stagecut::profile chain = stagecut::as_chain(model);
    require(leaves && chain.edges.empty() && chain.layers.size() == model.layers.size());
    require(!model.edges.empty() || chain == model);
    require_sound(chain);
    require(stagecut::as_chain(chain) == chain);
  } catch (const stagecut::invalid_input& error) {
    require(!leaves || !model.edges.empty());
    require(error.place().starts_with("layer "));
  }
}

/// Limits as a text has them by chance: those of most texts do not matter, those of some refuse it.
inline stagecut::io::read_limits limits_for(std::string_view text) {
  const std::size_t size = text.size();
  return {.bytes = size % 7 == 0 ? size / 2 : size, .depth = size % 5 == 0 ? size % 9 : 1 + size % 2000};
}

/// Whatever the bytes are, `read(TEXT, SOURCE)` returns or throws `invalid_input` with a place in the source.
template <class Read>
int fuzz(const std::uint8_t* data, std::size_t size, const Read& read) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    read(text, "fuzz");
  } catch (const stagecut::invalid_input& error) {
    require(error.place().starts_with("fuzz"));
  }
  return 0;
}
