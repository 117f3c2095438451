// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/why_no_recomputation.hpp>

#include <stagecut/joint/minimize_recomputation.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <string>

#include "small_problems.hpp"

using joint_tests::small_case;
using stagecut::minimize_recomputation;
using stagecut::reason;
using stagecut::state;
using stagecut::detail::why_no_recomputation;

namespace {

/// Whether any plan fits into so many bytes.
bool fits(small_case drawn, double bytes) {
  drawn.request.memory_per_device = bytes;
  return !joint_tests::all_plans(joint_tests::workbench(drawn).graph).empty();
}

}  // namespace

TEST_CASE("the bytes that it names would do, and one byte less would not") {
  std::mt19937 dice(1);
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    small_case drawn = joint_tests::any_case(dice, 3, 6, 300);
    if (dice() % 2 == 0) drawn.request.boundary_buffers = 2;
    drawn.request.memory_per_device = static_cast<double>(joint_tests::drawn(dice, 0, 5));
    if (fits(drawn, *drawn.request.memory_per_device)) continue;
    const reason why = why_no_recomputation(drawn.model, drawn.request);
    CHECK(why.what == reason::cause::memory);
    CHECK(static_cast<double>(why.available) == *drawn.request.memory_per_device);
    CHECK(why.needed > why.available);
    CHECK(fits(drawn, static_cast<double>(why.needed)));
    CHECK_FALSE(fits(drawn, static_cast<double>(why.needed - 1)));
    CHECK(why.remedy == std::to_string(why.needed) + " bytes a device would do");
  }
}

TEST_CASE("it is what minimize_recomputation answers, of a plan that keeps least") {
  small_case drawn;
  drawn.model.types = {{"l", 1, 10, 5, 0, {{"none", 2, 0, 20}, {"full", 3, 0, 4}}}};
  drawn.model.layers = {0, 0, 0, 0};
  drawn.request.order = stagecut::one_forward_one_backward(2, 4);
  drawn.request.constant = 100;
  drawn.request.memory_per_device = 120;
  const auto found = minimize_recomputation(drawn.model, drawn.request);
  REQUIRE(found.state() == state::infeasible);
  // One layer and three: 10 + 5 + 2 * 4, and 30 + 5 + 1 * 12. Two and two need 20 + 5 + 2 * 8.
  CHECK(found.why().needed == 100 + 41);
  CHECK(found.why().available == 120);
  CHECK(found.why().place == "a device, with the recomputation of every layer that keeps least,");
  CHECK(found.why().text().find("141 bytes") != std::string::npos);
  drawn.request.memory_per_device = 141;
  CHECK(minimize_recomputation(drawn.model, drawn.request).state() == state::optimal);
  drawn.request.memory_per_device = 140;
  CHECK(minimize_recomputation(drawn.model, drawn.request).state() == state::infeasible);
}

TEST_CASE("ranks of different memory: so much on each would do") {
  small_case drawn;
  drawn.model.types = {{"l", 1, 10, 0, 0, {{"none", 2, 0, 1}}}};
  drawn.model.layers = {0, 0, 0, 0};
  drawn.request.order = stagecut::gpipe(2, 2);
  drawn.request.memory_of_ranks = {9, 30};
  const auto found = minimize_recomputation(drawn.model, drawn.request);
  REQUIRE(found.state() == state::infeasible);
  CHECK(found.why().available == 30);
  const auto needed = static_cast<double>(found.why().needed);
  drawn.request.memory_of_ranks = {needed, needed};
  CHECK(minimize_recomputation(drawn.model, drawn.request).state() == state::optimal);
}
