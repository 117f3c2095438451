// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/sagemaker.hpp>

#include <cstddef>
#include <string>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/check_target.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL std::string as_sagemaker(const plan& p) {
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
