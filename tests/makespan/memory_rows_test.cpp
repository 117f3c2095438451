// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/memory_rows.hpp>

#include <stagecut/engine/search_clock.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <set>
#include <vector>

#include "memory_chains.hpp"
#include "requests.hpp"

using chains::dice;
using chains::table_rules;
using stagecut::schedule;
using stagecut::detail::memory_rows;
using stagecut::engine::search_clock;

namespace {

/// Whether every stage of a cut is allowed.
bool allowed(const table_rules& rules, const chains::points& cut) {
  for (std::size_t s = 0; s + 1 < cut.size(); ++s) {
    if (!rules.allows(s, cut[s], cut[s + 1])) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("choices are the stages of cuts of stages that are allowed") {
  dice random(31);
  const stagecut::search_limits limits;
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
  const stagecut::search_limits limits;
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
  const stagecut::search_limits limits;
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
