// SPDX-License-Identifier: BSL-1.0
#include "commands/measure.hpp"

#include <doctest/doctest.h>

#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/fit/fit_link.hpp>

using namespace executor;
using stagecut::link_sample;

TEST_CASE("a link is fitted to messages that take longer with their size") {
  const stagecut::link_fit fit = link_of({{0, 1}, {100, 2}, {200, 3}});
  CHECK(fit.link.latency == doctest::Approx(1));
  CHECK(fit.link.bandwidth == doctest::Approx(100));
}

TEST_CASE("where noise hides what bytes take, the median time is the latency") {
  for (const auto& samples : {std::vector<link_sample>{{4, 3}, {32, 2}, {256, 1}}, {{4, 2}, {32, 2}, {256, 2}}}) {
    const stagecut::link_fit fit = link_of(samples);
    CHECK(fit.link.latency == 2);
    CHECK(fit.link.bandwidth == 0);
    CHECK(fit.r_squared == 0);
    for (const link_sample& sample : samples) {
      CHECK(fit.link(sample.bytes) / sample.seconds - 1 <= fit.largest_error);
    }
    CHECK(fit.largest_error == fit.link(samples[fit.worst].bytes) / samples[fit.worst].seconds - 1);
  }
}

TEST_CASE("a time that is none is refused") {
  CHECK_THROWS_AS(static_cast<void>(link_of({{4, 1}, {32, 0}})), stagecut::invalid_input);
  CHECK_THROWS_AS(static_cast<void>(link_of({})), stagecut::invalid_input);
}
