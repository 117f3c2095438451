// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/sapp_bubbles.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <vector>

using stagecut::sapp_bubbles;
using stagecut::sapp_bubbles_of;
using times = std::vector<double>;

namespace {

/// How many messages' time a pipeline loses whose useful time is 1.
double lost(std::size_t ranks, std::size_t chunks, std::size_t microbatches) {
  times forward(ranks * chunks);
  forward[0] = 1 / (3 * static_cast<double>(microbatches));
  return sapp_bubbles_of(ranks, chunks, microbatches, forward, {}, 1, 1).communication;
}

}  // namespace

TEST_CASE("equal stages have the ideal bubble alone") {
  // GPipe and 1F1B of 4 stages and 8 microbatches: 11 times 3.
  const auto found = sapp_bubbles_of(4, 1, 8, times{1, 1, 1, 1}, {}, 33);
  CHECK(found == sapp_bubbles{0.375, 0.375, 0, 0, 0});
  CHECK(sapp_bubbles_of(1, 1, 1, times{5}, {}, 15) == sapp_bubbles{});
  CHECK(sapp_bubbles_of(1, 2, 3, times{5, 3}, {}, 72, 7) == sapp_bubbles{});
}

TEST_CASE("the parts sum to the whole") {
  const auto found = sapp_bubbles_of(2, 2, 4, times{2, 2, 2, 2}, times{1, 0, 0, 2}, 120, 0.5);
  CHECK(found.real == doctest::Approx(240.0 / 96 - 1));
  CHECK(found.ideal == 0.125);
  CHECK(found.recomputation == doctest::Approx(12.0 / 96));
  CHECK(found.communication == doctest::Approx(0.5 * (64 - 16) / 96));
  CHECK(found.real == doctest::Approx(found.ideal + found.imbalance + found.recomputation + found.communication));
  CHECK(sapp_bubbles_of(2, 1, 2, times{1, 1}, {}, 9, 2).imbalance < 0);
}

TEST_CASE("transfers by the shape of the schedule") {
  CHECK(lost(2, 1, 10) == doctest::Approx(40));
  CHECK(lost(4, 1, 10) == doctest::Approx(160 + 64 - 56));
  CHECK(lost(5, 1, 10) == doctest::Approx(200 + 100 - 60));
  CHECK(lost(2, 3, 10) == doctest::Approx(240 - 40));
  CHECK(lost(3, 3, 10) == doctest::Approx(540 - 60 - 6));
  CHECK(lost(4, 3, 10) == doctest::Approx(480 + 12));
  CHECK(lost(5, 3, 10) == doctest::Approx(900 - 100 + 40));
  CHECK(lost(6, 3, 10) == doctest::Approx(720 + 144 - 78));
  CHECK(lost(7, 3, 10) == doctest::Approx(1260 - 294 + 84 - 140 + 294 - 112));
}

TEST_CASE("arguments") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](const char* with, std::size_t ranks, std::size_t chunks, std::size_t microbatches,
                          const times& forward, const times& recomputation, double makespan, double message) {
    CAPTURE(with);
    CHECK_THROWS_WITH_AS((void)sapp_bubbles_of(ranks, chunks, microbatches, forward, recomputation, makespan, message),
                         doctest::Contains(with), stagecut::argument_error);
  };
  refused("ranks = 0", 0, 1, 1, {}, {}, 1, 0);
  refused("stages_per_rank = 0", 1, 0, 1, {}, {}, 1, 0);
  refused("microbatches = 0", 1, 1, 0, {1}, {}, 1, 0);
  refused("microbatches = 1, must be at least as many as ranks", 2, 1, 1, {1, 1}, {}, 1, 0);
  refused("forward = 1, must have an element for each stage", 2, 1, 2, {1}, {}, 1, 0);
  refused("forward = only zeros", 2, 1, 2, {0, 0}, {}, 1, 0);
  refused("forward[1] = -1", 2, 1, 2, {1, -1}, {}, 1, 0);
  refused("forward[0] = ", 2, 1, 2, {nan, 1}, {}, 1, 0);
  refused("recomputation = 1, must have an element for each stage, or none", 2, 1, 2, {1, 1}, {1}, 1, 0);
  refused("recomputation[0] = -2", 2, 1, 2, {1, 1}, {-2, 0}, 1, 0);
  refused("makespan = -1", 2, 1, 2, {1, 1}, {}, -1, 0);
  refused("message = ", 2, 1, 2, {1, 1}, {}, 1, nan);
}
