// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/point_rows.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "domain_chains.hpp"

using chains::chain;
using oracle::dice;
using stagecut::detail::point_domains;
using stagecut::detail::point_rows;
using stagecut::detail::point_times;

TEST_CASE("rows measure what their paths take in any cut, which is no more than its makespan") {
  dice random(1);
  int critical = 0;
  for (int round = 0; round < 1000; ++round) {
    CAPTURE(round);
    const chain of = chains::random_chain(random, chains::several_order(random, 8), 10, {true, true, false, false});
    chains::with_workbench(of, [&](auto& bench) {
      const point_times times(bench.ticks);
      const auto cuts = chains::cuts_of(point_domains(bench.ticks.items, bench.ticks.stages), bench.ticks.items);
      const auto paths = chains::some_paths(random, bench, cuts, random.from(1, 20));
      const point_rows rows = chains::rows_of(times, paths);
      CHECK(rows.size() == paths.size());
      CHECK(rows.groups() == (paths.size() + 7) / 8);
      bool same = true;
      std::vector<double> lengths;
      for (const auto& cut : cuts) {
        const double makespan = bench.simulate(cut);
        lengths.assign(8 * rows.groups(), -1);
        rows.measure(cut, lengths.data());
        for (std::size_t r = 0; r < paths.size(); ++r) {
          const double length = chains::length_of(bench.ticks, paths[r], cut);
          same = same && length <= makespan && rows.length(r, cut) == length && lengths[r] == length;
          critical += length == makespan ? 1 : 0;
        }
        for (std::size_t r = paths.size(); r < lengths.size(); ++r) same = same && lengths[r] == 0;
      }
      CHECK(same);
    });
  }
  CHECK(critical > 10'000);
}

TEST_CASE("a row takes another's place, and groups hold eight side by side") {
  dice random(2);
  const chain of = chains::random_chain(random, chains::several_order(random, 6), 8, {});
  chains::with_workbench(of, [&](auto& bench) {
    const point_times times(bench.ticks);
    point_rows rows(times);
    CHECK(rows.size() == 0);
    CHECK(rows.groups() == 0);
    CHECK(rows.length() == 1 + (bench.ticks.stages - 1) * times.width());
    std::vector<std::vector<double>> written(19);
    for (std::size_t k = 0; k < 60; ++k) {
      const std::size_t place = k < 19 ? k : random.below(19);
      written[place].assign(rows.length(), 0);
      for (double& each : written[place]) each = random.fraction();
      rows.set(place, written[place]);
      CHECK(rows.size() == (k < 19 ? k + 1 : 19));
    }
    bool same = rows.groups() == 3;
    for (std::size_t r = 0; r < 24; ++r) {
      for (std::size_t i = 0; i < rows.length(); ++i) {
        const double should = r < 19 ? written[r][i] : 0;
        same = same && rows.group(r / 8, i)[r % 8] == should;
        if (r < 19) same = same && rows.factor(r, i) == should;
      }
    }
    CHECK(same);
    rows.shrink(9);
    CHECK(rows.size() == 9);
    CHECK(rows.groups() == 2);
    same = true;
    for (std::size_t i = 0; i < rows.length(); ++i) {
      for (std::size_t r = 0; r < 16; ++r) same = same && rows.group(r / 8, i)[r % 8] == (r < 9 ? written[r][i] : 0);
    }
    CHECK(same);
    rows.shrink(0);
    CHECK(rows.groups() == 0);
  });
}
