// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/plan/plan.hpp>

namespace stagecut::inline v0::io {

namespace detail {

struct megatron_kind {
  std::string_view name;
  char letter;        ///< of the layout; 0: Megatron-LM places the layer itself
  std::size_t place;  ///< layers stand in the order of this
};

inline constexpr std::array<megatron_kind, 5> megatron_kinds = {
    {{"embedding", 'E', 0}, {"decoder", 't', 1}, {"mtp", 'm', 2}, {"norm", 0, 2}, {"head", 'L', 3}}};

[[nodiscard]] inline std::size_t megatron_kind_of(std::string_view format, const layer& each) {
  for (std::size_t k = 0; k < megatron_kinds.size(); ++k) {
    if (each.kind == megatron_kinds[k].name) return k;
  }
  refuse(format, joined({layer_text(each), ": kinds known to it are embedding, decoder, mtp, norm, head"}));
}

/// Refuses a schedule or numbers that Megatron-LM does not run.
inline void check_megatron_schedule(std::string_view format, const plan& p) {
  check_schedule(format, p, p.chunks == 1 ? "1f1b" : "interleaved");
  if (p.devices == 1 && p.chunks != 1) refuse(format, "several stages on every device, and there is only one device");
  if (p.chunks == 1 || p.schedule.microbatches % p.devices == 0) return;
  refuse(format, joined({p.schedule.microbatches, " microbatches, and interleaved they must be a multiple of the ",
                         p.devices, " ranks"}));
}

/// The layers of every kind, in the order of `megatron_kinds`.
using megatron_layers = std::array<std::vector<std::size_t>, megatron_kinds.size()>;

/// Sorts the layers by their kinds. Refuses those out of order, and other numbers of a kind than Megatron-LM has.
[[nodiscard]] inline megatron_layers megatron_layers_of(std::string_view format, const std::vector<layer>& layers) {
  megatron_layers of_kind;
  for (std::size_t i = 0, place = 0; i < layers.size(); ++i) {
    const std::size_t kind = megatron_kind_of(format, layers[i]);
    const std::size_t here = megatron_kinds[kind].place;
    if (here < place) refuse(format, joined({layer_text(layers[i]), " stands behind ", layer_text(layers[i - 1])}));
    place = here;
    of_kind[kind].push_back(i);
  }
  const auto& [embedding, decoder, mtp, norm, head] = of_kind;
  for (const auto* single : {&embedding, &head, &norm}) {
    if (single->size() > 1) refuse(format, joined({layer_text(layers[(*single)[1]]), " is the second of its kind"}));
  }
  if (embedding.empty()) refuse(format, "it has no layer of kind \"embedding\"");
  if (head.empty()) refuse(format, "it has no layer of kind \"head\"");
  return of_kind;
}

/// Refuses layers on other stages than where Megatron-LM has them: see `check_megatron`.
inline void check_megatron_stages(std::string_view format, const plan& p, const megatron_layers& of_kind,
                                  bool mtp_on_last_stage) {
  const auto& [embedding, decoder, mtp, norm, head] = of_kind;
  const auto stages = p.cuts.assignment();
  const std::size_t last = p.cuts.stages() - 1;
  const auto misplaced = [&](std::size_t i, std::string_view place) {
    refuse(format, joined({layer_text(p.profile.layers[i]), " on stage ", stages[i], ", and its place is ", place}));
  };
  const auto check_stage = [&](std::size_t i, std::size_t stage, std::string_view why) {
    if (stages[i] != stage) misplaced(i, joined({"stage ", stage, ", ", why}));
  };
  check_stage(embedding[0], 0, "the first");
  check_stage(head[0], last, "the last");
  for (const std::size_t i : mtp) {
    check_stage(i, stages[mtp[0]], "where the first of its kind is");
    if (mtp_on_last_stage) check_stage(i, last, "the last");
    const std::size_t first = last + 1 - p.devices;
    if (stages[i] < first) misplaced(i, joined({"the last stage of a device, from stage ", first}));
  }
  for (const std::size_t i : norm) {
    if (mtp.empty() || decoder.empty()) {
      check_stage(i, last, "where the head is");
    } else {
      check_stage(i, stages[decoder.back()], "where the last decoder is");
    }
  }
}

/// Refuses what is not one of Megatron-LM's models, placed as it places it: multi-token prediction only on the last
/// stage if `mtp_on_last_stage`, which is where it stands unless a layout says otherwise.
inline void check_megatron(std::string_view format, const plan& p, bool mtp_on_last_stage) {
  check_placement(format, p);
  check_megatron_schedule(format, p);
  check_megatron_stages(format, p, megatron_layers_of(format, p.profile.layers), mtp_on_last_stage);
}

/// Whether the numbers from `first` to below `last` are equal.
[[nodiscard]] inline bool all_equal(const std::vector<std::size_t>& numbers, std::size_t first, std::size_t last) {
  for (std::size_t i = first + 1; i < last; ++i) {
    if (numbers[i] != numbers[first]) return false;
  }
  return true;
}

/// Refuses ranks between the first and the last that differ: no flag counts theirs, they share what is left.
inline void refuse_middle(std::string_view format, const std::vector<std::size_t>& decoders) {
  std::size_t between = 0;
  for (std::size_t s = 1; s + 1 < decoders.size(); ++s) between += decoders[s];
  const std::size_t ranks = decoders.size() - 2;
  const std::string sum = joined({between + decoders.front() + decoders.back(), " - ", decoders.front(), " - ",
                                  decoders.back(), " = ", between, " decoders "});
  const std::string why =
      between % ranks != 0
          ? joined({sum, "do not divide by the ", ranks, " ranks between the first and the last"})
          : joined({sum, "would be ", between / ranks, " on each of the ", ranks,
                    " ranks between the first and the last, and are ",
                    sequence_text(ranks, ", ", [&](std::size_t s) { return std::to_string(decoders[s + 1]); })});
  refuse(format, joined({why, "; format megatron can say it"}));
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
///          - kinds of layers but `embedding` (one, on the first stage), `decoder`, `mtp` (all on one stage, the last of
///            its device), `norm` (at most one, where Megatron-LM puts it), `head` (one, on the last stage), or these in
///            another order
///          - a stage out of its device's turn, several stages on the only device, and on several, microbatches that
///            the ranks do not divide
///          - a schedule but `1f1b`, or with several stages a device but `interleaved`
///
/// Source: Megatron-LM, `megatron/core/transformer/pipeline_parallel_layer_layout.py`, 2025.
[[nodiscard]] inline std::string as_megatron(const plan& p) {
  constexpr std::string_view format = "megatron";
  detail::check_plan("as_megatron", format, p);
  detail::check_megatron(format, p, false);
  const auto stage_text = [&](std::size_t s) {
    std::string letters;
    for (std::size_t i = p.cuts[s]; i < p.cuts[s + 1]; ++i) {
      const char letter = detail::megatron_kinds[detail::megatron_kind_of(format, p.profile.layers[i])].letter;
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
  return detail::joined({"--pipeline-model-parallel-size ", p.devices, " --pipeline-model-parallel-layout \"",
                         detail::sequence_text(p.cuts.stages(), "|", stage_text), "\""});
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
  constexpr std::string_view format = "megatron-flags";
  detail::check_plan("as_megatron_flags", format, p);
  detail::check_megatron(format, p, true);
  detail::check_decoders(format, p);
  const auto decoders = detail::decoders_of_stages(p);
  const std::size_t stages = decoders.size();
  std::string text = detail::joined({"--pipeline-model-parallel-size ", p.devices});
  const auto add = [&](std::string_view flag, std::size_t value) {
    text.append(" ").append(flag).append(" ").append(std::to_string(value));
  };
  if (p.chunks != 1) {
    for (std::size_t s = 1; s < stages; ++s) {
      if (decoders[s] != decoders[0]) {
        detail::refuse(format, detail::joined({"stage ", s, " has ", decoders[s], " decoders and stage 0 has ",
                                               decoders[0], ", with ", p.chunks,
                                               " stages on every device all are equal; format megatron can say it"}));
      }
    }
    add("--num-layers-per-virtual-pipeline-stage", decoders[0]);
  } else if (!detail::all_equal(decoders, 0, stages)) {
    if (!detail::all_equal(decoders, 1, stages - 1)) detail::refuse_middle(format, decoders);
    const bool first = !detail::all_equal(decoders, 0, stages - 1) || stages == 2;
    const bool last = !detail::all_equal(decoders, 1, stages);
    if (first) add("--decoder-first-pipeline-num-layers", decoders.front());
    if (last) add("--decoder-last-pipeline-num-layers", decoders.back());
  }
  return text;
}

}  // namespace stagecut::inline v0::io
