// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/shared_effort.hpp>
#include <stagecut/core/search_options.hpp>

#include <doctest/doctest.h>

#include <cstddef>

namespace engine = stagecut::engine;
using stagecut::search_options;
using stagecut::engine::search_clock;
using stagecut::engine::shared_effort;

namespace {

search_options of_nodes(std::size_t nodes) {
  search_options limits;
  limits.time_limit.reset();
  limits.node_limit = nodes;
  return limits;
}

/// A search that looks at so many nodes, or as many as it may.
std::size_t search(const search_options& limits, std::size_t nodes) {
  engine::search_clock clock(limits);
  while (clock.state.nodes < nodes && !clock.over()) ++clock.state.nodes;
  return clock.state.nodes;
}

}  // namespace

TEST_CASE("nodes that one search leaves are shared out among the others") {
  const engine::shared_effort effort(of_nodes(1000));
  CHECK(effort.is_limited());
  CHECK(effort.left() == 1);
  CHECK(search(effort.share(0.5), 10'000) == 500);
  CHECK(effort.left() == 0.5);
  CHECK(search(effort.share(0.5), 50) == 50);
  CHECK(*effort.share(1).node_limit == 450);
  CHECK(*effort.share(0, 0.1).node_limit == 100);  // of the whole, at least
  CHECK(search(effort.share(1), 10'000) == 450);
  CHECK(effort.left() == 0);
  CHECK(*effort.share(1).node_limit == 0);
}

TEST_CASE("shares of shares are taken from the whole") {
  std::size_t spent = 7;
  search_options limits = of_nodes(100);
  limits.nodes_spent = &spent;
  {
    const engine::shared_effort whole(limits);
    const engine::shared_effort half(whole.share(0.5));
    CHECK(search(half.share(0.5), 10'000) == 25);
    CHECK(half.left() == 0.5);
    CHECK(whole.left() == 0.75);
    CHECK(*whole.share(1).node_limit == 75);
  }
  CHECK(spent == 32);
}

TEST_CASE("what a clock is told once is added once") {
  std::size_t spent = 0;
  search_options limits = of_nodes(1000);
  limits.nodes_spent = &spent;
  {
    engine::search_clock clock(limits);
    clock.state.nodes = 10;
    CHECK(!clock.look());
    CHECK(spent == 10);
    clock.work(500);
    CHECK(clock.state.nodes == 15);
  }
  CHECK(spent == 15);
}

TEST_CASE("seconds are shared out, too; without limits there is nothing to share") {
  search_options limits;
  limits.time_limit = 0;
  const engine::shared_effort none(limits);
  CHECK(none.is_limited());
  CHECK(none.left() == 0);
  CHECK(*none.share(0.5, 0.5).time_limit == 0);
  CHECK(!none.share(1).node_limit);
  limits.time_limit = 1e6;
  const engine::shared_effort long_time(limits);
  CHECK(*long_time.share(0.5).time_limit <= 5e5);
  CHECK(*long_time.share(0.5).time_limit > 4e5);
  CHECK(*long_time.share(0, 0.25).time_limit == 2.5e5);
  const auto stop = [] { return true; };
  limits.stop = stop;
  CHECK(engine::shared_effort(limits).left() == 0);
  limits.stop = {};
  limits.time_limit.reset();
  const engine::shared_effort free(limits);
  CHECK(!free.is_limited());
  CHECK(free.left() == 0);
  CHECK(!free.share(0.5).time_limit);
  CHECK(!free.share(0.5).node_limit);
}
