// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/search_backends.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include <doctest/doctest.h>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include "random_chains.hpp"

using chains::chain;
using chains::points;
using chains::valued;
using oracle::dice;
using stagecut::bound_call;
using stagecut::enumeration_answer;
using stagecut::enumeration_call;
using stagecut::makespan_request;
using stagecut::minimize_makespan;
using stagecut::state;
using stagecut::view;

namespace {

stagecut::item_times random_times(std::mt19937& random, std::size_t items) {
  std::vector<double> forward;
  std::vector<double> backward;
  for (std::size_t i = 0; i < items; ++i) {
    forward.push_back(static_cast<double>(1 + random() % 30));
    backward.push_back(static_cast<double>(1 + random() % 50));
  }
  return stagecut::item_times(forward, backward);
}

makespan_request three_a_rank(std::size_t ranks) {
  return {.schedule = stagecut::make_schedule("interleaved", {.ranks = ranks, .stages_per_rank = 3, .microbatches = 2 * ranks})};
}

bool at_once() { return true; }

/// Whether it is proved to be the best cut of all, and is.
bool is_best(const stagecut::outcome<stagecut::makespan_cut>& answer, const chain& of, const std::vector<valued>& all) {
  if (all.empty()) return answer.state() == state::infeasible;
  return answer.state() == state::optimal && answer->value == all[0].first && answer->bound == all[0].first &&
         chains::points_of(answer->cuts) == chains::best_of(of, all);
}

/// Whether what a limit left is true.
bool is_sound(const stagecut::outcome<stagecut::makespan_cut>& answer, const std::vector<valued>& all) {
  if (!answer) return all.empty() || answer.state() == state::unknown;
  const auto found = std::find(all.begin(), all.end(), valued{answer->value, chains::points_of(answer->cuts)});
  return found != all.end() && answer->bound <= all[0].first &&
         (answer.state() == state::optimal) == (answer->bound == answer->value);
}

/// Finds nothing, so that lies about bad cuts count.
bool no_heuristic(const stagecut::heuristic_call&, view<std::size_t>) { return false; }

/// Calls `use(of, all)` for random chains, half of them with several stages per rank, some with few nodes.
template <class Use>
void each_chain(unsigned seed, int rounds, const Use& use) {
  dice random(seed);
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const auto several = [&](const stagecut::schedule_entry& entry) {
      return (entry.stages_per_rank != 1) == (round % 2 == 0);
    };
    chain of = chains::random_chain(random, chains::random_order(random, chains::any_kind(random, several), {11, 4, 8}),
                                    13, {});
    if (random.once_in(3)) of.request.search.node_limit = random.below(200);
    if (!random.once_in(3)) of.request.backends.heuristic = no_heuristic;
    use(of, chains::all_cuts(of));
  }
}

/// Simulates every cut.
enumeration_answer every_cut(const enumeration_call& call, view<std::size_t> cut) {
  double best = std::numeric_limits<double>::infinity();
  const bool all = call.cuts.for_each([&](view<const std::size_t> here) {
    if (!call.problem.allows(here) || call.problem.makespan(here) >= best) return true;
    best = call.problem.makespan(here);
    std::copy(here.begin(), here.end(), cut.begin());
    return true;
  });
  return !all ? enumeration_answer::too_many : best <= call.most ? enumeration_answer::found : enumeration_answer::none;
}

}  // namespace

TEST_CASE("an enumerator that writes no cut, or none that is allowed, changes nothing") {
  std::mt19937 random(18);
  std::size_t asked = 0;
  for (int i = 0; i < 25; ++i) {
    const auto model = random_times(random, 14 + random() % 4);  // few cuts: there is a graph at once
    makespan_request request = three_a_rank(3);
    request.search.time_limit.reset();
    const auto plain = minimize_makespan(model, request);
    const std::size_t wrong = random() % 3;
    const auto liar = [&](const stagecut::enumeration_call& task, view<std::size_t> points) {
      ++asked;
      CHECK(task.problem.stages() == 9);
      CHECK(task.cuts.count() > 0);
      CHECK(!task.stop());
      for (std::size_t j = 0; j < points.size(); ++j) points[j] = wrong == 0 ? 0 : wrong == 1 ? j : points.size() - j;
      return enumeration_answer::found;
    };
    request.backends.enumerator = liar;
    request.backends.enumerator.trusted = i % 2 == 0;
    const auto lied_to = minimize_makespan(model, request);
    REQUIRE(plain.state() == lied_to.state());
    CHECK(plain->value == lied_to->value);
    CHECK(plain->bound == lied_to->bound);
    CHECK(plain->cuts == lied_to->cuts);
  }
  CHECK(asked > 0);
}

