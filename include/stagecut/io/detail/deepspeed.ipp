// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/deepspeed.hpp>

#include <cstddef>
#include <string>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/check_target.hpp>
#include <stagecut/io/detail/format_text.hpp>
#include <stagecut/io/detail/run_settings.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// The ranks of all degrees, and the part of DeepSpeed's configuration that divides a batch into microbatches; empty if
/// the number of microbatches is unknown. The degree that shares layers is DeepSpeed's model parallelism.
[[nodiscard]] inline std::string deepspeed_run(const plan& p) {
  const run_settings run = settings_of(p);
  if (const std::string why = settings_obstacle(entry_of(framework::deepspeed), run); !why.empty())
    refuse("deepspeed", why);
  std::string text;
  if (run.tensor != 1 || run.data != 1) {
    text += joined({"\ntopology = PipeModelDataParallelTopology(num_pp=", p.devices, ", num_mp=", run.tensor,
                    ", num_dp=", run.data, ")"});
  }
  if (run.microbatches == 0) return text;
  text += joined({"\nconfig = {\"gradient_accumulation_steps\": ", run.microbatches});
  if (run.samples != 0) {
    text +=
        joined({", \"train_micro_batch_size_per_gpu\": ", run.samples, ", \"train_batch_size\": ", run.global_batch()});
  }
  if (run.precision == "bf16" || run.precision == "fp16")
    text += joined({", \"", run.precision, "\": {\"enabled\": true}"});
  if (run.zero != 0) text += joined({", \"zero_optimization\": {\"stage\": ", run.zero, "}"});
  return text + "}";
}

/// The class of a plan with one stage per rank.
[[nodiscard]] inline std::string deepspeed_class(const std::string& parts) {
  return joined(
      {"class Cut(PipelineModule):\n"
       "    def _partition_layers(self, method='uniform'):\n"
       "        self.parts = ",
       parts,
       "\n"
       "        s = self._topo.get_coord(self.global_rank).pipe\n"
       "        self._set_bounds(start=self.parts[s], stop=self.parts[s+1])"});
}

/// The class of a plan for DualPipeV: two stages per rank, down the ranks and back up.
[[nodiscard]] inline std::string dualpipev_class(const std::string& parts) {
  return joined(
      {"class Cut(DualPipeVModule):\n"
       "    def _partition_layers(self, method='uniform'):\n"
       "        self.num_stages *= 2\n"
       "        self.parts = ",
       parts,
       "\n"
       "        s = self._topo.get_coord(self.global_rank).pipe\n"
       "        self.phase_bounds = [(self.parts[k], self.parts[k+1]) for k in (s, self.num_stages-1-s)]\n"
       "        self._set_bounds(*self.phase_bounds[0])"});
}

}  // namespace detail

STAGECUT_DECL std::string as_deepspeed(const plan& p) {
  detail::check_no_stage_empty(detail::check_target("as_deepspeed", framework::deepspeed, p).name, p);
  const std::string parts = detail::list_text(p.cuts.points());
  return (p.stages_per_rank == 1 ? detail::deepspeed_class(parts) : detail::dualpipev_class(parts)) + detail::deepspeed_run(p);
}

}  // namespace stagecut::inline STAGECUT_ABI::io
