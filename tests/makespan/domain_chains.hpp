// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/engine/chain_times.hpp>
#include <stagecut/makespan/detail/point_domains.hpp>
#include <stagecut/makespan/detail/point_rows.hpp>
#include <stagecut/makespan/detail/point_times.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "random_chains.hpp"

namespace engine = stagecut::engine;

namespace chains {

/// A schedule of few ranks, each with several stages.
[[nodiscard]] inline schedule several_order(dice& random, std::size_t most_stages) {
  const auto kind = any_kind(random, [](const stagecut::schedule_entry& entry) { return entry.stages_per_rank != 1; });
  sizes most{most_stages, 4, 8, 0};
  if (random.once_in(4)) most.chunks = 4;
  return random_order(random, kind, most);
}

/// A random part of all domains that contains some cut.
[[nodiscard]] inline stagecut::detail::point_domains random_domains(dice& random, std::size_t items,
                                                                    std::size_t stages) {
  for (;;) {
    stagecut::detail::point_domains result(items, stages);
    for (std::size_t j = 1; j < stages; ++j) {
      if (random.once_in(2)) continue;
      result.low[j] = static_cast<std::uint32_t>(random.from(result.low[j], result.high[j]));
      result.high[j] = static_cast<std::uint32_t>(random.from(result.low[j], result.high[j]));
    }
    if (stagecut::detail::point_domains(result).tighten()) return result;
  }
}

[[nodiscard]] inline bool lies_in(const stagecut::detail::point_domains& domains, const points& cut) {
  for (std::size_t j = 1; j < domains.low.size(); ++j) {
    if (cut[j] < domains.low[j] || cut[j] > domains.high[j]) return false;
  }
  return true;
}

/// All cuts of domains, of n items.
[[nodiscard]] inline std::vector<points> cuts_of(const stagecut::detail::point_domains& domains, std::size_t n) {
  std::vector<points> result;
  each_cut(n, domains.low.size(), [&](const points& cut) {
    if (lies_in(domains, cut)) result.push_back(cut);
  });
  return result;
}

/// How long a path is for a cut, from the times of its passes and messages.
template <class Number = double, class Ticks>
[[nodiscard]] Number length_of(const Ticks& ticks, const std::vector<double>& counts, const points& cut) {
  using namespace stagecut::detail;
  Number sum = 0;
  for (std::size_t s = 0; s < ticks.stages; ++s) {
    for (const auto kind : {engine::tick_f, engine::tick_b, engine::tick_w}) {
      sum += static_cast<Number>(counts[s * engine::tick_kinds + kind]) *
             static_cast<Number>(ticks.pass(kind, s, cut[s], cut[s + 1]));
    }
    if (s + 1 == ticks.stages) continue;
    sum += static_cast<Number>(counts[s * engine::tick_kinds + engine::tick_message]) *
           static_cast<Number>(ticks.message(s, cut[s + 1]));
  }
  return sum;
}

/// Critical paths of some of these cuts, as counts.
template <class Bench>
[[nodiscard]] std::vector<std::vector<double>> some_paths(dice& random, Bench& bench, const std::vector<points>& cuts,
                                                          std::size_t number) {
  std::vector<std::vector<double>> result(number);
  for (auto& each : result) {
    bench.simulate(cuts[random.below(cuts.size())]);
    bench.simulate.count_critical(each);
  }
  return result;
}

/// These paths as rows.
[[nodiscard]] inline stagecut::detail::point_rows rows_of(const stagecut::detail::point_times& times,
                                                          const std::vector<std::vector<double>>& paths) {
  stagecut::detail::point_rows result(times);
  std::vector<double> factors;
  for (const auto& path : paths) {
    times.factors(path, factors);
    result.set(result.size(), factors);
  }
  return result;
}

}  // namespace chains
