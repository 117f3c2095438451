// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/topology.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <random>
#include <vector>

using stagecut::link_speed;
using stagecut::topology;

TEST_CASE("two devices speak as fast as the innermost group that holds both") {
  const link_speed node{1, 100};
  const link_speed rack{2, 10};
  const link_speed hall{3, 1};
  const topology devices({8, 4, 2}, {node, rack, hall});
  CHECK(devices.devices() == 64);
  CHECK(devices.link(3, 3) == link_speed{});
  CHECK(devices.link(0, 7) == node);
  CHECK(devices.link(7, 8) == rack);
  CHECK(devices.link(31, 0) == rack);
  CHECK(devices.link(31, 32) == hall);
  CHECK(devices.link(63, 56) == node);
  CHECK(devices.links({0, 1, 1, 8, 40}) == std::vector<link_speed>{node, {}, rack, hall});
  CHECK(devices.links(std::vector<std::size_t>{5}).empty());
  CHECK(devices.links({}).empty());
}

TEST_CASE("on random topologies a link is that of the outermost place in which the devices differ") {
  std::mt19937 random(11);
  std::size_t pairs = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t depth = random() % 4;
    std::vector<std::size_t> sizes(depth);
    std::vector<link_speed> levels(depth);
    std::size_t product = 1;
    for (std::size_t level = 0; level < depth; ++level) {
      sizes[level] = 1 + random() % 4;
      product *= sizes[level];
      levels[level] = {static_cast<double>(level + 1), 1};
    }
    const topology devices(sizes, levels);
    REQUIRE(devices.devices() == product);
    for (std::size_t a = 0; a < product; ++a) {
      for (std::size_t b = 0; b < product; ++b) {
        link_speed wanted;
        for (std::size_t level = 0, x = a, y = b; level < depth; x /= sizes[level], y /= sizes[level], ++level) {
          if (x % sizes[level] != y % sizes[level]) wanted = levels[level];
        }
        CHECK(devices.link(a, b) == wanted);
        CHECK(devices.links({a, b}) == std::vector<link_speed>{wanted});
        ++pairs;
      }
    }
  }
  CHECK(pairs > 10'000);
}

TEST_CASE("a single device has no link") {
  const topology one({}, {});
  CHECK(one.devices() == 1);
  CHECK(one.link(0, 0) == link_speed{});
}

TEST_CASE("what is no topology, and devices that it has not, are refused") {
  CHECK_THROWS_WITH_AS(topology({8, 4}, {{1, 1}}),
                       "stagecut::topology: levels.size() = 1, must be the number of sizes, 2",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS(topology({8, 0}, {{1, 1}, {1, 1}}), "stagecut::topology: sizes[1] = 0, must be at least 1",
                       stagecut::argument_error);
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  CHECK(topology({most, 1}, {{1, 1}, {1, 1}}).devices() == most);
  CHECK_THROWS_WITH_AS(topology({most / 2, 3}, {{1, 1}, {1, 1}}),
                       "stagecut::topology: sizes[1] = 3, must leave the number of devices representable",
                       stagecut::argument_error);
  CHECK_THROWS_WITH_AS(topology({8}, {{1, -1}}),
                       "stagecut::topology: levels[0].bandwidth = -1.000000, must be finite and not negative",
                       stagecut::argument_error);
  const topology devices({8}, {{1, 1}});
  CHECK_THROWS_WITH_AS(static_cast<void>(devices.link(0, 8)),
                       "stagecut::topology::link: b = 8, must be below the number of devices, 8",
                       stagecut::argument_error);
  CHECK_THROWS_AS(static_cast<void>(devices.link(9, 0)), stagecut::argument_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(devices.links({0, 8})),
                       "stagecut::topology::links: device_of_stage[1] = 8, must be below the number of devices, 8",
                       stagecut::argument_error);
}
