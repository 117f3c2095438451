// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/schedule/lower_transfers.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include "ranks/rank.hpp"
#include "ranks/setup.hpp"

/// A run of a small model cut as evenly as its layers can be.
[[nodiscard]] inline executor::run_setup small_run(const std::string& schedule, std::size_t ranks,
                                                   std::size_t microbatches) {
  executor::run_setup result;
  const std::size_t chunks = std::max<std::size_t>(1, stagecut::find_schedule(schedule)->stages_per_rank);
  result.order = stagecut::lower_transfers(
      stagecut::make_schedule(schedule, {.ranks = ranks, .stages_per_rank = chunks, .microbatches = microbatches}));
  result.model = {
      .tokens = 6, .width = 8, .words = 11, .hidden = {9, 16, 5, 24, 8, 3, 12}, .microbatches = microbatches};
  const std::size_t stages = result.order.stages();
  for (std::size_t s = 0; s <= stages; ++s) result.cuts.push_back(s * result.model.layers() / stages);
  result.iterations = 2;
  result.warm_up = 1;
  result.poison = true;
  return result;
}

/// What a function says when it throws, and after how many seconds.
template <class Error, class Function>
[[nodiscard]] std::pair<std::string, double> failure_of(const Function& function) {
  const auto start = std::chrono::steady_clock::now();
  std::string said = "nothing";
  try {
    static_cast<void>(function());
  } catch (const Error& error) {
    said = error.what();
  }
  return {said, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
}

/// The ops that a rank ran in an iteration, in words.
[[nodiscard]] inline std::string ops_of(const executor::rank_times& of) {
  std::string result;
  for (const auto& op : of.ops) result += to_string(op.what) + " ";
  for (const auto& op : of.received) result += to_string(op.what) + " ";
  return result;
}

/// The layers' gradients from the ranks that have them.
[[nodiscard]] inline std::vector<std::vector<float>> all_gradients(const std::vector<executor::rank_result>& ranks) {
  std::vector<std::vector<float>> result;
  for (const auto& rank : ranks) {
    result.resize(std::max(result.size(), rank.computed.layers.size()));
    for (std::size_t i = 0; i < rank.computed.layers.size(); ++i) {
      if (!rank.computed.layers[i].empty()) result[i] = rank.computed.layers[i];
    }
  }
  return result;
}
