// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/topology.hpp>
#include <stagecut/joint/placed_links.hpp>

#include <doctest/doctest.h>

using stagecut::link_speed;
using stagecut::placed_links;
using stagecut::topology;

TEST_CASE("links by position, in three levels") {
  const link_speed pair{0, 900};
  const link_speed node{0, 300};
  const link_speed rack{5, 25};
  const placed_links links(topology({2, 4, 3}, {pair, node, rack}));
  CHECK(links.devices() == 24);
  CHECK(links.period() == 8);
  CHECK(links.before(1) == pair);
  CHECK(links.before(2) == node);
  CHECK(links.before(7) == pair);
  CHECK(links.before(8) == rack);
  CHECK(links.before(0) == rack);
  CHECK(links.within(0, 2) == pair);
  CHECK(links.within(1, 2) == node);
  CHECK(links.within(0, 8) == node);
  CHECK(links.within(7, 2) == rack);
  CHECK(links.within(0, 9) == rack);
  CHECK(links.is_close(0, 2));
  CHECK_FALSE(links.is_close(1, 2));
  CHECK(links.is_close(4, 4));
  CHECK(links.is_close(2, 4));  // of one node, as any four are
  CHECK_FALSE(links.is_close(6, 4));
  CHECK(links.is_close(6, 1));
  CHECK(links.machine().levels() == 3);
}

TEST_CASE("positions of the machine are those of its devices") {
  const topology machine({4, 3}, {{0, 300}, {5, 25}});
  const placed_links links(machine);
  for (std::size_t device = 1; device < machine.devices(); ++device) {
    CHECK(links.before(device % links.period()) == machine.link(device - 1, device));
    for (std::size_t count = 2; device + count <= machine.devices(); ++count) {
      CHECK(links.within(device % links.period(), count) == machine.link(device, device + count - 1));
    }
  }
}

TEST_CASE("a machine of one level, and of one device") {
  const placed_links flat(topology({8}, {{0, 25}}));
  CHECK(flat.period() == 1);
  CHECK(flat.before(0) == link_speed{0, 25});
  CHECK(flat.within(3, 4) == link_speed{0, 25});
  const placed_links one(topology({}, {}));
  CHECK(one.period() == 1);
  CHECK(one.before(0) == link_speed{});
}