TEST_CASE("a bound provider is asked where domains leave a gap, and its bound is taken if it is trusted") {
  std::mt19937 random(5);
  const auto model = random_times(random, 64);
  makespan_request request = three_a_rank(8);
  request.search.time_limit.reset();
  request.search.node_limit = 70'000;
  const auto plain = minimize_makespan(model, request);
  REQUIRE(plain.state() == stagecut::state::feasible);
  std::size_t asked = 0;
  double told = 0;
  const auto bound_provider = [&](const stagecut::bound_call& task) {
    ++asked;
    CHECK(task.problem.stages() == 24);
    CHECK(task.bound < task.value);
    CHECK(task.seconds > 1e300);
    told = task.value - 1;  // a lie, but one that can be told from what the search finds by itself
    return told;
  };
  request.backends.bound_provider = bound_provider;
  const auto guided = minimize_makespan(model, request);
  CHECK(asked == 1);
  REQUIRE(guided.state() == stagecut::state::feasible);
  CHECK(guided->bound < guided->value - 1);
  request.backends.bound_provider.trusted = true;
  const auto helped = minimize_makespan(model, request);
  CHECK(asked == 2);
  CHECK(helped->value <= plain->value);
  CHECK(helped->bound >= helped->value - 1);
}

TEST_CASE("the heuristic of a request is asked as one that is an argument") {
  std::mt19937 random(9);
  const auto model = random_times(random, 24);
  makespan_request request = three_a_rank(2);
  std::size_t starts = 0;
  const auto heuristic = [&](const stagecut::heuristic_call& task, view<std::size_t>) {
    CHECK(task.problem.items() == 24);
    CHECK(task.problem.makespan(task.points) == task.value);
    CHECK(!task.stop());
    starts += task.starts.size();
    return false;
  };
  const auto as_argument = minimize_makespan(model, request, heuristic);
  CHECK(starts > 0);
  request.backends.heuristic = heuristic;
  const std::size_t before = starts;
  const auto of_request = minimize_makespan(model, request);
  CHECK(starts == 2 * before);
  CHECK(as_argument->value == of_request->value);
}

TEST_CASE("a request owns its functions: it may be returned from one, and a free function is a stop") {
  const auto made = [](std::size_t& told) {
    makespan_request request = three_a_rank(3);
    request.search = {.stop = at_once, .progress = [&told](const stagecut::search_progress&) { ++told; }};
    request.backends.heuristic = [owned = std::make_shared<int>(1)](const stagecut::heuristic_call&, view<std::size_t>) {
      return *owned == 0;
    };
    return request;
  };
  std::mt19937 random(3);
  std::size_t told = 0;
  const auto model = random_times(random, 60);
  const makespan_request copied = made(told);
  const auto answer = minimize_makespan(model, copied);
  CHECK(answer.state() != state::infeasible);
  CHECK(minimize_makespan(model, made(told)).state() == answer.state());
}

TEST_CASE("a bound that is not trusted changes no answer, true or not") {
  std::size_t asked = 0;
  std::size_t limited = 0;
  const double infinity = std::numeric_limits<double>::infinity();
  each_chain(31, 400, [&](chain& of, const std::vector<valued>& all) {
    const double best = all.empty() ? 0 : all[0].first;
    const double claims[] = {best,       best + 1,  1.5 * best, infinity, 0.5 * best,
                             1.1 * best, -infinity, 1e308,      2 * best, infinity - infinity};
    const double claim = claims[asked % std::size(claims)];
    bool well_asked = true;
    of.request.backends.bound_provider = [&](const bound_call& call) {
      ++asked;
      well_asked = well_asked && call.bound <= best && call.value >= best && call.problem.items() == of.model.size();
      return claim;
    };
    const auto answer = chains::solve(of);
    CHECK(well_asked);
    CHECK((of.request.search.node_limit ? is_sound(answer, all) : is_best(answer, of, all)));
    limited += answer.state() == state::feasible ? 1 : 0;
  });
  CHECK(asked > 150);
  CHECK(limited > 10);
}

