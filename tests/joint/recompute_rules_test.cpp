// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/recompute_rules.hpp>
#include <stagecut/schedule/in_flight_vectors.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <vector>

#include "small_problems.hpp"

using joint_tests::small_case;
using joint_tests::workbench;
using stagecut::detail::rank_rules;
using stagecut::detail::unit_of;

TEST_CASE(
    "what ranks hold beside layers is off their memory, and head and tail take time on the first and last stage") {
  small_case drawn;
  drawn.model.types = {{"l", 1, 10, 7, 4, {{"none", 2, 0, 20}}}, {"m", 1, 10, 7, 9, {{"none", 2, 0, 20}}}};
  drawn.model.layers = {0, 1, 0, 0};
  drawn.model.head = {"in", 5, 100, 9, 50, {{"none", 6, 0, 1}}};
  drawn.model.tail = {"out", 7, 200, 3, 0, {{"none", 8, 0, 2}}};
  drawn.request.schedule = stagecut::sapp_interleaved(2, 2, 4, stagecut::sapp_memory::big);
  drawn.request.constant = 30;
  drawn.request.boundary_buffers = 2;
  drawn.request.memory_limit = {1000, 2000};
  const workbench bench(drawn);
  REQUIRE(bench.rules.size() == 2);
  const rank_rules& first = bench.rules[0];
  CHECK(first.stages == std::vector<std::size_t>{0, 2});
  // Four layers on four stages can be cut in one way: 4, 9 and 4 bytes pass.
  CHECK(first.memory == 1000 - 30 - 100 - 2 * (4 + 9 + 4));
  CHECK(bench.rules[1].memory == 2000 - 30 - 200 - 2 * (4 + 9 + 4));
  CHECK(first.own_forward == std::vector<double>{5, 0});
  CHECK(first.own_backward == std::vector<double>{6, 0});
  CHECK(first.own_activations == std::vector<double>{1, 0});
  CHECK(first.own_workspace == std::vector<double>{9, 0});
  CHECK(bench.rules[1].own_forward == std::vector<double>{0, 7});
  std::vector<std::vector<std::size_t>> held;
  for (const auto& moment : first.moments) {
    auto& here = held.emplace_back();
    for (const auto& each : moment) here.push_back(each.in_flight);
  }
  CHECK(held == stagecut::in_flight_vectors(drawn.request.schedule)[0]);
  drawn.request.head_alone = true;  // then one end may be before the first layer, and others where that was
  CHECK(workbench(drawn).rules[0].memory == 1000 - 30 - 100 - 2 * (50 + 9 + 9));
  drawn.request.least_layers = 0;  // then any may be
  CHECK(workbench(drawn).rules[0].memory == 1000 - 30 - 100 - 2 * 3 * 50);
}

TEST_CASE("all times are whole numbers of the unit, passes and messages, and of its step") {
  std::mt19937 dice(1);
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    small_case drawn = joint_tests::any_case(dice, 3);
    const double tick = dice() % 2 == 0 ? 0.25 : 0.001;
    const auto scale = [&](stagecut::layer_type& type) {
      type.forward *= tick;
      for (auto& choice : type.choices) choice.backward *= tick, choice.backward_weight *= tick;
    };
    for (auto& type : drawn.model.types) scale(type);
    scale(drawn.model.head);
    scale(drawn.model.tail);
    const workbench bench(drawn);
    CHECK(bench.unit.error == 0);
    bool whole = true;
    for (std::size_t r = 0; r < bench.graph.ranks.size(); ++r) {
      const auto& rank = bench.graph.ranks[r];
      for (std::size_t j = 0; j < rank.width(); ++j) {
        for (std::size_t o = 0; o < rank.size(); ++o) {
          const double steps = rank.times(j)[o] / bench.unit.step;
          whole = whole && steps == static_cast<double>(static_cast<long long>(steps));
        }
      }
    }
    CHECK(whole);
  }
}

TEST_CASE("a type of which there are no layers has no part in it") {
  small_case drawn;
  drawn.model.types = {{"l", 0.5, 0, 0, 0, {{"none", 1, 0, 0}}}};
  drawn.model.layers = {0, 0};
  drawn.request.schedule = stagecut::one_forward_one_backward(2, 2);
  const auto unit = unit_of(drawn.model, {}, drawn.request.schedule);
  drawn.model.types.push_back({"huge", 1e30, 0, 0, 0, {{"none", 1e-9, 0, 0}}});
  const auto same = unit_of(drawn.model, {}, drawn.request.schedule);
  CHECK(same.unit == unit.unit);
  CHECK(same.step == unit.step);
  CHECK(same.error == 0);
}
