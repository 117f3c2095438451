// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/sweep_row.hpp>
#include <stagecut/profile/profile.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "random_requests.hpp"

/// Small sweeps whose figures are whole, some of whose configurations cannot be planned.
class random_sweeps {
 public:
  explicit random_sweeps(std::uint32_t seed) : dice_(seed) {}

  stagecut::profile profile() {
    stagecut::profile model = dice_.profile(3 + dice_.up_to(7));
    for (stagecut::layer& layer : model.layers) {
      layer.parameters = 10 * dice_.whole(9);
      layer.activations = 8 * dice_.whole(9);
      layer.workspace = dice_.whole(5);
    }
    if (dice_.up_to(4) == 0) model.layers[0].backward_input.reset(), model.layers[0].backward_weight.reset();
    if (dice_.up_to(3) == 0)
      model.machine = {.memory = 300 + dice_.whole(2000), .link = dice_.link(), .buffers = false};
    return model;
  }

  stagecut::plan_request request() {
    stagecut::plan_request result{.devices = 1 + dice_.up_to(2), .microbatches = 2 * (1 + dice_.up_to(2))};
    if (dice_.up_to(1) == 0) result.memory_limit = 100 + dice_.whole(1900);
    if (dice_.up_to(2) == 0) result.links = {{dice_.whole(2), 8}};
    return result;
  }

  stagecut::sweep_axes axes() {
    using enum stagecut::schedule_kind;
    using stagecut::checkpointing;
    stagecut::sweep_axes result;
    result.devices = some<std::size_t>({1, 2, 3, 4});
    result.microbatches = some<std::size_t>({1, 2, 4, 6});
    result.schedules = some<stagecut::schedule_kind>({gpipe, one_forward_one_backward, interleaved, zb_h1, zbv});
    result.stages_per_rank = some<std::size_t>({1, 2, 3});
    result.checkpoints = some<checkpointing>({checkpointing::never, checkpointing::always});
    return result;
  }

 private:
  template <class T>
  std::vector<T> some(const std::vector<T>& all) {
    std::vector<T> result;
    for (const T& each : all) {
      if (dice_.up_to(2) != 0) result.push_back(each);
    }
    return result;
  }

  random_requests::dice dice_;
};
