// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/row_bounds.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "domain_chains.hpp"

using chains::chain;
using chains::points;
using oracle::dice;
using stagecut::detail::point_domains;
using stagecut::detail::point_rows;
using stagecut::detail::point_times;
using stagecut::detail::row_bounds;
using stagecut::engine::no_ticks;

namespace {

/// Of all cuts, and of those with point j at, up to, or from a place: the largest least of any row.
struct expected {
  double all = 0;
  std::vector<std::vector<double>> at, up_to, from;

  expected(const point_rows& rows, const std::vector<points>& cuts, std::size_t items, std::size_t stages)
      : at(stages, std::vector<double>(items + 1)), up_to(at), from(at) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      double least = no_ticks;
      std::vector<std::vector<double>> here(stages, std::vector<double>(items + 1, no_ticks));
      for (const points& cut : cuts) {
        const double length = rows.length(r, cut);
        least = std::min(least, length);
        for (std::size_t j = 1; j < stages; ++j) here[j][cut[j]] = std::min(here[j][cut[j]], length);
      }
      all = std::max(all, least);
      for (std::size_t j = 1; j < stages; ++j) {
        double run = no_ticks;
        for (std::size_t y = 0; y <= items; ++y) {
          at[j][y] = std::max(at[j][y], here[j][y]);
          run = std::min(run, here[j][y]);
          up_to[j][y] = std::max(up_to[j][y], run);
        }
        run = no_ticks;
        for (std::size_t y = items + 1; y-- > 0;) {
          run = std::min(run, here[j][y]);
          from[j][y] = std::max(from[j][y], run);
        }
      }
    }
  }
};

}  // namespace

TEST_CASE("the least of rows, of all cuts of domains and of those with a point somewhere, as of all cuts one by one") {
  dice random(1);
  for (int round = 0; round < 700; ++round) {
    CAPTURE(round);
    const chain of = chains::random_chain(random, chains::several_order(random, 8), 11, {true, true, false, false});
    chains::with_workbench(of, [&](auto& bench) {
      const std::size_t n = bench.ticks.items;
      const std::size_t stages = bench.ticks.stages;
      const point_times times(bench.ticks);
      const auto every = chains::cuts_of(point_domains(n, stages), n);
      const auto paths = chains::some_paths(random, bench, every, random.from(1, 20));
      const point_rows rows = chains::rows_of(times, paths);
      row_bounds bounds(times);
      for (int part = 0; part < 3; ++part) {
        point_domains domains = chains::random_domains(random, n, stages);
        if (random.once_in(2)) (void)domains.tighten();
        const auto cuts = chains::cuts_of(domains, n);
        const expected should(rows, cuts, n, stages);
        bounds.begin(domains);
        double most = 0;
        bool same = true;
        std::vector<double> factors(rows.length());
        points least_cut;
        for (std::size_t g = 0; g < rows.groups(); ++g) {
          double least[row_bounds::lanes];
          bounds.sweep(rows, g, least);
          for (std::size_t l = 0; l < row_bounds::lanes; ++l) {
            most = std::max(most, least[l]);
            const std::size_t r = g * row_bounds::lanes + l;
            if (r >= rows.size()) continue;
            for (std::size_t i = 0; i < factors.size(); ++i) factors[i] = rows.factor(r, i);
            same = same && bounds.least(factors, domains, least_cut) == least[l];
            same = same && std::find(cuts.begin(), cuts.end(), least_cut) != cuts.end();
            same = same && rows.length(r, least_cut) == least[l];
          }
          bounds.mark();
        }
        CHECK(same);
        CHECK(most == should.all);
        // What is told is of the domains as they were.
        const point_domains now = domains;
        domains = point_domains(n, stages);
        bool told = true;
        for (std::size_t j = 1; j < stages; ++j) {
          for (std::size_t y = now.low[j]; y <= now.high[j]; ++y) {
            if (should.at[j][y] < no_ticks) told = told && bounds.at(j, y) == should.at[j][y];
            if (should.up_to[j][y] < no_ticks) told = told && bounds.up_to(j, y) == should.up_to[j][y];
            if (should.from[j][y] < no_ticks) told = told && bounds.from(j, y) == should.from[j][y];
          }
        }
        CHECK(told);
      }
    });
  }
}

TEST_CASE("rows that are limits tell whether all cuts with a point somewhere are above them, and no more") {
  dice random(2);
  int beyond = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const chain of = chains::random_chain(random, chains::several_order(random, 8), 11, {true, true, false, false});
    chains::with_workbench(of, [&](auto& bench) {
      const std::size_t n = bench.ticks.items;
      const std::size_t stages = bench.ticks.stages;
      const point_times times(bench.ticks);
      const point_domains domains(n, stages);
      const auto cuts = chains::cuts_of(domains, n);
      const point_rows rows = chains::rows_of(times, chains::some_paths(random, bench, cuts, 5));
      const expected should(rows, cuts, n, stages);
      const double limit = bench.simulate(cuts[random.below(cuts.size())]);
      row_bounds bounds(times);
      bounds.begin(domains);
      double least[row_bounds::lanes];
      bounds.sweep(rows, 0, least);
      bounds.mark(limit);
      bool told = true;
      const auto of_limit = [&](double value) { return value > limit ? no_ticks : -no_ticks; };
      for (std::size_t j = 1; j < stages; ++j) {
        for (std::size_t y = domains.low[j]; y <= domains.high[j]; ++y) {
          told = told && bounds.at(j, y) == of_limit(should.at[j][y]);
          told = told && bounds.up_to(j, y) == of_limit(should.up_to[j][y]);
          told = told && bounds.from(j, y) == of_limit(should.from[j][y]);
          beyond += should.at[j][y] > limit ? 1 : 0;
        }
      }
      CHECK(told);
    });
  }
  CHECK(beyond > 100);
}
