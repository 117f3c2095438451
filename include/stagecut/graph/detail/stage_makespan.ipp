// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/graph/stage_makespan.hpp>

#include <cstddef>
#include <string>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/detail/load_pipeline.hpp>
#include <stagecut/graph/stage_pipeline.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL stage_makespan::stage_makespan(const stage_pipeline& of, std::size_t microbatches,
                                             transfer_kind transfers)
    : edges_(of.edges), simulator_(microbatches, transfers == transfer_kind::link) {
  detail::check_pipeline("stage_makespan", of, microbatches, transfers);
  detail::load_pipeline(simulator_, of);
}

STAGECUT_DECL bool stage_makespan::runs(view<const std::size_t> warm_up) const noexcept {
  const std::size_t most = simulator_.microbatches() - 1;
  for (const auto& [from, to] : edges_) {
    if (warm_up[from] < warm_up[to] && warm_up[from] < most) return false;
  }
  return true;
}

STAGECUT_DECL double stage_makespan::operator()(view<const std::size_t> warm_up) {
  if (warm_up.size() != simulator_.forward.size()) {
    detail::fail(argument_error("stage_makespan", "warm_up.size()", std::to_string(warm_up.size()),
                                "must be the number of stages"));
  }
  if (!runs(warm_up)) {
    detail::fail(argument_error("stage_makespan", "warm_up", "{…}", "must not rise along an edge: deadlock"));
  }
  return simulator_.run(warm_up.data());
}

}  // namespace stagecut::inline STAGECUT_ABI
