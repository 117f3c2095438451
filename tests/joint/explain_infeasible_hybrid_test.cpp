// SPDX-License-Identifier: BSL-1.0
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <stagecut/joint/detail/explain_infeasible_hybrid.hpp>

#include <doctest/doctest.h>

#include "hybrid_models.hpp"

using namespace stagecut;

TEST_CASE("the memory that would do is the least of all cuts, whatever times are") {
  std::mt19937 dice(72);
  std::size_t short_of = 0;
  const std::size_t wanted =
      std::getenv("STAGECUT_CASES") ? std::strtoul(std::getenv("STAGECUT_CASES"), nullptr, 10) : 1000;
  for (std::size_t done = 0; done < wanted; ++done) {
    CAPTURE(done);
    joint_tests::hybrid_case drawn = joint_tests::drawn_hybrid(dice, 5, 6);
    double least = std::numeric_limits<double>::max();
    joint_tests::each_hybrid(drawn.model, drawn.request, [&](const std::vector<hybrid_stage>& stages) {
      least = std::min(least, joint_tests::bytes_of(drawn.request, stages));
    });
    if (least == std::numeric_limits<double>::max()) continue;
    drawn.request.memory_limit = least * 0.9;
    const reason why = detail::explain_infeasible_hybrid(detail::stage_options_of(drawn.model), drawn.request);
    REQUIRE(why.what == reason::cause::memory);  // points are not layers here
    CHECK(why.needed == static_cast<std::size_t>(std::ceil(least)));
    CHECK(why.remedy == std::to_string(why.needed) + " bytes a device would do");
    CHECK(why.place.find("stage ") == 0);
    ++short_of;
  }
  MESSAGE(short_of, " were short of memory");
}

TEST_CASE("a search for the reason that is stopped tells what is proved") {
  joint_tests::hybrid_layers model;
  model.layers.assign(5, {{8, 8}, {4, 4}, 10, 0, 0});
  model.shapes = {{1, 1}};
  hybrid_request request;
  request.devices = 3;
  request.memory_limit = 15;
  request.search.node_limit = 0;
  CHECK(detail::explain_infeasible_hybrid(detail::stage_options_of(model), request).what == reason::cause::constraint);
  request.search.node_limit.reset();
  const reason why = detail::explain_infeasible_hybrid(detail::stage_options_of(model), request);
  CHECK(why.what == reason::cause::memory);
  CHECK(why.text() ==
        "stage 1 (layers 1-2, 1 replicas of 1): resident 20 + 1 x 8 activations needs at least 28 bytes, and a device "
        "has "
        "15 bytes; 28 bytes a device would do");
}
