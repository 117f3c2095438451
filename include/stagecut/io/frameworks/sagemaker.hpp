// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/check_target.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for the model parallel library of SageMaker: its parameters, and for every stage the context in which the
/// modules named in a comment are to be built. What it calls an interleaved pipeline is `1f1b`.
///
/// @return  lines of Python; the parameters without the schedule and the microbatches that the plan does not know
/// @throws  argument_error if the parts of the plan do not belong together; not_representable for several stages a
///          device, a stage without layers, a stage out of its device's turn, a schedule but `1f1b` and `gpipe`,
///          parameters shared between stages
///
/// Source: Amazon SageMaker Python SDK, `doc/api/training/smd_model_parallel_general.rst`; C. Karakus et al.,
/// arXiv:2111.05972, 2021.
[[nodiscard]] inline std::string as_sagemaker(const plan& p) {
  detail::check_no_stage_empty(detail::check_target_modules("as_sagemaker", framework::sagemaker, p).name, p);
  const bool simple = p.schedule.name == "gpipe";
  std::string text = detail::joined({"{\"pipeline_parallel_degree\":", p.devices});
  if (p.schedule.microbatches != 0) {
    text += detail::joined({", \"microbatches\":", p.schedule.microbatches});
  }
  if (!p.schedule.name.empty()) text += detail::joined({", \"pipeline\":", simple ? "\"simple\"" : "\"interleaved\""});
  text += ", \"auto_partition\":False, \"default_partition\":0}";
  for (std::size_t s = 0; s < p.cuts.stages(); ++s) {
    const auto names = detail::module_names(p, s);
    const auto name = [&](std::size_t i) { return detail::escaped(names[i]); };
    text += detail::joined(
        {"\nwith smp.partition(", s, "):\n    ...  # ", detail::sequence_text(names.size(), ", ", name)});
  }
  return text;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
