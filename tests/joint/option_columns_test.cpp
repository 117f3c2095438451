// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/option_columns.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "reference_program.hpp"

using joint_tests::workbench;
using stagecut::detail::option_columns;
using stagecut::detail::option_paths;
using stagecut::engine::tick_kinds;

TEST_CASE("columns of live options: what a rank takes, the layers of every type, and the length of paths") {
  std::mt19937 dice(1);
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    const workbench bench(joint_tests::any_case(dice, 3));
    if (bench.graph.options() == 0) continue;
    const std::size_t ranks = bench.graph.ranks.size();
    const std::size_t types = bench.drawn.model.types.size();
    option_columns columns(bench.problem);
    REQUIRE(columns.fixed() == ranks + types);
    for (std::size_t r = 0; r < ranks; ++r) CHECK(columns.side(r) == 1);
    for (std::size_t t = 0; t < types; ++t) {
      const auto& layers = bench.drawn.model.layers;
      CHECK(columns.side(ranks + t) == static_cast<double>(std::count(layers.begin(), layers.end(), t)));
    }

    option_paths::live_options live = option_paths::all_live(bench.graph);
    for (auto& rank : live) {
      for (char& each : rank) each = dice() % 4 == 0 ? 0 : 1;
    }
    columns.take(live);
    const auto some = [&](std::size_t size) {
      std::vector<double> all(size);
      for (double& each : all) each = static_cast<double>(dice() % 7) - 3;
      return all;
    };
    const std::vector<double> multipliers = some(columns.fixed());
    const std::vector<double> weights = some(bench.drawn.request.schedule.stages() * tick_kinds);
    columns.price(multipliers.data(), weights, &option_columns::of_rank::row);
    for (std::size_t r = 0; r < ranks; ++r) {
      const option_columns::of_rank& here = columns.live()[r];
      std::size_t c = 0;
      for (std::uint32_t o = 0; o < live[r].size(); ++o) {
        std::vector<double> times(weights.size());
        bench.problem.put(r, o, times);
        double length = 0;
        for (std::size_t j = 0; j < times.size(); ++j) length += weights[j] * times[j];
        CHECK(columns.weigh(r, o, weights) == length);

        std::vector<double> column(columns.fixed());
        columns.column(r, o, column);
        double product = length;
        for (std::size_t i = 0; i < column.size(); ++i) product += multipliers[i] * column[i];
        for (std::size_t i = 0; i < ranks; ++i) CHECK(column[i] == (i == r ? 1 : 0));
        double layers = 0;
        double counted = 0;
        for (std::size_t t = 0; t < types; ++t) layers += column[ranks + t];
        for (const auto content : bench.graph.ranks[r].classes()[bench.graph.ranks[r].class_of(o)].of) {
          counted += static_cast<double>(bench.curves[content].layers());
        }
        CHECK(layers == counted);
        if (live[r][o] == 0) continue;
        REQUIRE(c < here.ids.size());
        CHECK(here.ids[c] == o);
        CHECK(here.row[c] == product);
        ++c;
      }
      CHECK(c == here.ids.size());
    }
  }
}
