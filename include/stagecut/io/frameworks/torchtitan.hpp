// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/check_target.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/io/frameworks/pytorch.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>

namespace stagecut::inline v0::io {

/// A plan for torchtitan: the option that lists the modules of every stage. The devices take the stages in turn.
///
/// @return  a line, an assignment in Python and in TOML; where the plan has a schedule, the degree and the schedule, too:
///          `schedule.csv` is a file for what `as_torch_schedule` writes, where PyTorch has no class for it
/// @throws  argument_error if the parts of the plan do not belong together; not_representable for a stage without
///          layers, a stage out of its device's turn, a module whose name is empty, is no UTF-8 or stands
///          twice, parameters shared between stages
///
/// Source: torchtitan, `torchtitan/distributed/pipeline_parallel.py`.
[[nodiscard]] inline std::string as_torchtitan(const plan& p) {
  detail::check_no_stage_empty(detail::check_target("as_torchtitan", target::torchtitan, p).name, p);
  const auto stage_text = [&](std::size_t s) {
    const auto names = detail::module_names(p, s);
    const auto name = [&](std::size_t i) { return detail::quoted(names[i]); };
    return detail::joined({"[", detail::sequence_text(names.size(), ",", name), "]"});
  };
  const std::string parts =
      detail::joined({"module_fqns_per_model_part=[", detail::sequence_text(p.cuts.stages(), ",", stage_text), "]"});
  if (p.schedule.microbatches == 0) return parts;
  const std::string_view name = detail::torch_class(p);
  return detail::joined({parts, "\npipeline_parallel_degree=", p.devices, "\npipeline_parallel_schedule",
                         name.empty() ? "_csv=\"schedule.csv\"" : "=", name.empty() ? "" : detail::quoted(name)});
}

}  // namespace stagecut::inline v0::io
