// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/joint/baselines/detail/machine_states.hpp>

#include <doctest/doctest.h>

using namespace stagecut;

TEST_CASE("placements on two machines of 8") {
  const equal_machines machines{2, 8};
  using counts = std::vector<std::size_t>;
  const detail::machine_state none{{0, 0}, {0, 0}};
  const detail::machine_state some{{5, 0}, {5, 0}};
  CHECK(*detail::placed_devices(machines, none, placement::fresh, 10) == counts{8, 2});
  CHECK(*detail::placed_devices(machines, none, placement::scatter, 5) == counts{3, 2});
  CHECK(*detail::placed_devices(machines, some, placement::fresh, 4) == counts{0, 4});
  CHECK(*detail::placed_devices(machines, some, placement::append, 4) == counts{3, 1});
  CHECK(*detail::placed_devices(machines, some, placement::scatter, 7) == counts{3, 4});
  CHECK_FALSE(detail::placed_devices(machines, some, placement::fresh, 9).has_value());
  CHECK_FALSE(detail::placed_devices(machines, some, placement::scatter, 12).has_value());
  std::vector<std::size_t> order;
  const auto next = detail::next_state(some, {0, 6}, order);
  CHECK(next == detail::machine_state{{6, 5}, {6, 0}});
  CHECK(order == counts{1, 0});
}

TEST_CASE("links of DAPPLE: inside, across, and all together") {
  const equal_machines machines{2, 8, 25, 1, 3};
  CHECK(detail::message_rate(machines, {4, 0}, {4, 0}) == 1.0 / 25);
  CHECK(detail::message_rate(machines, {8, 0}, {0, 8}) == 1);
  CHECK(detail::message_rate(machines, {6, 2}, {0, 6}) == 0.75);
  CHECK(detail::message_rate(machines, {6, 0}, {2, 8}) == 1.0 / 3);
  CHECK(detail::all_reduce_rate(machines, {1, 0}) == 0);
  CHECK(detail::all_reduce_rate(machines, {8, 0}) == 1.75 / 25 / 4);
  CHECK(detail::all_reduce_rate(machines, {7, 1}) == 1.75 / 3);
}

TEST_CASE("machines that are alike are one state") {
  detail::machine_states states({2, 8});
  std::uint32_t most = 0;
  std::vector<std::uint32_t> open{0};
  for (std::size_t i = 0; i < open.size(); ++i) {
    std::size_t taken = 0;
    for (const std::size_t each : states[open[i]].taken) taken += each;
    for (std::size_t devices = 1; taken + devices <= 16; ++devices) {
      for (const auto& step : states.steps(open[i], devices)) {
        if (step.state <= most) continue;
        most = step.state;
        open.push_back(step.state);
      }
    }
  }
  // Of 45 sorted pairs of devices taken, with what the last stage took.
  CHECK(open.size() == most + 1);
  CHECK(most < 1000);
  MESSAGE(open.size(), " states");
}
