// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/torchtitan.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/check_target.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/io/detail/run_settings.hpp>
#include <stagecut/io/frameworks/pytorch.hpp>
#include <stagecut/plan/parts/target_kinds.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The names of a stage's modules in torchtitan: one for all vision layers, and `lm_head` for a head called `output`, its
/// previous name.
[[nodiscard]] inline std::vector<std::string_view> torchtitan_names(const plan& p, std::size_t stage) {
  std::vector<std::string_view> result;
  for (const std::size_t i : layers_of(p, stage)) {
    const layer& each = p.profile.layers[i];
    if (stagecut::detail::sees(each)) {
      if (result.empty() || result.back() != "vision_encoder") result.emplace_back("vision_encoder");
      continue;
    }
    for (const std::string_view name : stagecut::detail::module_names_of(each)) {
      result.push_back(each.kind == "head" && name == "output" ? std::string_view("lm_head") : name);
    }
  }
  return result;
}

/// The degrees of a run, without those that are 1. Torchtitan's data-parallel shards also partition gradients and
/// parameters, as in ZeRO 2 and 3: it cannot partition only the optimizer state.
[[nodiscard]] inline std::string torchtitan_degrees(const run_settings& run) {
  std::string text;
  const auto add = [&](const char* key, std::size_t degree) {
    if (degree != 1) text += joined({"\n", key, "=", degree});
  };
  add("tensor_parallel_degree", run.tensor);
  add("context_parallel_degree", run.context);
  add("expert_parallel_degree", run.expert);
  add("data_parallel_replicate_degree", run.zero == 0 ? run.data : 1);
  add("data_parallel_shard_degree", run.zero == 0 ? 1 : run.data);
  if (run.zero != 0 && run.data != 1) {
    text += joined({"\nfsdp_reshard_after_forward=\"", run.zero == 3 ? "always" : "never", "\""});
  }
  return text;
}

/// How samples are divided into microbatches: by microbatch size until 0.3.0, by their number since August 2026.
[[nodiscard]] inline std::string torchtitan_batch(const run_settings& run) {
  if (run.microbatches == 0) return "";
  std::string text = joined({"\nnum_pp_microbatches=", run.microbatches, "  # since August 2026"});
  if (run.samples == 0) return text;
  text += joined({"\npipeline_parallel_microbatch_size=", run.samples, "  # to 0.3.0, in its place"});
  text += joined({"\nlocal_batch_size=", run.samples * run.microbatches});
  return run.sequence == 0 ? text : text + joined({"\nseq_len=", run.sequence});
}

}  // namespace detail

STAGECUT_DECL std::string as_torchtitan(const plan& p) {
  detail::check_no_stage_empty(detail::check_target_modules("as_torchtitan", framework::torchtitan, p).name, p);
  const auto stage_text = [&](std::size_t s) {
    const auto names = detail::torchtitan_names(p, s);
    const auto name = [&](std::size_t i) { return detail::quoted(names[i]); };
    return detail::joined({"[", detail::sequence_text(names.size(), ",", name), "]"});
  };
  const std::string parts =
      detail::joined({"module_fqns_per_model_part=[", detail::sequence_text(p.cuts.stages(), ",", stage_text), "]"});
  const detail::run_settings run = detail::settings_of(p);
  std::string text = parts + detail::torchtitan_degrees(run);
  if (p.schedule.microbatches == 0) return text;
  const std::string_view name = detail::torch_class(p);
  // It places stages in a V for the names of such schedules alone, whatever the file says.
  const bool vee = name.empty() && p.stages_per_rank == 2 && p.devices > 1 && p.stages.back().device == 0;
  text += detail::joined(
      {"\npipeline_parallel_degree=", p.devices, "\npipeline_parallel_schedule",
       name.empty() ? "_csv=\"schedule.csv\"  # of simulate PLAN --whole-first-stage --format torch-csv" : "=",
       name.empty() ? "" : detail::quoted(name),
       vee ? "\npipeline_parallel_schedule=\"ZBVZeroBubble\"  # the stages in a V" : ""});
  return text + detail::torchtitan_batch(run);
}

}  // namespace stagecut::inline STAGECUT_ABI::io
