// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/makespan_problem.hpp>

#include <stagecut/engine/cut_problem.hpp>
#include <stagecut/makespan/parts/problem_access.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <map>
#include <string>
#include <type_traits>

#include "../refusal.hpp"
#include "random_chains.hpp"

using chains::chain;
using chains::points;
using stagecut::makespan_problem;
using stagecut::detail::problem_access;

static_assert(std::is_trivially_copyable_v<makespan_problem>);
static_assert(!std::is_default_constructible_v<makespan_problem>);

namespace {

/// Calls `use(of, problem, bench)` for random chains of whole times.
template <class Use>
void each_problem(unsigned seed, int rounds, const Use& use) {
  oracle::dice random(seed);
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const auto order = chains::random_order(random, chains::any_kind(random), {9, 4, 8});
    const chain of = chains::random_chain(random, order, 9, {});
    chains::with_workbench(of, [&](auto& bench) {
      const stagecut::engine::cut_problem problem{bench.ticks, of.request.schedule, of.request.transfers,
                                                  bench.checked};
      use(of, problem_access::problem(problem, bench.simulate), bench);
    });
  }
}

}  // namespace

TEST_CASE("times are those of the model, in its unit") {
  std::size_t messages = 0;
  std::size_t apart = 0;
  each_problem(1, 200, [&](const chain& of, const makespan_problem& problem, auto&) {
    REQUIRE(problem.items() == of.model.size());
    REQUIRE(problem.stages() == of.request.schedule.stages());
    CHECK(&problem.schedule() == &of.request.schedule);
    CHECK(problem.transfers() == of.request.transfers);
    const bool split = chains::splits(of.request.schedule);
    of.with_model([&](const auto& model) {
      for (std::size_t s = 0; s < problem.stages(); ++s) {
        for (std::size_t first = 0; first < problem.items(); ++first) {
          for (std::size_t last = first + 1; last <= problem.items(); ++last) {
            const double weight = split ? chains::weight_of(model, s, first, last) : 0;
            CHECK(problem.forward(s, first, last) == chains::forward_of(model, s, first, last));
            CHECK(problem.backward_weight(s, first, last) == weight);
            CHECK(problem.backward(s, first, last) == (split ? chains::input_of(model, s, first, last) + weight
                                                             : chains::backward_of(model, s, first, last)));
            apart += weight > 0 ? 1 : 0;
          }
        }
      }
      const auto& links = of.request.links;
      for (std::size_t s = 0; s + 1 < problem.stages(); ++s) {
        for (std::size_t cut = 1; cut < problem.items(); ++cut) {
          double time = 0;
          if (!links.empty() && of.request.schedule.rank_of[s] != of.request.schedule.rank_of[s + 1]) {
            const auto& link = links[links.size() == 1 ? 0 : s];
            time = link.latency + (link.bandwidth == 0 ? 0 : model.sent(cut) / link.bandwidth);
          }
          CHECK(problem.transfer(s, cut) == time);
          messages += time > 0 ? 1 : 0;
        }
      }
      return 0;
    });
  });
  CHECK(messages > 500);
  CHECK(apart > 500);
}

TEST_CASE("makespans, and what is allowed, are those of enumeration") {
  std::size_t allowed = 0;
  std::size_t refused = 0;
  each_problem(2, 150, [&](const chain& of, const makespan_problem& problem, auto& bench) {
    chain free = of;
    free.rules.reset();
    free.request.memory_limit = {};
    std::map<points, double> makespans;
    for (const auto& [makespan, cut] : chains::all_cuts(free)) makespans[cut] = makespan;
    std::map<points, double> left;
    for (const auto& [makespan, cut] : chains::all_cuts(of)) left[cut] = makespan;
    const std::size_t before = bench.simulate.simulations;
    for (const auto& [cut, makespan] : makespans) {
      CHECK(problem.makespan(cut) == makespan);
      CHECK(problem.allows(cut) == (left.count(cut) != 0));
      bool every = true;
      for (std::size_t s = 0; s < problem.stages(); ++s) every = every && problem.allows(s, cut[s], cut[s + 1]);
      CHECK((every || !problem.allows(cut)));  // a rank may have less memory than its stages need together
      ++(problem.allows(cut) ? allowed : refused);
    }
    CHECK(bench.simulate.simulations == before + makespans.size());
  });
  CHECK(allowed > 1000);
  CHECK(refused > 250);
}

TEST_CASE("points that are no cut are refused, and not allowed") {
  each_problem(3, 40, [&](const chain& of, const makespan_problem& problem, auto&) {
    const std::size_t n = of.model.size();
    const std::size_t stages = problem.stages();
    points cut;
    for (std::size_t s = 0; s < stages; ++s) cut.push_back(s);
    cut.push_back(n);
    const std::string why = "stagecut::makespan_problem::makespan: points = {…}, must be a cut of " +
                            std::to_string(n) + " items into " + std::to_string(stages) + " stages";
    const auto is_refused = [&](const points& wrong) {
      return !problem.allows(wrong) && refusal([&] { return problem.makespan(wrong); }) == why;
    };
    points longer = cut;
    longer.push_back(n + 1);
    points late = cut;
    late[0] = 1;
    points beyond = cut;
    beyond.back() = n + 1;
    points twice = cut;
    twice[0] = twice[1];
    for (const points& wrong : {points{}, longer, late, beyond, twice}) CHECK(is_refused(wrong));
    CHECK(refusal([&] { return problem.makespan(cut); }) == "not refused");
  });
}
