// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/memory_bounds.hpp>

#include <stagecut/engine/search_clock.hpp>
#include <stagecut/makespan/detail/memory_rows.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "memory_chains.hpp"

using chains::dice;
using chains::table_rules;
using stagecut::schedule;
using stagecut::detail::memory_bounds;
using stagecut::detail::memory_rows;

namespace {

/// Calls `use(rows, cuts)` for random chains, with the first rows, and all cuts of stages that are allowed alone.
template <class Use>
void each_chain(std::uint64_t seed, int rounds, const Use& use) {
  dice random(seed);
  const stagecut::search_options limits;
  stagecut::engine::search_clock clock(limits);
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const std::size_t ranks = random.from(1, 3);
    const std::size_t chunks = random.from(2, 3);
    const std::size_t items = random.from(ranks * chunks, 11);
    const schedule order = chains::placement(random, ranks, chunks);
    const std::unique_ptr<table_rules> rules(chains::random_rules(random, order, items));
    memory_rows rows(order, *rules, items);
    REQUIRE(rows.build(clock));
    REQUIRE(rows.add_first());
    std::vector<chains::points> cuts;
    chains::each_cut(items, order.stages(), [&](const chains::points& cut) {
      for (std::size_t s = 0; s < order.stages(); ++s) {
        if (!rules->allows(s, cut[s], cut[s + 1])) return;
      }
      cuts.push_back(cut);
    });
    use(rows, cuts, random);
  }
}

double fullest(const memory_rows& rows, const chains::points& cut) {
  double most = 0;
  for (std::size_t q = 0; q < rows.rows().size(); ++q) most = std::max(most, rows.sum(q, cut));
  return most;
}

double priced(const memory_rows& rows, const std::vector<double>& prices, const chains::points& cut) {
  double sum = 0;
  for (std::size_t q = 0; q < prices.size(); ++q) sum += prices[q] * rows.sum(q, cut);
  return sum;
}

bool has_all(const std::vector<char>& open, const chains::points& cut) {
  for (std::size_t s = 0; s < cut.size(); ++s) {
    if (open[s * (cut.back() + 1) + cut[s]] == 0) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("the cut of least priced memory is the least of all cuts") {
  each_chain(21, 300, [](memory_rows& rows, const std::vector<chains::points>& cuts, dice& random) {
    if (cuts.empty()) return;
    const std::size_t stages = cuts[0].size() - 1;
    memory_bounds bounds(rows, cuts[0].back(), stages, 1e9);
    std::vector<char> open = bounds.all_points();
    REQUIRE(bounds.narrow(open));
    CHECK(bounds.items_fit());
    std::vector<double> prices;
    for (std::size_t q = 0; q < rows.rows().size(); ++q) prices.push_back(random.once_in(4) ? 0 : random.fraction());
    const double least = bounds.price(prices);
    double truth = std::numeric_limits<double>::infinity();
    for (const auto& cut : cuts) truth = std::min(truth, priced(rows, prices, cut));
    CHECK(least == doctest::Approx(truth));
    CHECK(priced(rows, prices, bounds.path()) == doctest::Approx(truth));
    for (std::size_t q = 0; q < prices.size(); ++q) CHECK(bounds.sums()[q] == rows.sum(q, bounds.path()));
  });
}

TEST_CASE("no bound excludes a cut that keeps to the limit, and some exclude what does not") {
  int left_out = 0;
  int closed = 0;
  int refuted = 0;
  each_chain(22, 600, [&](memory_rows& rows, const std::vector<chains::points>& cuts, dice& random) {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& cut : cuts) least = std::min(least, fullest(rows, cut));
    if (cuts.empty() || !(least > 0)) return;
    for (const double by : {0.9, 1.0, 1.1}) {
      const double limit = by * least;
      memory_bounds bounds(rows, cuts[0].back(), cuts[0].size() - 1, limit);
      std::vector<char> open = bounds.all_points();
      const bool left = bounds.narrow(open);
      const bool fits = left && bounds.items_fit();
      CHECK((fits || by < 1));
      refuted += fits ? 0 : 1;
      if (!fits) continue;
      std::vector<double> prices;
      for (std::size_t q = 0; q < rows.rows().size(); ++q) prices.push_back(random.fraction());
      double all = 0;
      for (const double price : prices) all += price;
      const double bound = bounds.price(prices);
      if (by >= 1) CHECK_FALSE(bounds.exceeds(bound, all));
      for (const auto& cut : cuts) {
        if (fullest(rows, cut) > limit) {
          left_out += has_all(open, cut) ? 0 : 1;
        } else {
          CHECK(has_all(open, cut));
        }
      }
      if (!bounds.close(open, all)) continue;
      ++closed;
      for (const auto& cut : cuts) {
        if (fullest(rows, cut) <= limit) CHECK(has_all(open, cut));
      }
    }
  });
  CHECK(refuted > 50);
  CHECK(left_out > 1000);
  CHECK(closed > 100);
}

TEST_CASE("whole items need more than shares of them") {
  // Nine items of 10 bytes, two ranks of two stages each: with room for 49 bytes a rank has four of them.
  const schedule order{.microbatches = 1, .rank_of = {0, 1, 0, 1}, .orders = {{}, {}}};
  table_rules rules;
  rules.items = 9;
  rules.stages = {{0, 2}, {1, 3}};
  rules.held.assign(2, {{{}, {}}});
  for (std::size_t s = 0; s < 4; ++s) {
    rules.may_be.emplace_back(10 * 10, 1);
    auto& bytes = rules.bytes.emplace_back(10 * 10 * table_rules::most_held);
    for (std::size_t first = 0; first < 9; ++first) {
      for (std::size_t last = first; last <= 9; ++last) {
        bytes[(first * 10 + last) * table_rules::most_held] = 10 * static_cast<double>(last - first);
      }
    }
  }
  const stagecut::search_options limits;
  stagecut::engine::search_clock clock(limits);
  memory_rows rows(order, rules, 9);
  REQUIRE(rows.build(clock));
  REQUIRE(rows.add_first());
  for (const double limit : {44.0, 49.0, 50.0}) {
    memory_bounds bounds(rows, 9, 4, limit);
    std::vector<char> open = bounds.all_points();
    CHECK(bounds.narrow(open));
    CHECK(bounds.items_fit() == (limit >= 50));
    CHECK(bounds.exceeds(bounds.price(std::vector<double>{1, 1}), 2) == (limit < 45));
  }
}
