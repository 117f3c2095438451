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

TEST_CASE("the objective that nobody chose has a name, which is none of the words") {
  CHECK(std::string(to_string(stagecut::plan_objective::automatic)) == "automatic");
  CHECK(stagecut::find_name(stagecut::objective_names, "automatic") == nullptr);
  CHECK(to_string(stagecut::plan_request().objective) == std::string("automatic"));
}
