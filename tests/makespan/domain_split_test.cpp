// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/domain_split.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "random_chains.hpp"
#include "requests.hpp"

using chains::chain;
using stagecut::detail::domain_split;
using stagecut::detail::domain_splits;
using stagecut::detail::held_memory;
using stagecut::detail::load_limit;
using stagecut::detail::load_split;
using stagecut::detail::load_values;
using stagecut::detail::point_domains;

namespace {

/// Where four layers more than two stages are split if cuts have these weights.
domain_split chosen(const std::vector<double>& loads, const point_domains& domains,
                    const std::vector<std::vector<std::size_t>>& cuts, const std::vector<double>& weights) {
  chain of{chains::layers(loads, loads, {}, {}), {}, {}, {}};
  of.request = chains::request_for(chains::order_of(stagecut::schedule_kind::interleaved, 2, 2, 2));
  domain_split result;
  chains::with_workbench(of, [&](auto& bench) {
    result = domain_splits{}.choose(bench.ticks, {cuts, weights}, domains);
  });
  return result;
}

}  // namespace

TEST_CASE("the point and the item about which cuts differ most, by what the item takes") {
  const point_domains all(8, 4);
  const std::vector<double> loads{1, 1, 9, 1, 1, 1, 1, 1};
  // Points 1 and 3 differ by an item each; that of point 1 is the heavy one.
  const domain_split heavy = chosen(loads, all, {{0, 2, 4, 5, 8}, {0, 3, 4, 6, 8}}, {0.5, 0.5});
  CHECK(heavy.point == 1);
  CHECK(heavy.place == 2);
  // Hardly any share has it elsewhere.
  const domain_split shared =
      chosen(loads, all, {{0, 2, 4, 5, 8}, {0, 3, 4, 6, 8}, {0, 2, 4, 6, 8}}, {0.5, 0.01, 0.49});
  CHECK(shared.point == 3);
  CHECK(shared.place == 5);
}

TEST_CASE("cuts outside the domains do not count; of one mind, the widest domain is split in the middle") {
  point_domains some(8, 4);
  some.low = {0, 1, 2, 4};
  some.high = {0, 1, 6, 7};
  const std::vector<double> loads(8, 1);
  const domain_split one = chosen(loads, some, {{0, 1, 3, 5, 8}, {0, 2, 3, 5, 8}}, {0.5, 0.5});
  CHECK(one.point == 2);
  CHECK(one.place == 4);
  const domain_split none = chosen(loads, some, {}, {});
  CHECK(none.point == 2);
  CHECK(none.place == 4);
}

TEST_CASE("the rank or stage that is furthest, in the mean, from what it can take, and ranks before stages") {
  const std::vector<double> alike(8, 3);
  chain of{chains::layers(alike, alike, {}, {}), {}, {}, {}};
  of.request = chains::request_for(chains::order_of(stagecut::schedule_kind::interleaved, 2, 2, 2));
  chains::with_workbench(of, [&](auto& bench) {
    const held_memory held(of.request.order, bench.checked, 8, 1, bench.clock);
    const load_values loads(bench.ticks, of.request.order, held);
    const double item = 6 / bench.ticks.tick;
    // Rank 0 has 2 + 2, or 3 + 2: 4.5 in the mean. Rank 1 has the rest.
    const std::vector<std::vector<std::size_t>> cuts{{0, 2, 4, 6, 8}, {0, 3, 4, 6, 8}};
    const load_split rank = domain_splits::choose(loads, {}, {cuts, {0.5, 0.5}});
    CHECK(rank.group == 0);
    CHECK(rank.below == 4 * item);
    CHECK(rank.above == 5 * item);
    CHECK(rank.score == 2 * item);
    // A limit of rank 0, and so the other one, whose mean is 3.5.
    const load_split other = domain_splits::choose(loads, {{0, true, 4 * item}}, {cuts, {0.5, 0.5}});
    CHECK(other.group == 1);
    CHECK(other.below == 3 * item);
    // Both ranks have 4 always, but their stages have 2.5 and 1.5.
    const std::vector<std::vector<std::size_t>> stages{{0, 2, 4, 6, 8}, {0, 3, 6, 7, 8}};
    const load_split stage = domain_splits::choose(loads, {}, {stages, {0.5, 0.5}});
    CHECK(stage.group == 2);
    CHECK(stage.below == 2 * item);
    // Nothing is between values.
    CHECK(domain_splits::choose(loads, {}, {cuts, {1, 0}}).score == 0);
  });
}
