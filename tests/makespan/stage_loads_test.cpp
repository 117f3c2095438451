// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/stage_loads.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "alike_chains.hpp"
#include "domain_chains.hpp"

using chains::chain;
using oracle::dice;
using stagecut::detail::held_memory;
using stagecut::detail::load_limit;
using stagecut::detail::load_range;
using stagecut::detail::load_values;
using stagecut::detail::stage_loads;

namespace {

/// The limits of a group.
load_range limits_of(const std::vector<load_limit>& limits, std::size_t group) {
  load_range result{0, 1e18};
  for (const load_limit& each : limits) {
    if (each.group != group) continue;
    if (each.at_most) result.high = std::min(result.high, each.load);
    if (!each.at_most) result.low = std::max(result.low, each.load);
  }
  return result;
}

/// Goes through all choices of loads for the stages of a rank from the i-th on: `visit(loads)` of those that it may hold.
template <class Visit>
void each_choice(const load_values& loads, std::size_t rank, double held, std::vector<double>& taken,
                 const Visit& visit) {
  const auto& stages = loads.stages_of(rank);
  if (taken.size() == stages.size()) {
    if (held <= loads.limit()) visit(taken);
    return;
  }
  for (const load_values::entry& each : loads.of_stage(stages[taken.size()])) {
    taken.push_back(each.load);
    each_choice(loads, rank, held + each.held, taken, visit);
    taken.pop_back();
  }
}

}  // namespace

TEST_CASE("all that stages can have together, and no more where choices are few") {
  dice random(1);
  int exact = 0;
  int many = 0;
  int none = 0;
  for (int round = 0; round < 800; ++round) {
    CAPTURE(round);
    const std::size_t most_items = random.once_in(3) ? 60 : 14;
    const stagecut::schedule order = chains::several_order(random, 8);
    const chain of = chains::alike_chain(random, order, most_items);
    if (!of.request.memory_per_device) continue;
    chains::with_workbench(of, [&](auto& bench) {
      const held_memory held(order, bench.checked, bench.ticks.items, 1e6, bench.clock);
      const load_values loads(bench.ticks, order, held);
      stage_loads stages(loads);
      for (std::size_t r = 0; r < order.ranks(); ++r) {
        const std::vector<double>& values = loads.values(r);
        if (values.empty() || loads.stages_of(r).size() < 2 || loads.of_stage(loads.stages_of(r)[0]).empty()) continue;
        double ways = 1;
        for (const std::size_t s : loads.stages_of(r)) ways *= static_cast<double>(loads.of_stage(s).size());
        if (ways > 200'000) continue;
        const double a = values[random.below(values.size())];
        const double b = values[random.below(values.size())];
        const load_range asked{std::min(a, b), std::max(a, b)};
        std::vector<load_limit> limits;
        for (std::size_t i = random.below(3); i-- > 0;) {
          const std::size_t s = loads.stages_of(r)[random.below(loads.stages_of(r).size())];
          add_limit(limits, {order.ranks() + s, random.once_in(2),
                             loads.of_stage(s)[random.below(loads.of_stage(s).size())].load});
        }
        std::vector<load_range> found(loads.stages_of(r).size());
        load_range sums;
        std::vector<double> taken;
        each_choice(loads, r, 0, taken, [&](const std::vector<double>& choice) {
          double sum = 0;
          for (std::size_t i = 0; i < choice.size(); ++i) {
            const load_range here = limits_of(limits, order.ranks() + loads.stages_of(r)[i]);
            if (choice[i] < here.low || choice[i] > here.high) return;
            sum += choice[i];
          }
          if (sum < asked.low || sum > asked.high) return;
          sums.add(sum);
          for (std::size_t i = 0; i < choice.size(); ++i) found[i].add(choice[i]);
        });
        std::vector<load_limit> closer = limits;
        load_range takes = asked;
        const bool any = stages.narrow(r, takes, closer);
        const bool few = ways <= 20'000;
        if (sums.high < 0) {
          if (few) CHECK_FALSE(any);
          ++none;
          continue;
        }
        CHECK(any);
        CHECK(takes.low <= sums.low);
        CHECK(takes.high >= sums.high);
        bool same = takes.low == sums.low && takes.high == sums.high;
        for (std::size_t i = 0; i < found.size() && any; ++i) {
          const std::size_t s = loads.stages_of(r)[i];
          const load_range here = limits_of(closer, order.ranks() + s);
          CHECK(here.low <= found[i].low);
          CHECK(here.high >= found[i].high);
          same = same && (here.low == found[i].low || found[i].low == loads.of_stage(s).front().load);
          same = same && (here.high == found[i].high || found[i].high == loads.of_stage(s).back().load);
        }
        if (few) CHECK(same);
        exact += few && same ? 1 : 0;
        many += few ? 0 : 1;
      }
    });
  }
  CHECK(exact > 500);
  CHECK(many > 30);
  CHECK(none > 20);
}
