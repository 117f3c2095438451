// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/pipedream_conf.hpp>

#include <cstddef>
#include <string>

#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/io/detail/check_target.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL std::string as_pipedream_conf(const plan& p) {
  detail::check_no_stage_empty(detail::check_target("as_pipedream_conf", framework::pipedream, p).name, p);
  const std::size_t stages = p.cuts.stages();
  const auto ranks = [&](std::size_t s) {
    const interval devices = devices_of(p, s);
    const auto rank = [&](std::size_t d) { return std::to_string(devices.first + d); };
    return detail::joined({"\"", s, "\": [", detail::sequence_text(devices.size(), ", ", rank), "]"});
  };
  const auto stage = [&](std::size_t module) { return std::to_string(module < stages ? module : stages - 1); };
  return detail::joined({"{\"module_to_stage_map\": [", detail::sequence_text(stages + 1, ", ", stage),
                         "], \"stage_to_rank_map\": {", detail::sequence_text(stages, ", ", ranks), "}}"});
}

}  // namespace stagecut::inline STAGECUT_ABI::io
