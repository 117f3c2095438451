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
#include <stagecut/io/frameworks/pytorch.hpp>
#include <stagecut/plan/detail/target_kinds.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The names of a stage's modules as torchtitan has them: one for all that sees, and `lm_head` for a head called `output`,
/// as it was before.
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
  std::string degrees;
  if (!p.stages.empty() && p.stages[0].shards != 1) {
    degrees += detail::joined({"\ntensor_parallel_degree=", p.stages[0].shards});
  }
  if (!p.stages.empty() && p.stages[0].replicas != 1) {
    degrees += detail::joined({"\ndata_parallel_replicate_degree=", p.stages[0].replicas});
  }
  if (p.schedule.microbatches == 0) return parts + degrees;
  const std::string_view name = detail::torch_class(p);
  return detail::joined({parts, degrees, "\npipeline_parallel_degree=", p.devices, "\npipeline_parallel_schedule",
                         name.empty() ? "_csv=\"schedule.csv\"  # of simulate PLAN --format torch-csv" : "=",
                         name.empty() ? "" : detail::quoted(name)});
}

}  // namespace stagecut::inline STAGECUT_ABI::io
