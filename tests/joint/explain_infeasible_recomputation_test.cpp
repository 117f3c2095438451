// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/explain_infeasible_recomputation.hpp>

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
using stagecut::detail::explain_infeasible_recomputation;

namespace {

/// Whether any plan fits into `bytes`.
bool fits(small_case drawn, double bytes) {
  drawn.request.memory_limit = bytes;
  return !joint_tests::all_plans(joint_tests::workbench(drawn).graph).empty();
}

}  // namespace

TEST_CASE("the bytes that it names would do, and one byte less would not") {
  std::mt19937 dice(1);
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    small_case drawn = joint_tests::any_case(dice, 3, 6, 300);
    if (dice() % 2 == 0) drawn.request.boundary_buffers = 2;
    drawn.request.memory_limit = static_cast<double>(joint_tests::drawn(dice, 0, 5));
    if (fits(drawn, *drawn.request.memory_limit.for_all())) continue;
    const reason why = explain_infeasible_recomputation(drawn.model, drawn.request);
    CHECK(why.what == reason::cause::memory);
    CHECK(static_cast<double>(why.available) == *drawn.request.memory_limit.for_all());
    CHECK(why.needed > why.available);
    CHECK(fits(drawn, static_cast<double>(why.needed)));
    CHECK_FALSE(fits(drawn, static_cast<double>(why.needed - 1)));
    CHECK(why.remedy == std::to_string(why.needed) + " bytes a device would do");
  }
}

TEST_CASE("it is what minimize_recomputation answers, of a plan that needs least") {
  small_case drawn;
  drawn.model.types = {{"l", 1, 10, 5, 0, {{"none", 2, 0, 20}, {"full", 3, 0, 4}}}};
  drawn.model.layers = {0, 0, 0, 0};
  drawn.request.schedule = stagecut::one_forward_one_backward(2, 4);
  drawn.request.constant = 100;
  drawn.request.memory_limit = 120;
  const auto found = minimize_recomputation(drawn.model, drawn.request);
  REQUIRE(found.state() == state::infeasible);
  // One layer and three: 10 + 5 + 2 * 4, and 30 + 5 + 1 * 12. Two and two need 20 + 5 + 2 * 8.
  CHECK(found.why().needed == 100 + 41);
  CHECK(found.why().available == 120);
  CHECK(found.why().place == "a device, with the recomputation of every layer that needs least,");
  CHECK(found.why().text().find("141 bytes") != std::string::npos);
  drawn.request.memory_limit = 141;
  CHECK(minimize_recomputation(drawn.model, drawn.request).state() == state::optimal);
  drawn.request.memory_limit = 140;
  CHECK(minimize_recomputation(drawn.model, drawn.request).state() == state::infeasible);
}

TEST_CASE("ranks of different memory: so much on each would do") {
  small_case drawn;
  drawn.model.types = {{"l", 1, 10, 0, 0, {{"none", 2, 0, 1}}}};
  drawn.model.layers = {0, 0, 0, 0};
  drawn.request.schedule = stagecut::gpipe(2, 2);
  drawn.request.memory_limit = {9, 30};
  const auto found = minimize_recomputation(drawn.model, drawn.request);
  REQUIRE(found.state() == state::infeasible);
  // A layer is 12 bytes with two microbatches: the second rank has three of them.
  CHECK(
      found.why().text() ==
      "no cut keeps to the constraint: the memory of devices, with the recomputation of every layer that needs least; "
      "6 bytes more on every device would do");
  drawn.request.memory_limit = {14, 35};
  CHECK(minimize_recomputation(drawn.model, drawn.request).state() == state::infeasible);
  drawn.request.memory_limit = {15, 36};
  CHECK(minimize_recomputation(drawn.model, drawn.request).state() == state::optimal);
}

TEST_CASE("what keeps more may need less, where it needs less workspace") {
  small_case drawn;
  drawn.model.types = {{"l", 1, 0, 0, 0, {{"none", 2, 0, 20}, {"full", 3, 0, 4, 1000}}}};
  drawn.model.layers = {0, 0};
  drawn.request.schedule = stagecut::one_forward_one_backward(2, 2);
  drawn.request.memory_limit = 39;
  const auto found = minimize_recomputation(drawn.model, drawn.request);
  REQUIRE(found.state() == state::infeasible);
  CHECK(found.why().needed == 40);
  drawn.request.memory_limit = 40;
  CHECK(minimize_recomputation(drawn.model, drawn.request).state() == state::optimal);
}

TEST_CASE("a rank without stages needs nothing") {
  small_case drawn;
  drawn.model.types = {{"t", 3, 2, 1, 1, {{"a", 4, 2, 5}, {"b", 6, 3, 1}}}};
  drawn.model.layers = {0, 0};
  drawn.request.schedule = stagecut::one_forward_one_backward(2, 2);
  drawn.request.schedule.orders.emplace_back();
  drawn.request.memory_limit = 3;
  CHECK(minimize_recomputation(drawn.model, drawn.request).why().needed == 5);  // 2 + 1 + 2 * 1
  drawn.request.constant = 7;  // which a rank without stages also needs
  drawn.model.types[0].choices.pop_back();
  drawn.request.memory_limit = {20, 20, 5};
  CHECK(minimize_recomputation(drawn.model, drawn.request).why().remedy == "2 bytes more on every device would do");
  drawn.request.memory_limit = {22, 22, 7};
  CHECK(minimize_recomputation(drawn.model, drawn.request).state() == state::optimal);
}

TEST_CASE("parts of a byte: so many whole ones would do") {
  small_case drawn;
  drawn.model.types = {{"t", 1, 11.5, 0, 0, {{"", 1, 0, 0}}}};
  drawn.model.layers = {0};
  drawn.request.schedule = stagecut::gpipe(1, 1);
  drawn.request.memory_limit = 10.75;
  CHECK(minimize_recomputation(drawn.model, drawn.request).why().needed == 12);
}

TEST_CASE("too few layers for what every stage has at least") {
  small_case drawn;
  drawn.model.types = {{"l", 1, 0, 0, 0, {{"none", 2, 0, 1}}}};
  drawn.model.layers = {0, 0, 0, 0};
  drawn.request.schedule = stagecut::gpipe(3, 2);
  drawn.request.least_layers = 2;
  CHECK(minimize_recomputation(drawn.model, drawn.request).why().text() ==
        "no cut keeps to the constraint: 3 stages of at least 2 layers have 6 at least, and there are 4");
  drawn.request.head_alone = true;
  CHECK(minimize_recomputation(drawn.model, drawn.request).state() == state::optimal);
  drawn.request.least_layers = ~std::size_t{0} / 2 + 1;
  CHECK(minimize_recomputation(drawn.model, drawn.request).state() == state::infeasible);
  drawn.request.least_layers = 1;
  drawn.model.layers = {0};
  CHECK(minimize_recomputation(drawn.model, drawn.request).why().what == reason::cause::more_stages_than_layers);
}
