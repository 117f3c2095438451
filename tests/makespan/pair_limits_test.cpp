// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/pair_limits.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>

#include "stage_chains.hpp"

using chains::chain;
using oracle::dice;
using stagecut::detail::pair_bounds;
using stagecut::detail::pair_limits;
using stagecut::engine::layered_graph;

TEST_CASE("no second stage is left out that is short enough, and in the end few are left in that are not") {
  dice random(1);
  std::size_t asked = 0;
  std::size_t loose = 0;
  std::size_t none = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const chain of = chains::next_pair_chain(random, 12);
    const bool vee = stagecut::engine::stage_layout(of.request.order).kind == chains::stage_layout::shape::vee;
    const std::size_t n = of.model.size();
    const std::size_t p = of.request.order.ranks();
    if (vee || p < 2 || n < 2 * p + 2) continue;
    chains::with_workbench(of, [&](auto& bench) {
      pair_bounds bounds(bench.ticks, of.request.order, bench.layout);
      if (!bounds.steady()) return;
      pair_limits limits;
      bool sound = true;
      for (std::uint32_t x = static_cast<std::uint32_t>(p); x + p <= n; ++x) {
        const layered_graph::node u{1, {x, 0, x}};
        const auto end = [&](std::size_t width) {
          return layered_graph::node{2, {x, 1, static_cast<std::uint32_t>(x + width)}};
        };
        const std::size_t last = n - p + 1 - x;
        const double most = bounds(u, end(1 + random.below(last))) - (random.once_in(2) ? 1 : 0);
        std::size_t expected = 0;
        while (expected < last && bounds(u, end(expected + 1)) <= most) ++expected;
        std::size_t widest = last;
        std::size_t choices = 0;
        const bool any = limits.narrow(bounds, u, end, most, 1, widest, choices);
        for (std::size_t width = 1; width <= last; ++width) {
          const bool is = bounds(u, end(width)) > most;
          sound = sound && (is || !limits.above(bounds, u, end(width), most, choices));
        }
        sound = sound && choices != 0 && (any ? widest >= expected : expected == 0);
        ++asked;
        if (any && widest > expected) ++loose;
        if (!any) ++none;
      }
      CHECK(sound);
    });
  }
  CHECK(asked > 100);
  CHECK(none > 10);
  CHECK(loose < asked / 4);
}
