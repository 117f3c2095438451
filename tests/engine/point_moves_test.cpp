// SPDX-License-Identifier: BSL-1.0
#include <stagecut/engine/point_moves.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/engine/cut_problem.hpp>

#include "../makespan/random_chains.hpp"

namespace engine = stagecut::engine;
using oracle::dice;
using stagecut::view;
using stagecut::detail::random_bits;
using stagecut::engine::point_move;

TEST_CASE(
    "moves keep to the inner points, tell whether what is left is a cut, and can be undone, whatever holds the "
    "points") {
  dice random(1);
  std::size_t cuts = 0;
  std::size_t others = 0;
  for (std::uint64_t round = 0; round < 20'000; ++round) {
    CAPTURE(round);
    const std::size_t stages = random.from(2, 9);
    const std::size_t items = random.from(stages, 14);
    std::vector<std::size_t> cut;
    chains::each_cut(items, stages, [&](const chains::points& each) {
      if (cut.empty() || random.once_in(50)) cut = each;
    });
    stagecut::schedule order;
    for (std::size_t s = 0; s < stages; ++s) order.rank_of.push_back(random.below(3));
    order.orders.resize(3);
    const stagecut::engine::rank_stages ranks(order);
    random_bits bits(1, 2, round);
    random_bits again(1, 2, round);
    const engine::point_move move = stagecut::engine::draw_move(bits, stages - 1, ranks.seen());
    CHECK(stagecut::engine::draw_move(again, stages - 1, ranks.seen()).one.by == move.one.by);
    CHECK(move.one.begin >= 1);
    CHECK(move.one.begin < move.one.end);
    CHECK(move.one.end <= stages);
    CHECK(move.other.end <= stages);
    others += move.other.end > 0 ? 1 : 0;
    std::vector<std::size_t> wide = cut;
    std::vector<std::uint32_t> narrow(cut.begin(), cut.end());
    move.shift(view<std::size_t>(wide));
    move.shift(view<std::uint32_t>(narrow));
    const bool is_cut = stagecut::engine::is_cut(wide, items);
    CHECK(move.is_in_order(view<std::size_t>(wide), items) == is_cut);
    CHECK(move.is_in_order(view<std::uint32_t>(narrow), items) == is_cut);
    cuts += is_cut ? 1 : 0;
    move.unshift(view<std::size_t>(wide));
    move.unshift(view<std::uint32_t>(narrow));
    CHECK(wide == cut);
    CHECK(std::vector<std::size_t>(narrow.begin(), narrow.end()) == cut);
  }
  CHECK(cuts > 2000);
  CHECK(others > 4000);
}