TEST_CASE("a true bound that is trusted is the search's own, and may be rounded up a little") {
  std::size_t asked = 0;
  std::size_t raised = 0;
  each_chain(32, 300, [&](chain& of, const std::vector<valued>& all) {
    if (all.empty()) return;
    const auto alone = chains::solve(of);
    std::size_t before = asked;
    of.request.backends.bound_provider = [&](const bound_call&) {
      ++asked;
      return all[0].first * (1 + 0x1p-52);
    };
    of.request.backends.bound_provider.trusted = true;
    const auto answer = chains::solve(of);
    CHECK((of.request.search.node_limit ? is_sound(answer, all) : is_best(answer, of, all)));
    if (asked == before || !answer) return;
    CHECK(answer->bound == all[0].first);
    raised += alone && alone->bound < all[0].first ? 1 : 0;
  });
  CHECK(asked > 100);
  CHECK(raised > 10);
}

TEST_CASE("an enumerator that is not trusted gives cuts, which are checked, and no proof") {
  std::size_t asked = 0;
  std::size_t chain_number = 0;
  each_chain(33, 400, [&](chain& of, const std::vector<valued>& all) {
    const std::size_t lie = chain_number++ % 5;
    of.request.backends.enumerator = [&](const enumeration_call& call, view<std::size_t> cut) {
      ++asked;
      switch (lie) {
        case 0: return enumeration_answer::none;
        case 1:  // the worst cut
          std::copy(all.back().second.begin(), all.back().second.end(), cut.begin());
          return enumeration_answer::found;
        case 2:  // perhaps not allowed
          for (std::size_t s = 0; s + 1 < cut.size(); ++s) cut[s] = s;
          cut[cut.size() - 1] = of.model.size();
          return enumeration_answer::found;
        case 3: return enumeration_answer::found;  // nothing was written
        default: return every_cut(call, cut);      // no lie
      }
    };
    const auto answer = chains::solve(of);
    CHECK((of.request.search.node_limit ? is_sound(answer, all) : is_best(answer, of, all)));
  });
  CHECK(asked > 100);
}

TEST_CASE("an enumerator of a user proves if it is trusted") {
  std::size_t asked = 0;
  std::size_t believed = 0;
  each_chain(34, 400, [&](chain& of, const std::vector<valued>& all) {
    of.request.search.node_limit.reset();
    std::size_t here = 0;
    bool well_asked = true;
    of.request.backends.enumerator = [&](const enumeration_call& call, view<std::size_t> cut) {
      ++here;
      const auto answer = every_cut(call, cut);
      well_asked =
          well_asked && answer == (all[0].first <= call.most ? enumeration_answer::found : enumeration_answer::none);
      return answer;
    };
    const auto unbelieved = chains::solve(of);
    const std::size_t nodes = unbelieved ? unbelieved->statistics.nodes : 0;
    CHECK(is_best(unbelieved, of, all));
    asked += here;
    of.request.backends.enumerator.trusted = true;
    const auto answer = chains::solve(of);
    CHECK(is_best(answer, of, all));
    CHECK(well_asked);
    if (here > 0) believed += answer->statistics.nodes < nodes ? 1 : 0;
  });
  CHECK(asked > 50);
  CHECK(believed > 10);
}

TEST_CASE("trust belongs to one function: another one is not trusted") {
  stagecut::bound_provider provider;
  CHECK(!provider);
  CHECK(!provider.trusted);
  const auto own = [](const bound_call& call) { return call.bound; };
  provider = own;
  CHECK(provider);
  CHECK(!provider.trusted);
  provider.trusted = true;
  const stagecut::bound_provider copy = provider;
  CHECK(copy.trusted);
  provider = own;
  CHECK(!provider.trusted);
  provider.trusted = true;
  provider = std::ref(own);
  CHECK(!provider.trusted);
  provider.trusted = true;
  provider = {};
  CHECK(!provider);
  CHECK(!provider.trusted);
}

TEST_CASE("a heuristic is told when its time is over") {
  std::mt19937 random(9);
  const auto model = random_times(random, 40);
  makespan_request request = three_a_rank(4);
  request.search.time_limit = 2;
  std::size_t asked = 0;
  request.backends.heuristic = [&](const stagecut::heuristic_call& call, view<std::size_t>) {
    ++asked;
    std::size_t looks = 0;
    while (!call.stop()) ++looks;
    CHECK((looks > 0 || call.seconds < 0.01));
    return false;
  };
  CHECK(minimize_makespan(model, request).state() != state::infeasible);
  CHECK(asked > 0);
}
