// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/point_times.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "domain_chains.hpp"

namespace engine = stagecut::engine;
using chains::chain;
using chains::points;
using oracle::dice;
using stagecut::detail::point_domains;
using stagecut::detail::point_times;

namespace {

/// What a cut takes by factors.
double sum_of(const point_times& times, const std::vector<double>& factors, const points& cut) {
  double sum = factors[0];
  std::size_t i = 1;
  for (std::size_t j = 1; j < times.stages(); ++j) {
    for (std::size_t f = 0; f < times.width(); ++f, ++i) sum += factors[i] * times.at(j, f)[cut[j]];
  }
  return sum;
}

}  // namespace

TEST_CASE("any counts of passes and messages, of any cut, as sums over points") {
  dice random(1);
  for (int round = 0; round < 1000; ++round) {
    CAPTURE(round);
    const chain of = chains::random_chain(random, chains::several_order(random, 8), 10, {true, true, false, false});
    chains::with_workbench(of, [&](auto& bench) {
      using namespace stagecut::detail;
      const auto& ticks = bench.ticks;
      const point_times times(ticks);
      CHECK(times.items() == ticks.items);
      CHECK(times.stages() == ticks.stages);
      CHECK(times.width() <= 7);
      std::vector<double> counts(ticks.stages * engine::tick_kinds);
      for (double& count : counts) count = static_cast<double>(random.below(4));
      for (std::size_t s = 0; s < ticks.stages && !ticks.splits; ++s)
        counts[s * engine::tick_kinds + engine::tick_w] = 0;
      for (std::size_t s = 0; s < ticks.stages && !ticks.has_messages; ++s)
        counts[s * engine::tick_kinds + engine::tick_message] = 0;
      std::vector<double> factors;
      times.factors(counts, factors);
      CHECK(factors.size() == 1 + (ticks.stages - 1) * times.width());
      bool same = true;
      for (const points& cut : chains::cuts_of(point_domains(ticks.items, ticks.stages), ticks.items)) {
        same = same && sum_of(times, factors, cut) == chains::length_of(ticks, counts, cut);
      }
      CHECK(same);
    });
  }
}

TEST_CASE("the margin is above what sums are off, and far below what they tell") {
  dice random(2);
  double worst = 0;
  int off = 0;
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    chain of = chains::rough_chain(random, chains::several_order(random, 8), 10, 6);
    of.rules.reset();
    of.request.memory_limit = {};
    chains::with_workbench(of, [&](auto& bench) {
      const auto& ticks = bench.ticks;
      const point_times times(ticks);
      const auto cuts = chains::cuts_of(point_domains(ticks.items, ticks.stages), ticks.items);
      const double margin = times.margin(of.request.schedule.microbatches * of.request.schedule.slices);
      const auto paths = chains::some_paths(random, bench, cuts, 10);
      // Several paths and a mean of all, of weights that are no powers of two.
      std::vector<std::vector<double>> rows(paths.size());
      std::vector<long double> weights(paths.size());
      long double left = 1;
      for (std::size_t r = 0; r < paths.size(); ++r) {
        times.factors(paths[r], rows[r]);
        weights[r] = r + 1 == paths.size() ? left : std::floor(random.fraction() * 0x1p26) * 0x1p-30;
        left -= weights[r];
      }
      std::vector<double> mean(rows[0].size());
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += rows[r][i] * static_cast<double>(weights[r]);
      }
      bool within = true;
      for (std::size_t c = 0; c < cuts.size(); c += 1 + cuts.size() / 50) {
        long double all = 0;
        for (std::size_t r = 0; r < rows.size(); ++r) {
          const auto exact = chains::length_of<long double>(ticks, paths[r], cuts[c]);
          all += weights[r] * exact;
          const double by = std::abs(static_cast<double>(sum_of(times, rows[r], cuts[c]) - exact));
          within = within && by <= margin;
        }
        const double by = std::abs(static_cast<double>(sum_of(times, mean, cuts[c]) - all));
        within = within && by <= margin;
        worst = std::max(worst, by / margin);
        off += by > 0 ? 1 : 0;
      }
      CHECK(within);
      CHECK(margin * ticks.tick <= 0x1p-30 * ticks.most());
    });
  }
  CHECK(off > 1000);  // there is something to be above
  CHECK(worst > 1e-5);
}
