// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/memory_rows.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <set>
#include <vector>

#include <stagecut/engine/search_clock.hpp>

#include "memory_chains.hpp"
#include "requests.hpp"

using chains::dice;
using chains::points;
using chains::table_rules;
using stagecut::detail::held_memory;
using stagecut::detail::memory_rows;
using stagecut::engine::search_clock;
using stagecut::schedule;

namespace {

/// Whether every stage of a cut is allowed.
bool allowed(const table_rules& rules, const chains::points& cut) {
  for (std::size_t s = 0; s + 1 < cut.size(); ++s) {
    if (!rules.allows(s, cut[s], cut[s + 1])) return false;
  }
  return true;
}

/// What a rank holds in a cut, at least.
double held_by(const held_memory& held, const std::vector<std::size_t>& stages, const points& cut) {
  double sum = 0;
  for (const std::size_t s : stages) sum += held.sums(s)[cut[s + 1]] - held.sums(s)[cut[s]] + held.own(s);
  return sum;
}

/// What it holds at its first moment of most microbatches, as the tables say.
double truly_held_by(const table_rules& rules, std::size_t rank, const points& cut) {
  std::size_t best = 0;
  std::size_t most = 0;
  for (std::size_t i = 0; i < rules.held[rank].size(); ++i) {
    const auto& moment = rules.held[rank][i];
    std::size_t sum = 0;
    for (const auto& each : moment) sum += each.in_flight;
    if (sum > most) best = i, most = sum;
  }
  double sum = 0;
  for (std::size_t j = 0; j < rules.stages[rank].size(); ++j) {
    const std::size_t s = rules.stages[rank][j];
    sum += rules.of(s, cut[s], cut[s + 1], rules.held[rank][best][j]);
  }
  return sum;
}

}  // namespace

TEST_CASE("choices are the stages of cuts of stages that are allowed") {
  dice random(31);
  const stagecut::search_options limits;
  search_clock clock(limits);
  for (int round = 0; round < 200; ++round) {
    const schedule order = chains::placement(random, random.from(1, 3), 2);
    const std::size_t stages = order.stages();
    const std::size_t items = random.from(stages, 10);
    const std::unique_ptr<table_rules> rules(chains::random_rules(random, order, items));
    memory_rows rows(order, *rules, items);
    REQUIRE(rows.build(clock));
    std::set<std::vector<std::size_t>> expected;  // stage, first, last
    chains::each_cut(items, stages, [&](const chains::points& cut) {
      for (std::size_t s = 0; s < stages && allowed(*rules, cut); ++s) expected.insert({s, cut[s], cut[s + 1]});
    });
    std::set<std::size_t> numbers;
    for (std::size_t s = 0; s < stages; ++s) {
      for (std::size_t first = 0; first < items; ++first) {
        std::set<std::size_t> listed;
        rows.each_choice(s, first, [&](std::size_t last, std::size_t number) {
          listed.insert(last);
          CHECK(rows.choice(s, first, last) == number);
        });
        for (std::size_t last = first + 1; last <= items; ++last) {
          const std::size_t number = rows.choice(s, first, last);
          CHECK((number != memory_rows::none) == (expected.count({s, first, last}) != 0));
          CHECK((number != memory_rows::none) == (listed.count(last) != 0));
          if (number != memory_rows::none) CHECK(numbers.insert(number).second);
        }
      }
    }
  }
}

