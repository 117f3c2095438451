// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/megatron.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/check_target.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/io/detail/megatron_letter.hpp>
#include <stagecut/io/detail/megatron_recomputation.hpp>
#include <stagecut/io/detail/run_settings.hpp>
#include <stagecut/plan/parts/counts_obstacle.hpp>
#include <stagecut/plan/parts/target_kinds.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The option for the tensor-parallel degree.
[[nodiscard]] inline std::string megatron_shards(const run_settings& run) {
  return run.tensor == 1 ? "" : joined({"--tensor-model-parallel-size ", run.tensor, " "});
}

/// The other options of a run that was predicted from a configuration. The number of replicas follows from the total
/// number of devices; experts are whole, or split as the other matrices.
[[nodiscard]] inline std::string megatron_settings(const run_settings& run) {
  std::string text;
  if (run.context > 1) text += joined({" --context-parallel-size ", run.context});
  if (run.expert > 1) text += joined({" --expert-model-parallel-size ", run.expert});
  if (run.expert > 1 && run.tensor > 1) text += " --expert-tensor-parallel-size 1";
  if (run.sequence_parallel) text += " --sequence-parallel";
  if (run.zero > 0) text += " --use-distributed-optimizer";
  if (run.tensor > 1 && run.overlap == "ub") text += " --tp-comm-overlap";
  if (!run.flash) text += " --attention-backend unfused";
  const bool narrow = run.precision == "fp8" || run.precision == "mxfp8" || run.precision == "nvfp4";
  if (run.precision == "bf16" || narrow) text += " --bf16";
  if (run.precision == "fp16") text += " --fp16";
  if (run.precision == "fp8") text += " --fp8-format hybrid";
  if (run.precision == "mxfp8") text += " --fp8-format e4m3 --fp8-recipe mxfp8";
  if (run.precision == "nvfp4") text += " --fp4-format e2m1 --fp4-recipe nvfp4";
  if (run.sequence != 0) text += joined({" --seq-length ", run.sequence});
  if (run.samples != 0) text += joined({" --micro-batch-size ", run.samples});
  if (run.global_batch() != 0) text += joined({" --global-batch-size ", run.global_batch()});
  return text;
}

/// The settings of a plan, which the framework must support.
///
/// @throws not_representable if it does not
[[nodiscard]] inline run_settings megatron_run(const target_entry& entry, const plan& p) {
  run_settings run = settings_of(p);
  if (const std::string why = settings_obstacle(entry, run); !why.empty()) refuse(entry.name, why);
  return run;
}

/// The options for interleaving, in addition to those for its stages.
[[nodiscard]] inline std::string megatron_group(const plan& p) {
  if (p.schedule.group == 0 || p.schedule.group == p.devices) return "";
  return joined({" --microbatch-group-size-per-virtual-pipeline-stage ", p.schedule.group});
}

}  // namespace detail

namespace detail {

/// The letters of a stage: `Et*4`, for a hybrid model `M-M*`; empty if it has no layer with a letter.
[[nodiscard]] inline std::string megatron_stage(const plan& p, std::size_t s,
                                                const stagecut::detail::target_kinds& kinds) {
  std::string letters;
  for (std::size_t i = p.cuts[s]; i < p.cuts[s + 1]; ++i) {
    const char letter = megatron_letter(kinds, p.profile, i);
    if (letter != 0) letters += letter;
  }
  if (kinds.is_hybrid()) return letters;
  std::string text;
  for (std::size_t first = 0; first < letters.size();) {
    const std::size_t last = std::min(letters.find_first_not_of(letters[first], first), letters.size());
    text += letters[first];
    if (last - first > 1) text.append("*").append(std::to_string(last - first));
    first = last;
  }
  return text;
}

}  // namespace detail

