// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "drawn_chains.hpp"

#include <stagecut/core/interval.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/sequence/uniform_cuts.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace bench {

/// The memory of the devices: the sum over their stages, at the worst moment of an iteration.
class device_memory {
 public:
  explicit device_memory(const stagecut::schedule& order) : stages_(order.ranks()), held_(order.ranks()) {
    for (std::size_t s = 0; s < order.stages(); ++s) stages_[order.rank_of[s]].push_back(s);
    for (std::size_t rank = 0; rank < order.ranks(); ++rank) held_[rank] = moments(order, rank);
  }

  /// The peak of any device with a cut.
  [[nodiscard]] double operator()(const chain_model& model, const std::vector<std::size_t>& points) const {
    double most = 0;
    for (std::size_t rank = 0; rank < stages_.size(); ++rank) {
      for (const auto& held : held_[rank]) {
        double sum = 0;
        for (std::size_t j = 0; j < held.size(); ++j) {
          const std::size_t s = stages_[rank][j];
          sum += model.memory(s, points[s], points[s + 1], held[j]);
        }
        most = std::max(most, sum);
      }
    }
    return most;
  }

  /// The minimum of that over all cuts of a chain whose items, except the first and the last, are alike.
  /// @pre as many items as stages, or more, and more than two
  ///
  /// First, per number of layers on each device, minimizes over their distributions among its stages, except those that
  /// take more than the cut with equal stages; then minimizes over the distributions of layers among devices.
  [[nodiscard]] double least(const chain& of) const {
    const std::size_t layers = of.resident.size() - 2;
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const auto even = stagecut::uniform_cuts(of.resident.size(), stage_count());
    std::vector<std::size_t> points{0};
    for (const stagecut::interval each : even->cuts) points.push_back(each.last);
    const double enough = (*this)(chain_model(of), points);
    std::vector<double> before(layers + 1, infinite);
    before[0] = 0;
    for (std::size_t rank = 0; rank < stages_.size(); ++rank) {
      std::vector<double> here(layers + 1, infinite);
      std::vector<std::size_t> counts(stages_[rank].size());
      share_layers(of, rank, enough, 0, counts, here);
      std::vector<double> least(layers + 1, infinite);
      for (std::size_t all = 0; all <= layers; ++all) {
        for (std::size_t own = 0; own <= all; ++own) {
          least[all] = std::min(least[all], std::max(before[all - own], here[own]));
        }
      }
      before = std::move(least);
    }
    return before[layers];
  }

 private:
  /// The numbers of microbatches that the stages of a rank hold at the same time, without dominated moments.
  static std::vector<std::vector<std::size_t>> moments(const stagecut::schedule& order, std::size_t rank) {
    std::vector<std::size_t> part(order.stages());
    std::size_t parts = 0;
    for (std::size_t s = 0; s < order.stages(); ++s) {
      if (order.rank_of[s] == rank) part[s] = parts++;
    }
    std::vector<std::size_t> now(parts);
    std::vector<std::vector<std::size_t>> most;
    const auto covers = [](const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
      return std::equal(a.begin(), a.end(), b.begin(), std::greater_equal<>());
    };
    for (const stagecut::op& each : order.orders[rank]) {
      using stagecut::op_kind;
      if (each.kind == op_kind::backward || each.kind == op_kind::backward_weight) --now[part[each.stage]];
      if (each.kind != op_kind::forward) continue;
      ++now[part[each.stage]];
      if (std::any_of(most.begin(), most.end(), [&](const auto& other) { return covers(other, now); })) continue;
      std::erase_if(most, [&](const auto& other) { return covers(now, other); });
      most.push_back(now);
    }
    return most;
  }

  /// Enumerates the numbers of layers of a rank's stages, from its stage `j` on: later ones have none yet.
  void share_layers(const chain& of, std::size_t rank, double enough, std::size_t j, std::vector<std::size_t>& counts,
                    std::vector<double>& here) const {
    if (j == counts.size()) {
      const std::size_t used = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
      if (used < here.size()) here[used] = std::min(here[used], memory_with(of, rank, counts));
      return;
    }
    const bool at_end = stages_[rank][j] == 0 || stages_[rank][j] + 1 == stage_count();
    for (counts[j] = at_end ? 0 : 1; counts[j] < here.size() && memory_with(of, rank, counts) <= enough; ++counts[j]) {
      share_layers(of, rank, enough, j + 1, counts, here);
    }
    counts[j] = 0;
  }

  [[nodiscard]] double memory_with(const chain& of, std::size_t rank, const std::vector<std::size_t>& counts) const {
    double most = 0;
    for (const auto& held : held_[rank]) {
      double sum = 0;
      for (std::size_t j = 0; j < counts.size(); ++j) {
        const auto item = [&](std::size_t i) {
          return of.resident[i] + static_cast<double>(held[j]) * of.activations[i];
        };
        sum += static_cast<double>(counts[j]) * item(1);
        if (stages_[rank][j] == 0) sum += item(0);
        if (stages_[rank][j] + 1 == stage_count()) sum += item(of.resident.size() - 1);
      }
      most = std::max(most, sum);
    }
    return most;
  }

  [[nodiscard]] std::size_t stage_count() const {
    std::size_t count = 0;
    for (const auto& each : stages_) count += each.size();
    return count;
  }

  std::vector<std::vector<std::size_t>> stages_;             // per rank
  std::vector<std::vector<std::vector<std::size_t>>> held_;  // per rank and moment, by stage
};

}  // namespace bench
