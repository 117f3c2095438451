// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/orders/synthesis_request.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>

/// Small problems of all kinds: one stage a rank and several, backward passes whole or apart, little memory and much.
struct small_orders {
  using ticks = std::int64_t;

  explicit small_orders(std::uint32_t seed) : random(seed) {}

  [[nodiscard]] std::size_t up_to(std::size_t most) { return random() % (most + 1); }

  void next(std::size_t ranks, std::size_t chunks, std::size_t microbatches, bool split) {
    times = {};
    transfers = {};
    request = {};
    const std::size_t stages = ranks * chunks;
    const bool vee = chunks == 2 && up_to(1) == 0;
    request.rank_of = vee ? stagecut::v_placement(ranks) : stagecut::loop_placement(ranks, chunks);
    request.microbatches = microbatches;
    request.split = split;
    request.search = {.node_limit = 1500};
    const bool some_whole = split && up_to(3) == 0;
    const bool recomputes = up_to(3) == 0;
    for (std::size_t s = 0; s < stages; ++s) {
      times.forward.push_back(static_cast<ticks>(up_to(20)));
      (split ? times.backward_input : times.backward).push_back(static_cast<ticks>(up_to(20)));
      if (split) times.backward_weight.push_back(static_cast<ticks>(up_to(20)));
      if (some_whole) times.backward.push_back(static_cast<ticks>(up_to(20)));
      if (some_whole) request.whole.push_back(up_to(1) == 0);
      request.bytes.activations.push_back(static_cast<double>(up_to(9)));
      request.bytes.weight_part.push_back(
          static_cast<double>(up_to(static_cast<std::size_t>(request.bytes.activations[s]))));
      if (recomputes) request.bytes.recomputed.push_back(static_cast<double>(up_to(4)));
      request.bytes.resident.push_back(static_cast<double>(up_to(5)));
      if (stages > 1 && s + 1 < stages) transfers.forward.push_back(static_cast<ticks>(up_to(8)));
    }
    if (up_to(1) == 0) transfers.backward = transfers.forward;
    if (up_to(2) == 0) transfers.forward.clear();
    if (up_to(2) == 0) times.all_reduce.assign(stages, static_cast<ticks>(up_to(30)));
    if (up_to(2) == 0) times.optimizer_step.assign(ranks, static_cast<ticks>(up_to(30)));
    transfers.kind = stagecut::transfer_kind::latency;
    limit(0.9, 3);
  }

  /// Memory of `least` to `most` times a microbatch's bytes on a rank, plus the resident bytes.
  void limit(double least, double most) {
    std::vector<double> limits;
    for (std::size_t r = 0; r < 1 + *std::max_element(request.rank_of.begin(), request.rank_of.end()); ++r) {
      double kept = 0;
      double resident = 0;
      for (std::size_t s = 0; s < request.rank_of.size(); ++s) {
        if (request.rank_of[s] != r) continue;
        kept += request.bytes.activations[s];
        resident += request.bytes.resident[s];
      }
      const double share = least + (most - least) * static_cast<double>(up_to(100)) / 100;
      limits.push_back(resident + static_cast<double>(static_cast<ticks>(kept * share)));
    }
    request.memory_limit = limits;
  }

  std::mt19937 random;
  stagecut::pass_times<ticks> times{};
  stagecut::transfer_times<ticks> transfers{};
  stagecut::synthesis_request request{};
};
