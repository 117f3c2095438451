// SPDX-License-Identifier: BSL-1.0
#include "output/progress_line.hpp"

#include <doctest/doctest.h>

TEST_CASE("a search tells value, bound, gap and the time left, as far as they are known") {
  stagecut::profile model;
  CHECK(search_text(model, {1, 12, 10, 5, 6}, "makespan", 10, 2.4) ==
        "searching: makespan 12 s, bound 10 s, gap 20.0 %, 8 s left");
  CHECK(search_text(model, {1, 0, 10, 5, 6}, "makespan", 10, 3) == "searching: no plan yet, bound 10 s, 7 s left");
  CHECK(search_text(model, {1, 0, 10, 5, 6}, "makespan", std::nullopt, 3) == "searching: no plan yet, bound 10 s, 3 s");
  CHECK(search_text(model, {1, 12, 0, 5, 6}, "bottleneck", 1, 2) == "searching: bottleneck 12 s, 0 s left");
  CHECK(search_text(model, {1, 10, 10.5, 5, 6}, "makespan", 2, 1).find("gap 0.0 %") != std::string::npos);
  model.weights_only = true;
  CHECK(search_text(model, {1, 12, 10, 5, 6}, "makespan", 4, 2) ==
        "searching: makespan 12, bound 10, gap 20.0 %, 2 s left");
  CHECK(search_text({12, 3, 48, 2.2}) == "planning: 12 of 48 configurations, 2 s");
}
