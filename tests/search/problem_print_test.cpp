// SPDX-License-Identifier: BSL-1.0
#include <stagecut/search/detail/problem_print.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "../makespan/random_chains.hpp"

using chains::chain;
using oracle::dice;
using stagecut::search::detail::problem_print;

namespace {

problem_print print_of(const chain& of) {
  std::optional<problem_print> result;
  chains::with_workbench(of, [&](auto& bench) {
    result.emplace(
        stagecut::engine::cut_problem{bench.ticks, bench.request.schedule, bench.request.transfers, bench.checked});
  });
  return *result;
}

}  // namespace

TEST_CASE("equal problems have equal prints, whatever is changed makes another one") {
  dice random(1);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const auto order = chains::random_order(random, chains::any_kind(random), {11, 4, 8});
    const chain of = chains::random_chain(random, order, 12, {false, false, false, false});
    const problem_print print = print_of(of);
    const chain copy = of;
    CHECK(print_of(copy) == print);
    chain other = of;
    other.request.links = {{5, 0}};
    if (order.stages() > 1) CHECK_FALSE(print_of(other) == print);
    const chain with_link = other;
    other.request.transfers = stagecut::transfer_kind::latency;
    if (order.stages() > 1) CHECK_FALSE(print_of(other) == print_of(with_link));
    other = of;
    other.speeds.assign(order.stages(), 1);
    other.speeds[0] = 2;
    CHECK_FALSE(print_of(other) == print);
    other = of;
    other.request.memory_limit = 1e9;
    CHECK_FALSE(print_of(other) == print);
    other = of;
    other.rules.emplace();
    CHECK(print_of(other) == print);
    other.rules->most_items = of.model.size() - 1;
    CHECK_FALSE(print_of(other) == print);
    CHECK_FALSE(print_of(chains::random_chain(random, order, 12, {})) == print);
  }
}

TEST_CASE("the order of the ops counts") {
  dice random(2);
  const stagecut::schedule_shape shape{.ranks = 3, .microbatches = 4};
  const auto one = stagecut::make_schedule(stagecut::schedule_kind::one_forward_one_backward, shape);
  chain of = chains::random_chain(random, one, 8, {false, false, false, false});
  const problem_print print = print_of(of);
  of.request.schedule = stagecut::make_schedule(stagecut::schedule_kind::gpipe, shape);
  CHECK_FALSE(print_of(of) == print);
}
