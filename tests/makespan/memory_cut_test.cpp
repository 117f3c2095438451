// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/memory_cut.hpp>

#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

#include "memory_chains.hpp"
#include "random_chains.hpp"
#include "requests.hpp"

using chains::dice;
using chains::table_rules;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::state;
using stagecut::detail::memory_cut;
using stagecut::engine::search_clock;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t to_the_end = ~std::size_t{0};
const stagecut::search_options no_limit = [] {
  stagecut::search_options result;
  result.time_limit.reset();
  return result;
}();

/// What it says, where a cut that it found is allowed.
state find(const schedule& order, const table_rules& rules, std::size_t parts = to_the_end) {
  search_clock clock(no_limit);
  memory_cut search(order, rules, rules.items, clock);
  const state found = search.find(parts);
  if (found == state::feasible) {
    REQUIRE(search.points.size() == order.stages() + 1);
    CHECK(stagecut::engine::allowed_cut(order, rules, search.points));
  }
  return found;
}

/// As an interleaved schedule of that many chunks.
chains::chain chunked(dice& random, std::size_t items, std::size_t ranks, std::size_t chunks) {
  auto order = chains::order_of(schedule_kind::interleaved, ranks, 2 * ranks, chunks);
  std::vector<double> times(items, 1);
  std::vector<double> fixed;
  std::vector<double> held;
  for (std::size_t i = 0; i < items; ++i) {
    fixed.push_back(1 + 9 * random.fraction());
    held.push_back(0.1 + 0.9 * random.fraction());
  }
  return {chains::layers(times, times, times, {}, fixed, held), {}, chains::request_for(order), {}};
}

}  // namespace

TEST_CASE("a cut is found exactly if there is one, also where the limit is the least that suffices") {
  dice random(11);
  int found = 0;
  int none = 0;
  for (int round = 0; round < 3000; ++round) {
    CAPTURE(round);
    const std::size_t ranks = random.from(1, 4);
    const std::size_t chunks = random.from(2, ranks < 3 ? 4 : 3);
    const std::size_t items = random.from(ranks * chunks, std::max<std::size_t>(12, ranks * chunks));
    const schedule order = chains::placement(random, ranks, chunks);
    const std::unique_ptr<table_rules> rules(chains::random_rules(random, order, items));
    const double least = chains::least_limit(*rules, order);
    if (least == infinity) {
      rules->limit = 1000;
      CHECK(find(order, *rules) == state::infeasible);
      continue;
    }
    if (!(least > 0)) continue;
    for (const double by : {1.0, 1.02, 1.2}) {
      rules->limit = least * by;
      CHECK(find(order, *rules) == state::feasible);
      ++found;
    }
    for (const double limit : {std::nextafter(least, 0.0), 0.999 * least, 0.8 * least}) {
      rules->limit = limit;
      if (!(limit > 0)) continue;
      CHECK(find(order, *rules) == state::infeasible);
      ++none;
    }
  }
  CHECK(found > 3000);
  CHECK(none > 3000);
}

TEST_CASE("few parts are enough mostly, and where they are not it says so") {
  dice random(12);
  int gave_up = 0;
  int told = 0;
  for (int round = 0; round < 500; ++round) {
    const schedule order = chains::placement(random, 3, 3);
    const std::unique_ptr<table_rules> rules(chains::random_rules(random, order, 12));
    const double least = chains::least_limit(*rules, order);
    if (least == infinity || !(least > 0)) continue;
    for (const double by : {0.98, 1.0, 1.02}) {
      rules->limit = by * least;
      const state found = find(order, *rules, 1);
      CHECK((found == state::unknown || found == (by < 1 ? state::infeasible : state::feasible)));
      (found == state::unknown ? gave_up : told) += 1;
    }
  }
  CHECK(gave_up > 0);
  CHECK(told > 5 * gave_up);
}

TEST_CASE("of rules that are no sums, and of what is no memory, it says nothing") {
  dice random(13);
  for (int round = 0; round < 300; ++round) {
    const schedule order = chains::placement(random, 2, 2);
    const std::unique_ptr<table_rules> rules(chains::random_rules(random, order, 8));
    rules->limit = 50;
    rules->sums = false;
    CHECK(find(order, *rules) == state::unknown);
    CHECK(rules->asked_memory == 0);
    rules->sums = true;
    const state found = find(order, *rules);
    CHECK(found != state::unknown);
    rules->pairs = 2;  // a lie: sums are not all. No cut that is not allowed, and no loop
    CHECK((find(order, *rules) == state::infeasible || found == state::feasible));
    rules->pairs = 0;
    rules->limit = 0;
    CHECK(find(order, *rules) == state::unknown);
    rules->limit = 50;
    for (const double wrong : {infinity, -1.0, std::nan("")}) {
      for (auto& of : rules->bytes) std::fill(of.begin(), of.end(), wrong);
      CHECK(find(order, *rules) != state::feasible);
      CHECK(find(order, *rules) != state::infeasible);
    }
  }
}

TEST_CASE("of a chain of a hundred items it finds cuts close to the least limit, and proves that it is close") {
  dice random(14);
  for (std::size_t chunks = 2; chunks <= 4; ++chunks) {
    CAPTURE(chunks);
    chains::chain of = chunked(random, 96, 8, chunks);
    double refuted = 0;
    double least = 0;
    double most = of.model.memory(0, 0, 96, 32);
    const stagecut::detail::no_constraint all;
    while (most - least > 0.01 * most) {
      const double middle = (least + most) / 2;
      of.request.memory_limit = middle;
      const stagecut::engine::model_rules<chains::layers, stagecut::detail::no_constraint> rules(
          of.model, of.request.schedule, of.request.memory_limit.for_all(), all);
      search_clock clock(no_limit);
      memory_cut search(of.request.schedule, rules, 96, clock);
      const state found = search.find(8);
      (found == state::feasible ? most : least) = middle;
      if (found == state::infeasible) refuted = middle;
    }
    CHECK(refuted > 0.85 * most);
    of.request.memory_limit = 1.02 * most;
    of.request.search.node_limit = 20'000;
    const auto answer = chains::solve(of);
    REQUIRE(answer);
    CHECK(chains::has_room(of.model, of.request, chains::points_of(answer->cuts)));
  }
}

TEST_CASE("the model is asked once for each stage and number of microbatches that counts") {
  dice random(15);
  for (int round = 0; round < 100; ++round) {
    const schedule order = chains::placement(random, 2, 3);
    const std::unique_ptr<table_rules> rules(chains::random_rules(random, order, 12));
    rules->limit = 1000;
    const std::size_t stages = 12 * 13 / 2 * order.stages();
    CHECK(find(order, *rules) != state::unknown);
    CHECK(rules->asked_memory <= stages * 4);  // of a moment of every rank, and of each that a cut breaks
    if (find(order, *rules) == state::feasible) {
      rules->asked_memory = 0;
      CHECK(find(order, *rules) == state::feasible);
      CHECK(rules->asked_memory <= stages);  // no other moment was too full
    }
  }
}

TEST_CASE("no time, no answer") {
  dice random(16);
  const schedule order = chains::placement(random, 2, 2);
  const std::unique_ptr<table_rules> rules(chains::random_rules(random, order, 8));
  rules->limit = 1000;
  search_clock clock(chains::no_time);
  memory_cut search(order, *rules, rules->items, clock);
  CHECK(search.find(to_the_end) == state::unknown);
}
