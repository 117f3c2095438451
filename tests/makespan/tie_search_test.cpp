// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/tie_search.hpp>

#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "random_chains.hpp"
#include "requests.hpp"

using chains::chain;
using chains::points;
using chains::request_for;
using chains::valued;
using oracle::dice;
using stagecut::cuts;
using stagecut::item_times;
using stagecut::minimize_makespan;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::state;

namespace {

/// Layers of two or three times that come often, few microbatches: many cuts have the least makespan.
chain tied_chain(dice& random) {
  const auto kind = chains::any_kind(random);
  const schedule order = chains::random_order(random, kind, {10, 4, 4});
  chain result = chains::random_chain(random, order, 10, {});
  const std::size_t n = result.model.size();
  const std::size_t kinds = random.from(1, 3);
  std::vector<double> forward, backward, weight, sent;
  for (std::size_t i = 0; i < n; ++i) {
    forward.push_back(6 * static_cast<double>(1 + random.below(kinds)));
    backward.push_back(12);
    if (chains::splits(order)) weight.push_back(6);
    sent.push_back(4);
  }
  result.model = chains::layers(forward, backward, weight, sent, std::vector<double>(n, 1), std::vector<double>(n, 1),
                                random.once_in(2) ? chains::random_constants(random, order) : stagecut::stage_times{});
  if (result.request.memory_limit.for_all()) {
    result.request.memory_limit = static_cast<double>(random.from(n, 3 * n));
  }
  return result;
}

}  // namespace

TEST_CASE("of many best cuts: the lightest heaviest stage, then the smallest cut points") {
  dice random(1);
  int tied = 0;
  int not_first = 0;
  for (int round = 0; round < 4000; ++round) {
    CAPTURE(round);
    const chain of = tied_chain(random);
    const std::vector<valued> all = chains::all_cuts(of);
    const auto answer = chains::solve(of);
    REQUIRE(answer.has_value() == !all.empty());
    if (all.empty()) continue;
    const points best = chains::best_of(of, all);
    CHECK(answer.state() == state::optimal);
    CHECK(answer->ties_settled);
    CHECK(answer->value == all[0].first);
    CHECK(chains::points_of(answer->cuts) == best);
    if (all.size() > 1 && all[1].first == all[0].first) ++tied;
    if (best != all[0].second) ++not_first;
  }
  CHECK(tied > 1000);
  CHECK(not_first > 600);
}

TEST_CASE("one microbatch: every cut takes the same, and the heaviest stage is as light as can be") {
  const std::vector<double> ones(12, 1);
  for (const auto kind : {schedule_kind::gpipe, schedule_kind::one_forward_one_backward}) {
    const schedule order = stagecut::make_schedule(kind, {.ranks = 4, .microbatches = 1});
    const auto answer = minimize_makespan(item_times(ones, ones), request_for(order));
    REQUIRE(answer.state() == state::optimal);
    CHECK(answer->value == 24);
    CHECK(answer->cuts == cuts{0, 3, 6, 9, 12});
    CHECK(answer->ties_settled);
  }
  // The last stage takes 4 plus its items: 7 and 3 + 4 are lighter than 6 and 4 + 4, and than 8 and 2 + 4.
  const stagecut::with_stage_times<item_times> model(item_times(std::vector<double>(10, 1), std::vector<double>(10, 0)),
                                                     {{0, 4}, {}, {}});
  const auto answer = minimize_makespan(
      model, request_for(stagecut::make_schedule(schedule_kind::gpipe, {.ranks = 2, .microbatches = 1})));
  CHECK(answer->cuts == cuts{0, 7, 10});
  CHECK(answer->value == 14);
}

TEST_CASE("a limit that is reached while ties are settled leaves the proof, and says so") {
  dice random(2);
  int proved = 0;
  int settled = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    chain of = tied_chain(random);
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    std::size_t asked = 0;
    const std::size_t patience = random.below(300);
    const auto impatient = [&] { return asked++ >= patience; };
    of.request.search.stop = impatient;
    const auto answer = chains::solve(of);
    if (!answer) continue;
    CHECK((answer.state() == state::optimal || !answer->ties_settled));
    if (answer.state() != state::optimal) continue;
    CHECK(answer->value == all[0].first);
    ++(answer->ties_settled ? settled : proved);
    if (answer->ties_settled) CHECK(chains::points_of(answer->cuts) == chains::best_of(of, all));
  }
  CHECK(proved > 20);
  CHECK(settled > 20);
}

TEST_CASE("the heaviest stage counts all passes and what the stage takes beside its items") {
  const stagecut::with_stage_times<item_times> model(item_times({1, 2, 3}, {4, 5, 6}, {1, 1, 1}), {{10, 0}, {1}, {}});
  for (const auto kind : {schedule_kind::gpipe, schedule_kind::zb_h1}) {
    const schedule order = stagecut::make_schedule(kind, {.ranks = 2, .microbatches = 4});
    const stagecut::engine::chain_ticks ticks(model, order, {});
    CHECK(stagecut::detail::heaviest_stage(ticks, points{0, 1, 3}) * ticks.tick == 17);
    CHECK(stagecut::detail::heaviest_stage(ticks, points{0, 2, 3}) * ticks.tick == 23);
  }
}
