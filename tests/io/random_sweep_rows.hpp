// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/sweep_row.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <vector>

/// Rows of sweeps that never were.
class random_sweep_rows {
 public:
  explicit random_sweep_rows(std::uint32_t seed) : random_(seed) {}

  std::vector<stagecut::sweep_row> rows() {
    std::vector<stagecut::sweep_row> result(up_to(40));
    for (auto& row : result) {
      row.devices = 1 + up_to(63);
      row.microbatches = 1 + up_to(255);
      row.schedule = static_cast<stagecut::schedule_kind>(up_to(stagecut::schedules_made_by_shape - 1));
      row.stages_per_rank = 1 + up_to(3);
      row.checkpoint = static_cast<stagecut::checkpointing>(up_to(2));
      row.state = static_cast<stagecut::state>(up_to(3));
      row.bound = up_to(2) == 0 ? 0 : share();
      row.memory_bound = up_to(2) == 0 ? 0 : 1e11 * share();
      if (row.has_plan()) {
        row.makespan = share();
        row.per_microbatch = row.makespan / 3;
        row.memory = up_to(9) == 0 ? 0 : 1e11 * share();
      } else {
        row.dominated = up_to(1) == 0;
        for (std::size_t i = up_to(9); i-- > 0;) row.why += "a,\" \r;<&>"[up_to(8)];
      }
    }
    static_cast<void>(stagecut::mark_pareto_front(result));
    return result;
  }

 private:
  std::size_t up_to(std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random_); }
  double share() { return std::uniform_real_distribution<double>(0.001, 1)(random_); }

  std::mt19937 random_;
};
