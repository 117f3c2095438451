// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/plan_request.hpp>

#include <doctest/doctest.h>

#include <string>

TEST_CASE("objectives have names") {
  std::string names;
  using enum stagecut::plan_objective;
  for (const auto each : {makespan, bottleneck, leximax, range, variance}) {
    names += to_string(each);
    names += ' ';
  }
  CHECK(names == "makespan bottleneck leximax range variance ");
}
