// SPDX-License-Identifier: BSL-1.0
#include <stagecut/sequence/uniform_cuts.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <vector>

using stagecut::uniform_cuts;

TEST_CASE("DeepSpeed's cases, but for the empty stages") {
  std::ifstream file(STAGECUT_TEST_DATA "/sequence/sequence_cases.json");
  REQUIRE(file);
  std::size_t compared = 0;
  for (const auto& each : nlohmann::json::parse(file)) {
    if (!each.contains("num_items")) continue;
    const auto items = each["num_items"].get<std::size_t>();
    const auto stages = each["k"].get<std::size_t>();
    const auto answer = uniform_cuts(items, stages);
    ++compared;
    if (stages > items) {
      CHECK(answer.state() == stagecut::state::infeasible);
      continue;
    }
    REQUIRE(answer);
    CAPTURE(each.dump());
    const auto points = answer->cuts.points();
    CHECK(std::vector<std::size_t>(points.begin(), points.end()) ==
          each["peer_expected_cuts"].get<std::vector<std::size_t>>());
  }
  CHECK(compared == 4);
}

TEST_CASE("stages differ by one item at most, the longer ones first") {
  for (std::size_t n = 1; n <= 40; ++n) {
    for (std::size_t k = 1; k <= n; ++k) {
      const auto answer = uniform_cuts(n, k);
      REQUIRE(answer->cuts.stages() == k);
      REQUIRE(answer->cuts.items() == n);
      const auto sizes = answer->cuts.sizes();
      for (std::size_t s = 1; s < k; ++s) REQUIRE(sizes[s - 1] >= sizes[s]);
      REQUIRE(sizes.front() - sizes.back() <= 1);
      CHECK(answer->value == sizes.front());
      CHECK(answer->bound == answer->value);
    }
  }
  CHECK(uniform_cuts(2, 3).why().text() == "3 stages need at least 3 layers, and there are 2");
  CHECK_THROWS_WITH_AS((void)uniform_cuts(2, 0), "stagecut::uniform_cuts: stages = 0, must be at least 1",
                       stagecut::argument_error);
}
