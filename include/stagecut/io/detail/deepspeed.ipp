// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/deepspeed.hpp>

#include <string>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/check_target.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL std::string as_deepspeed(const plan& p) {
  detail::check_no_stage_empty(detail::check_target("as_deepspeed", framework::deepspeed, p).name, p);
  return detail::joined(
      {"class Cut(PipelineModule):\n"
       "    def _partition_layers(self, method='uniform'):\n"
       "        self.parts = ",
       detail::list_text(p.cuts.points()),
       "\n"
       "        s = self._topo.get_coord(self.global_rank).pipe\n"
       "        self._set_bounds(start=self.parts[s], stop=self.parts[s+1])"});
}

}  // namespace stagecut::inline STAGECUT_ABI::io
