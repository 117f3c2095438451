// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/interval.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/schedule/schedule.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "random_chains.hpp"

/// Small chains whose stages hold any bytes at all, and what their ranks hold, from the definition.
namespace chains {

/// Rules whose sums are those of tables; they count what is asked of them.
class table_rules final : public stagecut::engine::cut_rules {
 public:
  std::size_t items = 0;
  std::vector<std::vector<std::size_t>> stages{};      // of every rank
  std::vector<stagecut::detail::held_moments> held{};  // of every rank
  std::vector<std::vector<double>> bytes{};            // of every stage: of [first, last) with 0, 1, ...
  std::vector<std::vector<char>> may_be{};             // of every stage: of [first, last)
  double limit = 0;
  bool sums = true;       // whether it says that they are
  std::size_t pairs = 0;  // a rule that is no sum: as many items more or less in the stages of a rank; 0: none
  mutable std::size_t asked_memory = 0;
  mutable std::size_t asked_rank = 0;

  [[nodiscard]] bool allows(std::size_t s, std::size_t first, std::size_t last) const override {
    return may_be[s][first * (items + 1) + last] != 0;
  }
  [[nodiscard]] bool hopeless(std::size_t, std::size_t, std::size_t) const override { return false; }
  [[nodiscard]] bool allows_rank(std::size_t rank, stagecut::view<const stagecut::interval> parts) const override {
    ++asked_rank;
    for (std::size_t j = 1; j < parts.size() && pairs != 0; ++j) {
      if ((parts[j].last - parts[j].first + parts[0].last - parts[0].first) % pairs == 0) return false;
    }
    for (const auto& moment : held[rank]) {
      double sum = 0;
      for (std::size_t j = 0; j < parts.size(); ++j) {
        sum += of(stages[rank][j], parts[j].first, parts[j].last, moment[j]);
      }
      if (sum > limit) return false;
    }
    return true;
  }
  [[nodiscard]] bool has_rank_rules() const override { return true; }
  [[nodiscard]] const stagecut::detail::held_moments* moments(std::size_t rank) const override {
    return sums ? &held[rank] : nullptr;
  }
  [[nodiscard]] double stage_memory(std::size_t s, std::size_t first, std::size_t last,
                                    stagecut::detail::held_microbatches count) const override {
    ++asked_memory;
    return of(s, first, last, count);
  }
  [[nodiscard]] double memory_limit() const override { return limit; }

  [[nodiscard]] double of(std::size_t s, std::size_t first, std::size_t last,
                          stagecut::detail::held_microbatches held_now) const {
    const double kept = bytes[s][(first * (items + 1) + last) * most_held + held_now.in_flight];
    return held_now.recomputed == 0 ? kept : kept * (1 + 0.5 * static_cast<double>(held_now.recomputed));
  }

  static constexpr std::size_t most_held = 4;
};

/// Whose stages stand on ranks in any order; a schedule that says no more than that.
[[nodiscard]] inline schedule placement(dice& random, std::size_t ranks, std::size_t chunks) {
  schedule order;
  order.microbatches = 1;
  order.orders.resize(ranks);
  const std::size_t how = random.below(3);
  for (std::size_t s = 0; s < ranks * chunks; ++s) {
    const std::size_t lap = s / ranks;
    const std::size_t r = s % ranks;
    order.rank_of.push_back(how == 0                   ? r
                            : how == 1 && lap % 2 == 1 ? ranks - 1 - r
                            : how == 1                 ? r
                                                       : random.below(ranks));
  }
  return order;
}

/// What stages hold: sums over items, or anything; moments; stages that may not be.
[[nodiscard]] inline table_rules* random_rules(dice& random, const schedule& order, std::size_t items) {
  auto* const made = new table_rules;
  const std::size_t stages = order.stages();
  made->items = items;
  made->stages.resize(order.ranks());
  for (std::size_t s = 0; s < stages; ++s) made->stages[order.rank_of[s]].push_back(s);
  for (const auto& stage : made->stages) {
    auto& moments = made->held.emplace_back();
    for (std::size_t i = random.from(1, 3); i-- > 0;) {
      auto& moment = moments.emplace_back();
      for (std::size_t j = 0; j < stage.size(); ++j)
        moment.push_back({random.below(table_rules::most_held), random.below(2)});
    }
  }
  const std::size_t how = random.below(4);
  const bool real = random.once_in(2);
  std::vector<double> fixed;
  std::vector<double> kept;
  const auto number = [&](std::size_t most) {
    return real ? static_cast<double>(most) * random.fraction() : static_cast<double>(random.below(most + 1));
  };
  for (std::size_t i = 0; i < items; ++i) {
    fixed.push_back(how == 1 ? 4 : number(9));
    kept.push_back(how == 1 ? 1 : number(3));
  }
  const bool all = random.once_in(2);
  for (std::size_t s = 0; s < stages; ++s) {
    auto& bytes = made->bytes.emplace_back((items + 1) * (items + 1) * table_rules::most_held);
    auto& may = made->may_be.emplace_back((items + 1) * (items + 1));
    for (std::size_t first = 0; first < items; ++first) {
      for (std::size_t last = first + 1; last <= items; ++last) {
        may[first * (items + 1) + last] = all || !random.once_in(6) ? 1 : 0;
        double here = how == 3 ? number(30) : 0;
        const double more = how == 3 ? number(9) : 0;
        for (std::size_t k = 0; k < table_rules::most_held; ++k) {
          double sum = here + static_cast<double>(k) * more + (how == 2 ? number(5) : 0);
          for (std::size_t i = first; i < last && how != 3; ++i) sum += fixed[i] + static_cast<double>(k) * kept[i];
          bytes[(first * (items + 1) + last) * table_rules::most_held + k] = sum;
        }
      }
    }
  }
  return made;
}

/// The least limit with which a cut is allowed, but for other rules; infinite if there is none.
[[nodiscard]] inline double least_limit(const table_rules& rules, const schedule& order) {
  double least = std::numeric_limits<double>::infinity();
  each_cut(rules.items, order.stages(), [&](const points& cut) {
    double fullest = 0;
    for (std::size_t s = 0; s < order.stages(); ++s) {
      if (!rules.allows(s, cut[s], cut[s + 1])) return;
    }
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      for (const auto& moment : rules.held[r]) {
        double sum = 0;
        for (std::size_t j = 0; j < moment.size(); ++j) {
          const std::size_t s = rules.stages[r][j];
          sum += rules.of(s, cut[s], cut[s + 1], moment[j]);
        }
        fullest = std::max(fullest, sum);
      }
    }
    least = std::min(least, fullest);
  });
  return least;
}

}  // namespace chains
