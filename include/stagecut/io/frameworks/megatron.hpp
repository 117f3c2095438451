// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/check_target.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/io/detail/megatron_recomputation.hpp>
#include <stagecut/plan/detail/target_kinds.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The letter of a layer in a layout; 0: Megatron-LM places the layer itself.
[[nodiscard]] inline char megatron_letter(std::string_view kind, bool is_decoder) {
  if (is_decoder) return 't';
  if (kind == "embedding") return 'E';
  if (kind == "mtp") return 'm';
  return kind == "head" ? 'L' : '\0';
}

/// The option that shares each layer among several devices. The number of replicas follows from that of all devices.
[[nodiscard]] inline std::string megatron_shards(const plan& p) {
  if (p.stages.empty() || p.stages[0].shards == 1) return "";
  return joined({"--tensor-model-parallel-size ", p.stages[0].shards, " "});
}

/// The options that interleaving needs beside those of its stages.
[[nodiscard]] inline std::string megatron_group(const plan& p) {
  if (p.schedule.group == 0 || p.schedule.group == p.devices) return "";
  return joined({" --microbatch-group-size-per-virtual-pipeline-stage ", p.schedule.group});
}

}  // namespace detail

/// A plan for Megatron-LM: the options that set its pipeline's layout, any number of layers on any stage. How many
/// stages a device has follows from their number.
///
/// A final norm has no letter: Megatron-LM puts it where the head is, and with multi-token prediction where the last
/// decoder is.
///
/// @return  one line of options
/// @throws  argument_error if the parts of the plan do not belong together; not_representable for
///          - kinds of layers but `embedding` (one, on the first stage, with `vision`, `projector` and what else stands
///            in front), `decoder`, `mtp` (all on one stage, the last of its device), `norm` (at most one, where
///            Megatron-LM puts it), `head` (one, on the last stage), or these in another order
///          - a stage out of its device's turn, several stages on the only device, and on several, microbatches that
///            the ranks do not divide, or that do not come out in the group
///          - a schedule but `1f1b`, or with several stages a device but `interleaved`
///          - chosen recomputation but `selective` or `full` of all decoders, or `full` of equally many at the beginning
///            of every stage
///
/// Source: Megatron-LM, `megatron/core/transformer/pipeline_parallel_layer_layout.py`, 2025.
[[nodiscard]] inline std::string as_megatron(const plan& p) {
  const target_entry& entry = detail::check_target("as_megatron", framework::megatron, p);
  const stagecut::detail::target_kinds kinds(entry, p.profile);
  const auto stage_text = [&](std::size_t s) {
    std::string letters;
    for (std::size_t i = p.cuts[s]; i < p.cuts[s + 1]; ++i) {
      const char letter = detail::megatron_letter(p.profile.layers[i].kind, kinds.is_decoder(i));
      if (letter != 0) letters += letter;
    }
    std::string text;
    for (std::size_t first = 0; first < letters.size();) {
      const std::size_t last = std::min(letters.find_first_not_of(letters[first], first), letters.size());
      text += letters[first];
      if (last - first > 1) text.append("*").append(std::to_string(last - first));
      first = last;
    }
    return text;
  };
  return detail::joined({detail::megatron_shards(p), "--pipeline-model-parallel-size ", p.devices, " --pipeline-model-parallel-layout \"",
                         detail::sequence_text(p.cuts.stages(), "|", stage_text), "\"", detail::megatron_group(p),
                         detail::megatron_recomputation(entry.name, p, kinds)});
}

/// A plan for Megatron-LM without a layout, for its versions that have none: equally many decoders on all stages, or on
/// all but the first and the last.
///
/// @return  one line of options, none that the plan does not need
/// @throws  argument_error and not_representable as `as_megatron`, and the latter for
///          - multi-token prediction that is not on the last stage
///          - a stage without decoders, or middle stages that differ, with the sum that does not come out
///          - with several stages a device, stages that differ
///
/// Source: Megatron-LM, `megatron/training/arguments.py` and `megatron/core/transformer/transformer_config.py`, 2025.
[[nodiscard]] inline std::string as_megatron_flags(const plan& p) {
  const target_entry& entry = detail::check_target("as_megatron_flags", framework::megatron_flags, p);
  const auto decoders = detail::decoders_of_stages(p);
  const std::size_t stages = decoders.size();
  std::string text = detail::joined({detail::megatron_shards(p), "--pipeline-model-parallel-size ", p.devices});
  const auto add = [&](std::string_view flag, std::size_t value) {
    text.append(" ").append(flag).append(" ").append(std::to_string(value));
  };
  const auto all_equal = [&](std::size_t first, std::size_t last) {
    for (std::size_t s = first + 1; s < last; ++s) {
      if (decoders[s] != decoders[first]) return false;
    }
    return true;
  };
  if (p.chunks != 1) {
    add("--num-layers-per-virtual-pipeline-stage", decoders[0]);
    text += detail::megatron_group(p);
  } else if (!all_equal(0, stages)) {
    if (!all_equal(0, stages - 1) || stages == 2) add("--decoder-first-pipeline-num-layers", decoders.front());
    if (!all_equal(1, stages)) add("--decoder-last-pipeline-num-layers", decoders.back());
  }
  return text + detail::megatron_recomputation(entry.name, p, stagecut::detail::target_kinds(entry, p.profile));
}

}  // namespace stagecut::inline STAGECUT_ABI::io