TEST_CASE("rows are added until none is broken, and say what ranks hold") {
  dice random(32);
  const stagecut::search_options limits;
  search_clock clock(limits);
  int added = 0;
  for (int round = 0; round < 300; ++round) {
    const schedule order = chains::placement(random, 2, 2);
    const std::unique_ptr<table_rules> rules(chains::random_rules(random, order, 8));
    rules->limit = 30;
    memory_rows rows(order, *rules, 8);
    REQUIRE(rows.build(clock));
    REQUIRE(rows.add_first());
    chains::each_cut(8, order.stages(), [&](const chains::points& cut) {
      if (!allowed(*rules, cut)) return;
      const auto keeps = [&] {
        for (std::size_t q = 0; q < rows.rows().size(); ++q) {
          if (rows.sum(q, cut) > rules->limit) return false;
        }
        return true;
      };
      if (!keeps()) {
        CHECK_FALSE(stagecut::engine::allowed_cut(order, *rules, cut));
      } else if (stagecut::engine::allowed_cut(order, *rules, cut)) {
        CHECK_FALSE(rows.add_broken(cut));
      } else {
        CHECK(rows.add_broken(cut));
        CHECK_FALSE(keeps());
        ++added;
      }
    });
    for (const auto& row : rows.rows()) {
      for (std::size_t j = 0; j < row.tables.size(); ++j) {
        CHECK(rows.tables()[row.tables[j]].stage == rules->stages[row.rank][j]);
        CHECK(rows.tables()[row.tables[j]].held == rules->held[row.rank][row.moment][j]);
      }
    }
  }
  CHECK(added > 20);
}

TEST_CASE("what is no memory makes no row, and no time no choices") {
  dice random(33);
  const schedule order = chains::placement(random, 2, 2);
  const std::unique_ptr<table_rules> rules(chains::random_rules(random, order, 8));
  const stagecut::search_options limits;
  search_clock clock(limits);
  for (auto& of : rules->may_be) std::fill(of.begin(), of.end(), char{1});
  for (const double wrong : {std::nan(""), -1.0, HUGE_VAL}) {
    for (auto& of : rules->bytes) std::fill(of.begin(), of.end(), wrong);
    memory_rows rows(order, *rules, 8);
    REQUIRE(rows.build(clock));
    CHECK_FALSE(rows.add_first());
  }
  memory_rows rows(order, *rules, 8);
  search_clock over(chains::no_time);
  CHECK_FALSE(rows.build(over));
}

TEST_CASE("of cuts of allowed stages, never more than is held; all of it where items add up") {
  dice random(1);
  const stagecut::search_options limits;
  search_clock clock(limits);
  int compared = 0;
  int exact = 0;
  for (int round = 0; round < 600; ++round) {
    CAPTURE(round);
    const schedule order = chains::placement(random, random.from(1, 3), 2);
    const std::size_t items = random.from(order.stages(), 10);
    const std::unique_ptr<table_rules> rules(chains::random_rules(random, order, items));
    rules->limit = static_cast<double>(random.from(1, 50));
    const double scale = random.once_in(2) ? 1000 : 1;
    const held_memory held(order, *rules, items, scale, clock);
    CHECK(held.ranks() == order.ranks());
    bool sound = true;
    bool all = true;
    chains::each_cut(items, order.stages(), [&](const points& cut) {
      for (std::size_t s = 0; s < order.stages(); ++s) {
        if (!rules->allows(s, cut[s], cut[s + 1])) return;
      }
      for (std::size_t r = 0; r < order.ranks(); ++r) {
        if (!held.any(r)) continue;
        const double truth = truly_held_by(*rules, r, cut) * scale / rules->limit;
        const double told = held_by(held, rules->stages[r], cut);
        sound = sound && told <= truth * (1 + 1e-12) + 1e-12;
        all = all && told >= truth * (1 - 1e-12) - 1e-12;
        ++compared;
      }
    });
    CHECK(sound);
    exact += all && held.any() ? 1 : 0;
  }
  CHECK(compared > 10'000);
  CHECK(exact > 200);
}

TEST_CASE("nothing is known of rules that are no sums, or when there is no time") {
  dice random(2);
  const schedule order = chains::placement(random, 2, 2);
  const std::unique_ptr<table_rules> rules(chains::random_rules(random, order, 9));
  rules->limit = 10;
  search_clock late(chains::no_time);
  CHECK_FALSE(held_memory(order, *rules, 9, 1, late).any());
  const stagecut::search_options limits;
  search_clock clock(limits);
  rules->limit = 0;
  CHECK_FALSE(held_memory(order, *rules, 9, 1, clock).any());
  rules->limit = 10;
  rules->sums = false;
  CHECK_FALSE(held_memory(order, *rules, 9, 1, clock).any());
}