STAGECUT_DECL std::string as_megatron(const plan& p) {
  const target_entry& entry = detail::check_target("as_megatron", framework::megatron, p);
  const stagecut::detail::target_kinds kinds(entry, p.profile);
  const auto stage_text = [&](std::size_t s) { return detail::megatron_stage(p, s, kinds); };
  const detail::run_settings run = detail::megatron_run(entry, p);
  return detail::joined({detail::megatron_shards(run), "--pipeline-model-parallel-size ", p.devices,
                         kinds.is_hybrid() ? " --hybrid-layer-pattern \"" : " --pipeline-model-parallel-layout \"",
                         detail::sequence_text(p.cuts.stages(), "|", stage_text), "\"", detail::megatron_group(p),
                         detail::megatron_settings(run), detail::megatron_recomputation(entry.name, p, kinds)});
}

STAGECUT_DECL std::vector<std::string> megatron_cautions(const plan& p) {
  const target_entry& entry = detail::check_target("megatron_cautions", framework::megatron, p);
  const stagecut::detail::target_kinds kinds(entry, p.profile);
  const std::vector<std::size_t> decoders = detail::decoders_of_stages(p);
  std::vector<std::string> made;
  std::string empty, odd;
  for (std::size_t s = 0; s < p.cuts.stages(); ++s) {
    const auto add = [&](std::string& to) { to += detail::joined({to.empty() ? "" : ", ", s}); };
    if (detail::megatron_stage(p, s, kinds).empty()) add(empty);
    if (decoders[s] % 2 != 0) add(odd);
  }
  if (kinds.is_hybrid() && p.cuts.stages() > 1) {
    made.push_back("bars in --hybrid-layer-pattern are read since Megatron-LM's pull request 3377 of 2026");
  }
  if (!empty.empty()) {
    made.push_back(
        detail::joined({"no layer is on stage ", empty, ": Megatron-LM has hung at empty stages (its issue 1852)"}));
  }
  const detail::run_settings run = detail::settings_of(p);
  if (!odd.empty() && !kinds.is_hybrid() && run.experts && run.overlaps_experts) {
    made.push_back(
        detail::joined({"with --overlap-moe-expert-parallel-comm Megatron-LM has hung at stages with an odd number "
                        "of expert layers (its issue 1810): stage ",
                        odd}));
  }
  return made;
}

STAGECUT_DECL std::string as_megatron_flags(const plan& p) {
  const target_entry& entry = detail::check_target("as_megatron_flags", framework::megatron_flags, p);
  const auto decoders = detail::decoders_of_stages(p);
  const std::size_t stages = decoders.size();
  const detail::run_settings run = detail::megatron_run(entry, p);
  std::string text = detail::joined({detail::megatron_shards(run), "--pipeline-model-parallel-size ", p.devices});
  const auto add = [&](std::string_view flag, std::size_t value) {
    text.append(" ").append(flag).append(" ").append(std::to_string(value));
  };
  const auto all_equal = [&](std::size_t first, std::size_t last) {
    for (std::size_t s = first + 1; s < last; ++s) {
      if (decoders[s] != decoders[first]) return false;
    }
    return true;
  };
  if (p.stages_per_rank != 1) {
    const std::size_t each = stagecut::detail::middle_decoders(decoders);
    add("--num-layers-per-virtual-pipeline-stage", each);
    if (decoders.front() < each) text += " --account-for-embedding-in-pipeline-split";
    if (decoders.back() < each) text += " --account-for-loss-in-pipeline-split";
    text += detail::megatron_group(p);
  } else if (!all_equal(0, stages)) {
    if (!all_equal(0, stages - 1) || stages == 2) add("--decoder-first-pipeline-num-layers", decoders.front());
    if (!all_equal(1, stages)) add("--decoder-last-pipeline-num-layers", decoders.back());
  }
  return text + detail::megatron_settings(run) +
         detail::megatron_recomputation(entry.name, p, stagecut::detail::target_kinds(entry, p.profile));
}

}  // namespace stagecut::inline STAGECUT_ABI::io
