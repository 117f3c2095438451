// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/check_target.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A plan for DeepSpeed: a subclass of its `PipelineModule` that cuts as the plan does, to be built with one stage a
/// device. No option of `PipelineModule` takes cut points. Each layer is one of its `layers`.
///
/// @return  five lines of Python
/// @throws  argument_error if the parts of the plan do not belong together; not_representable for several stages a
///          device, a stage without layers, a stage out of its device's turn, a schedule but `1f1b`
///
/// Source: DeepSpeed 0.16.5, `deepspeed/runtime/pipe/module.py`; not a public interface, it may change.
[[nodiscard]] inline std::string as_deepspeed(const plan& p) {
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
