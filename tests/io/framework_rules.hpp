// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "framework_rules/megatron.hpp"
#include "framework_rules/megatron_flags.hpp"
#include "framework_rules/reading.hpp"
#include "framework_rules/sequential.hpp"
#include "framework_rules/serving.hpp"
#include "framework_rules/torch.hpp"

// What every framework would make of a text that was written for it: an oracle that shares nothing with the writers.
namespace framework_rules {

/// The formats that have a checker.
inline constexpr std::string_view checked_formats[] = {
    "megatron",   "megatron-flags", "deepspeed", "torchgpipe", "fairscale", "pytorch", "split-module",
    "torchtitan", "vllm",           "sglang",    "sagemaker",  "sapp",      "alpa",    "pipedream"};

inline verdict read_as(std::string_view format, const stagecut::plan& made, std::string_view text) {
  if (format == "megatron") return megatron(made, text);
  if (format == "megatron-flags") return megatron_flags(made, text);
  if (format == "deepspeed") return deepspeed(made, text);
  if (format == "torchgpipe") return balanced(made, text, "GPipe", true);
  if (format == "fairscale") return balanced(made, text, "Pipe", false);
  if (format == "pytorch") return split_spec(made, text);
  if (format == "split-module") return split_module(made, text);
  if (format == "torchtitan") return torchtitan(made, text);
  if (format == "vllm") return partition(made, text, "VLLM_PP_LAYER_PARTITION");
  if (format == "sglang") return partition(made, text, "SGLANG_PP_LAYER_PARTITION");
  if (format == "sagemaker") return sagemaker(made, text);
  if (format == "sapp") return mindformers(made, text);
  if (format == "alpa") return alpa(made, text);
  if (format == "pipedream") return pipedream(made, text);
  throw std::invalid_argument("no rules of " + std::string(format));
}

/// Whether the framework builds every layer where the plan has it.
inline void compare(const stagecut::plan& made, verdict& out) {
  const auto planned = stage_of_layers(made);
  const std::size_t p = made.devices, stages = made.stages.size();
  out.demand(stages == p * made.stages_per_rank, said(stages) + " stages, and not " + said(p) + " times " + said(made.stages_per_rank));
  for (std::size_t i = 0; i < planned.size(); ++i) {
    if (made.profile.layers[i].is_backward) continue;
    const std::string built = out.stage[i] == nowhere ? "no stage" : "stage " + said(out.stage[i]);
    out.demand(out.stage[i] == planned[i], "layer \"" + made.profile.layers[i].name + "\" is built on " + built +
                                               ", and the plan has it on " + said(planned[i]));
  }
  for (std::size_t s = 0; s < stages && out.ranks != shape::any; ++s) {
    const std::size_t rank = out.ranks == shape::v && s >= p ? 2 * p - 1 - s : s % p;
    out.demand(made.stages[s].device == rank, "stage " + said(s) + " runs on rank " + said(rank));
  }
}

}  // namespace framework_rules

/// What a framework refuses of a text, and the layers that it would build elsewhere than the plan has them; empty: it
/// takes the text, and its placement is the plan's.
/// @throws std::invalid_argument for a format without rules: those of any plan
inline std::vector<std::string> violations(std::string_view format, const stagecut::plan& made,
                                           const std::string& text) {
  framework_rules::verdict out = framework_rules::read_as(format, made, text);
  framework_rules::compare(made, out);
  return out.broken;
}
