// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/coarse_ticks.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>

#include "../makespan/random_chains.hpp"

namespace engine = stagecut::engine;
using chains::chain;
using oracle::dice;
using stagecut::engine::coarse_ticks;

TEST_CASE("coarse times are whole multiples of a unit, at most what they are of, and little less") {
  dice random(1);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const auto order = chains::random_order(random, kind, {10, 4, 8});
    const chain of =
        random.once_in(2) ? chains::rough_chain(random, order, 12) : chains::random_chain(random, order, 12, {});
    chains::with_workbench(of, [&](auto& bench) {
      const auto& ticks = bench.ticks;
      const std::size_t passes = order.microbatches * order.slices;
      const engine::coarse_ticks coarse(ticks, passes);
      const double excess = coarse.least_excess();
      CHECK(excess > 0);
      CHECK(excess <= 1);
      const double unit = excess < 1 ? excess * engine::coarse_ticks::parts : 1;
      bool sound = true;
      const auto check = [&](double less, double all, double parts) {
        sound = sound && less <= all && less >= 0 && std::fmod(less, unit) == 0;
        sound = sound && all - less <= parts * std::ldexp(ticks.most() / ticks.tick + 1, -20);
      };
      for (std::size_t s = 0; s < ticks.stages; ++s) {
        for (std::size_t each = 0; each < 3; ++each) {
          for (std::size_t first = 0; first < ticks.items; ++first) {
            for (std::size_t last = first; last <= ticks.items; ++last) {
              check(coarse.pass(each, s, first, last), ticks.pass(each, s, first, last),
                    static_cast<double>(1 + last - first));
            }
          }
        }
        for (std::size_t y = 0; s + 1 < ticks.stages && y <= ticks.items; ++y) {
          check(coarse.message(s, y), ticks.message(s, y), 1);
        }
      }
      CHECK(sound);
    });
  }
}
