// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/dapple_plan.hpp>

#include <cstddef>
#include <utility>

#include <stagecut/core/error.hpp>
#include <stagecut/joint/detail/check_placed.hpp>
#include <stagecut/joint/detail/dapple_search.hpp>
#include <stagecut/joint/equal_machines.hpp>
#include <stagecut/joint/placed_layers.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL dapple_answer dapple_plan_fn::operator()(const placed_layers& batch, const equal_machines& machines,
                                                       std::size_t batch_size, std::size_t microbatch_size) const {
  detail::check_placed("dapple_plan", batch, machines);
  const auto at_least_one = [](const char* argument, std::size_t value) {
    if (value == 0) detail::fail(argument_error("dapple_plan", argument, "0", "must be at least 1"));
  };
  at_least_one("batch_size", batch_size);
  at_least_one("microbatch_size", microbatch_size);
  detail::dapple_search search(batch, machines, batch_size, microbatch_size);
  const auto best = search.best();
  dapple_answer answer;
  answer.pipelines = best.pipelines;
  answer.speedup = best.speedup;
  for (const detail::dapple_stage& each : best.stages) {
    placed_stage stage;
    stage.first = each.first;
    stage.last = each.last;
    stage.of_machine = each.devices;
    stage.option.replicas = detail::devices_in(each.devices);
    answer.stages.push_back(std::move(stage));
  }
  return answer;
}

}  // namespace stagecut::inline STAGECUT_ABI
