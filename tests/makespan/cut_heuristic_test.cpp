// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/cut_heuristic.hpp>

#include <doctest/doctest.h>

#include <stagecut/engine/cut_problem.hpp>
#include <stagecut/makespan/parts/problem_access.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <cstddef>
#include <vector>

#include "random_chains.hpp"

using stagecut::cut_heuristic;
using stagecut::cut_heuristic_ref;
using stagecut::heuristic_call;
using stagecut::view;

namespace {

struct constant {
  bool operator()(const heuristic_call&, view<std::size_t>) const { return true; }
};
struct counting {
  std::size_t asked = 0;
  int operator()(const heuristic_call& task, view<std::size_t> points) {
    ++asked;
    points[1] = task.points[1] + 1;
    return 1;
  }
};
struct silent {
  void operator()(const heuristic_call&, view<std::size_t>) const {}
};
struct greedy {  // wants to write what it is to read
  bool operator()(heuristic_call&, view<std::size_t>) const { return true; }
};
struct curt {
  bool operator()(const heuristic_call&) const { return true; }
};

}  // namespace

static_assert(cut_heuristic<constant>);
static_assert(cut_heuristic<const constant>);
static_assert(cut_heuristic<counting>);
static_assert(!cut_heuristic<const counting>);
static_assert(cut_heuristic<bool (*)(const heuristic_call&, view<std::size_t>)>);
static_assert(cut_heuristic<cut_heuristic_ref>);
static_assert(!cut_heuristic<silent>);
static_assert(!cut_heuristic<greedy>);
static_assert(!cut_heuristic<curt>);
static_assert(!cut_heuristic<int>);

TEST_CASE("a heuristic is referred to, not copied, and writes into the cut that it is given") {
  CHECK_FALSE(cut_heuristic_ref{});
  counting heuristic;
  const cut_heuristic_ref ref = heuristic;
  REQUIRE(ref);
  const std::vector<std::size_t> best{0, 2, 5};
  std::vector<std::size_t> cut = best;
  const chains::chain of{chains::layers({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {}, {}),
                         {},
                         {.schedule = stagecut::make_schedule("1f1b", {.ranks = 2, .microbatches = 2})},
                         {}};
  chains::with_workbench(of, [&](auto& bench) {
    const stagecut::engine::cut_problem problem{bench.ticks, of.request.schedule, of.request.transfers, bench.checked};
    heuristic_call task{.problem = stagecut::detail::problem_access::problem(problem, bench.simulate)};
    CHECK(task.points.size() == 0);
    CHECK(task.simulations == 0);
    CHECK_FALSE(task.stop);
    task.points = best;
    CHECK(ref(task, cut));
  });
  CHECK(cut == std::vector<std::size_t>{0, 3, 5});
  CHECK(best == std::vector<std::size_t>{0, 2, 5});
  CHECK(heuristic.asked == 1);
}
