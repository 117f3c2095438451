// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/minimize_makespan.hpp>

#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/sequence/uniform_cuts.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "random_chains.hpp"
#include "requests.hpp"

using chains::chain;
using chains::order_of;
using chains::points;
using chains::request_for;
using chains::valued;
using oracle::dice;
using stagecut::cuts;
using stagecut::item_times;
using stagecut::link_speed;
using stagecut::makespan_cut;
using stagecut::search_progress;
using stagecut::makespan_request;
using stagecut::minimize_makespan;
using stagecut::op;
using stagecut::op_kind;
using stagecut::outcome;
using stagecut::schedule;
using stagecut::schedule_kind;
using stagecut::state;
using stagecut::transfer_kind;
using stagecut::view;

namespace {

/// Compares an answer with all cuts; whether it is theirs.
bool is_answer(const chain& of, const outcome<makespan_cut>& answer, const std::vector<valued>& all) {
  if (all.empty()) {
    using cause = stagecut::reason::cause;
    const bool memory = of.request.memory_limit.for_all() && answer.why().what == cause::memory;
    return answer.state() == state::infeasible && (memory || answer.why().what == cause::constraint) &&
           (!memory || answer.why().needed > answer.why().available);
  }
  return answer.state() == state::optimal && answer->value == all[0].first && answer->bound == all[0].first &&
         answer->ties_settled && chains::points_of(answer->cuts) == chains::best_of(of, all);
}

/// Whether what a limit left is true: `known` is the makespan of a cut that the search began with.
bool is_sound(const outcome<makespan_cut>& answer, const std::vector<valued>& all, double known) {
  if (!answer) return all.empty() || answer.state() == state::unknown;
  const auto found = std::find(all.begin(), all.end(), valued{answer->value, chains::points_of(answer->cuts)});
  return found != all.end() && answer->bound <= all[0].first && answer->value <= known &&
         (answer.state() == state::optimal) == (answer->bound == answer->value);
}

/// Random chains under schedules of a kind; returns how many were not as enumeration says.
struct tally {
  int chains = 0;
  int infeasible = 0;
  int wrong = 0;
};

template <class Order>
tally compare(std::uint64_t seed, int rounds, const Order& order_of) {
  dice random(seed);
  tally result;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const schedule order = order_of(random);
    const chain of = chains::random_chain(random, order, 14, {});
    const std::vector<valued> all = chains::all_cuts(of);
    ++result.chains;
    if (all.empty()) ++result.infeasible;
    const bool same = is_answer(of, chains::solve(of), all);
    CHECK(same);
    if (!same) ++result.wrong;
  }
  return result;
}

tally compare(schedule_kind kind, int rounds, std::size_t chunks = 0) {
  const std::uint64_t seed = 100 * static_cast<std::uint64_t>(kind) + chunks;
  return compare(seed, rounds, [&](dice& random) { return chains::random_order(random, kind, {14, 5, 12, chunks}); });
}

const std::vector<double> listed{8, 11, 2, 1, 18, 5, 4, 11};

std::vector<double> times(const std::vector<double>& values, double by) {
  std::vector<double> result;
  for (const double value : values) result.push_back(value * by);
  return result;
}

/// With B = I + W = 2F.
item_times twice(const std::vector<double>& forward) { return item_times(forward, times(forward, 2), forward); }

template <class Model = item_times>
std::string refusal(const makespan_request& request, const Model& model = twice(listed)) {
  try {
    (void)minimize_makespan(model, request);
  } catch (const stagecut::argument_error& error) {
    return error.what();
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "";
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Times that are what one says.
struct told {
  double forward_time = 1;
  double backward_time = 1;
  double weight_time = 0;
  double bytes = 0;
  std::size_t size() const { return 4; }
  double forward(std::size_t s, std::size_t i) const { return s == 1 && i == 2 ? forward_time : 1; }
  double backward(std::size_t s, std::size_t i) const { return s == 1 && i == 2 ? backward_time : 1; }
  double backward_weight(std::size_t s, std::size_t i) const { return s == 1 && i == 2 ? weight_time : 0; }
  double sent(std::size_t cut) const { return cut == 2 ? bytes : 0; }
};

/// The same with a gradient of the input.
struct apart_told : told {
  double backward_input(std::size_t s, std::size_t i) const { return s == 1 && i == 2 ? -1 : 1; }
};

/// Counts what it is asked.
template <bool Invariant>
struct counted {
  using axioms = std::conditional_t<Invariant, stagecut::axioms<stagecut::stage_invariant>, stagecut::axioms<>>;
  std::size_t items;
  mutable std::size_t asked_forward = 0;
  mutable std::size_t asked_backward = 0;
  mutable std::size_t asked_weight = 0;

  std::size_t size() const { return items; }
  double forward(std::size_t, std::size_t i) const {
    ++asked_forward;
    return static_cast<double>(i % 3 + 1);
  }
  double backward(std::size_t, std::size_t i) const {
    ++asked_backward;
    return static_cast<double>(i % 4 + 2);
  }
  double backward_weight(std::size_t, std::size_t) const {
    ++asked_weight;
    return 1;
  }
};

/// A chain of a size at which nobody enumerates.
chain long_chain(dice& random, const schedule& order, std::size_t items) {
  std::vector<double> lists[4];
  for (std::size_t i = 0; i < items; ++i) {
    for (auto& list : lists) list.push_back(static_cast<double>(random.from(1, 100)));
    lists[1][i] += lists[2][i];
  }
  chain result{chains::layers(lists[0], lists[1], lists[2], lists[3]), {}, {}, {}};
  result.request = request_for(order);
  return result;
}

double simulated(const chain& of, const points& cut) {
  chains::simulator simulate(of.request);
  return static_cast<double>(of.with_model([&](const auto& model) { return simulate(model, cut); }));
}

}  // namespace

TEST_CASE("the best cut of all: GPipe") {
  CHECK(compare(schedule_kind::gpipe, 850).wrong == 0);
  CHECK(compare(schedule_kind::gpipe_lifo, 300).wrong == 0);
}

TEST_CASE("the best cut of all: 1F1B") {
  const tally found = compare(schedule_kind::one_forward_one_backward, 850);
  CHECK(found.wrong == 0);
  CHECK(found.infeasible > 20);
  CHECK(found.infeasible < found.chains / 4);
}

TEST_CASE("the best cut of all: eager 1F1B") {
  CHECK(compare(schedule_kind::eager_one_forward_one_backward, 850).wrong == 0);
}

TEST_CASE("the best cut of all: any microbatches in flight") {
  CHECK(compare(schedule_kind::in_flight, 400).wrong == 0);
}

TEST_CASE("the best cut of all: interleaved, two stages a rank") {
  CHECK(compare(schedule_kind::interleaved, 850, 2).wrong == 0);
}

TEST_CASE("the best cut of all: interleaved, three stages a rank") {
  CHECK(compare(schedule_kind::interleaved, 850, 3).wrong == 0);
}

TEST_CASE("the best cut of all: ZB-H1 and ZB-H2") {
  CHECK(compare(schedule_kind::zb_h1, 850).wrong == 0);
  CHECK(compare(schedule_kind::zb_h2, 300).wrong == 0);
}

TEST_CASE("the best cut of all: two stages a rank, down and up") {
  CHECK(compare(schedule_kind::zbv, 300).wrong == 0);
  CHECK(compare(schedule_kind::dualpipev, 300).wrong == 0);
}

TEST_CASE("the best cut of all: looped BFS, interleaved zero bubble and SAPP's orders") {
  CHECK(compare(schedule_kind::looped_bfs, 300).wrong == 0);
  CHECK(compare(schedule_kind::interleaved_zero_bubble, 300).wrong == 0);
  CHECK(compare(schedule_kind::sapp_big, 150).wrong == 0);
  CHECK(compare(schedule_kind::sapp_less_memory, 150).wrong == 0);
}

TEST_CASE("the best cut of all: slices") { CHECK(compare(schedule_kind::sliced, 300).wrong == 0); }

TEST_CASE("the best cut of all: any order on any ranks") {
  const tally found = compare(77, 600, [](dice& random) {
    for (;;) {
      const auto written = static_cast<oracle::written_transfers>(random.below(2));
      schedule order = oracle::random_schedule(random, written, random.once_in(2));
      if (order.stages() <= 10) return order;
    }
  });
  CHECK(found.wrong == 0);
}

TEST_CASE("makespans are those of simulate, and of the definition") {
  dice random(5);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const chain of = chains::random_chain(random, chains::random_order(random, kind, {10, 3, 6}), 10, {});
    const auto answer = chains::solve(of);
    if (!answer) continue;
    of.with_model([&](const auto& model) {
      const auto what = chains::durations_of<double>(model, of.request, chains::points_of(answer->cuts));
      CHECK(stagecut::simulate(of.request.schedule, what.times, what.transfers).makespan == answer->value);
      const oracle::iteration<double> expected(of.request.schedule, what.times, what.transfers);
      CHECK(expected.run().makespan == answer->value);
      return 0;
    });
  }
}

// The listed values were computed by another program.
TEST_CASE("the listed optima of a chain of eight layers") {
  struct row {
    schedule order;
    double latency;
    double makespan;
    cuts at;
  };
  const schedule interleaved2 = order_of(schedule_kind::interleaved, 2, 8, 2);
  const schedule interleaved3 = order_of(schedule_kind::interleaved, 2, 8, 3);
  const schedule in_flight = order_of(schedule_kind::in_flight, 4, 8, 1, {2, 2, 2, 1});
  const std::vector<row> rows{
      {order_of(schedule_kind::gpipe, 4, 8), 0, 600, {0, 1, 3, 5, 8}},
      {order_of(schedule_kind::gpipe, 4, 8), 2, 612, {0, 1, 3, 5, 8}},
      {order_of(schedule_kind::one_forward_one_backward, 4, 8), 0, 573, {0, 3, 5, 6, 8}},
      {order_of(schedule_kind::one_forward_one_backward, 4, 8), 2, 589, {0, 3, 5, 6, 8}},
      {order_of(schedule_kind::eager_one_forward_one_backward, 4, 8), 0, 543, {0, 3, 5, 6, 8}},
      {order_of(schedule_kind::eager_one_forward_one_backward, 4, 8), 2, 547, {0, 3, 5, 6, 8}},
      {in_flight, 0, 960, {0, 1, 2, 5, 8}},
      {in_flight, 2, 990, {0, 1, 2, 4, 8}},
      {order_of(schedule_kind::zb_h1, 4, 8), 0, 520, {0, 1, 3, 5, 8}},
      {order_of(schedule_kind::zb_h1, 4, 8), 2, 526, {0, 1, 4, 5, 8}},
      {order_of(schedule_kind::zb_h2, 4, 8), 0, 504, {0, 3, 5, 6, 8}},
      {order_of(schedule_kind::zb_h2, 4, 8), 2, 504, {0, 3, 5, 6, 8}},
      {interleaved2, 0, 776, {0, 1, 4, 6, 8}},
      {interleaved2, 2, 788, {0, 1, 4, 6, 8}},
      {interleaved3, 0, 848, {0, 1, 2, 3, 4, 6, 8}},
      {interleaved3, 2, 868, {0, 1, 2, 3, 4, 6, 8}},
      {order_of(schedule_kind::zbv, 2, 8, 2), 0, 739, {0, 2, 5, 7, 8}},
      {order_of(schedule_kind::zbv, 2, 8, 2), 2, 741, {0, 2, 5, 7, 8}},
      {order_of(schedule_kind::zbv, 3, 8, 2), 0, 523, {0, 1, 2, 3, 5, 7, 8}},
      {order_of(schedule_kind::zbv, 3, 8, 2), 2, 536, {0, 1, 2, 3, 5, 7, 8}},
  };
  for (const row& each : rows) {
    CAPTURE(each.order.name);
    CAPTURE(each.latency);
    makespan_request request = request_for(each.order, each.latency);
    request.transfers = transfer_kind::latency;
    request.within = 0;
    const auto answer = minimize_makespan(twice(listed), request);
    REQUIRE(answer.state() == state::optimal);
    CHECK(answer->value == each.makespan);
    CHECK(answer->bound == each.makespan);
    // The notes name one of the best cuts.
    CHECK(answer->all_within);
    CHECK(std::any_of(answer->within.begin(), answer->within.end(),
                      [&](const auto& best) { return best.cuts == each.at && best.value == each.makespan; }));
    CHECK(std::any_of(answer->within.begin(), answer->within.end(),
                      [&](const auto& best) { return best.cuts == answer->cuts; }));
  }
}

TEST_CASE("the listed optima of other chains") {
  const schedule order = order_of(schedule_kind::one_forward_one_backward, 4, 8);
  const auto best = [&](const std::vector<double>& forward, double latency) {
    makespan_request request = request_for(order, latency);
    request.transfers = transfer_kind::latency;
    const auto answer = minimize_makespan(twice(forward), request);
    CHECK(answer.state() == state::optimal);
    return answer->value;
  };
  const std::vector<double> thousands{1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000};
  const std::vector<double> uneven{1170, 2846, 1146, 4254, 2199, 1289, 6888, 2312};
  CHECK(best(listed, 0) == 573);
  CHECK(best(thousands, 0) == 318000);
  CHECK(best(thousands, 250) == 320500);
  CHECK(best(uneven, 0) == 219396);
  CHECK(best(uneven, 292) == 221148);
  CHECK(minimize_makespan(twice(uneven), request_for(order))->cuts == cuts{0, 3, 6, 7, 8});
}

TEST_CASE("what stages take beside their items: 45 by the items alone, 35 as simulated") {
  // Launching a stage takes 5, whatever it runs; a model that is asked for single items alone pays it for each of them.
  struct launched {
    std::size_t size() const { return 4; }
    double forward(std::size_t, std::size_t) const { return 1; }
    double backward(std::size_t, std::size_t) const { return 1; }
    double stage_forward(std::size_t) const { return 5; }
    double stage_backward(std::size_t) const { return 5; }
  };
  const makespan_request request = request_for(order_of(schedule_kind::one_forward_one_backward, 2, 1));
  const auto answer = minimize_makespan(launched{}, request);
  REQUIRE(answer.state() == state::optimal);
  CHECK(answer->cuts == cuts{0, 2, 4});
  CHECK(answer->value == 2 * (5 + 2) + 2 * (5 + 2));
  const stagecut::pass_times<double> passes{{7, 7}, {7, 7}};
  CHECK(stagecut::simulate(request.schedule, passes).makespan == answer->value);
}

TEST_CASE("a loss on the last stage leaves it fewer layers") {
  const std::vector<double> ones(8, 1);
  const makespan_request request = request_for(order_of(schedule_kind::one_forward_one_backward, 2, 32));
  CHECK(minimize_makespan(item_times(ones, ones), request)->cuts == cuts{0, 4, 8});
  const stagecut::with_stage_times<item_times> model(item_times(ones, ones), {{0, 2}, {0, 2}, {}});
  const auto answer = minimize_makespan(model, request);
  REQUIRE(answer.state() == state::optimal);
  CHECK(answer->cuts == cuts{0, 5, 8});
  // Where devices are twice as fast, so are they at the loss.
  const stagecut::with_speeds<stagecut::with_stage_times<item_times>> fast(model, {2, 2});
  CHECK(minimize_makespan(fast, request)->cuts == answer->cuts);
  CHECK(minimize_makespan(fast, request)->value == answer->value / 2);
}

TEST_CASE("what stages take beside their items, no integers: as simulate says, and no cut is better") {
  dice random(19);
  for (int round = 0; round < 1000; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const schedule order = chains::random_order(random, kind, {9, 4, 6});
    std::vector<double> lists[4];
    stagecut::stage_times own;
    for (std::size_t i = 0; i < 9; ++i) {
      for (auto& list : lists) list.push_back(random.fraction());
      lists[1][i] += lists[2][i];
    }
    for (std::size_t s = 0; s < order.stages(); ++s) {
      own.forward.push_back(random.once_in(3) ? 0 : random.fraction());
      own.backward.push_back(own.forward[s] + (s + 1 == order.stages() ? 3 * random.fraction() : 0.1));
      own.backward_weight.push_back(own.backward[s] * random.fraction());
    }
    chain of{chains::layers(lists[0], lists[1], lists[2], lists[3], {}, {}, own), {}, request_for(order), {}};
    if (random.once_in(2)) of.request.links = {{0.1 * random.fraction(), 10 + random.fraction()}};
    for (std::size_t s = 0; random.once_in(3) && s < order.stages(); ++s) of.speeds.push_back(0.5 + random.fraction());
    if (of.speeds.size() != order.stages()) of.speeds.clear();
    const std::vector<valued> all = chains::all_cuts<double>(of);
    const auto answer = chains::solve(of);
    REQUIRE(answer.state() == state::optimal);
    CHECK(answer->bound <= all[0].first * (1 + 1e-12));
    CHECK(std::abs(answer->value - all[0].first) <= 1e-12 * all[0].first);
  }
}

TEST_CASE("times of stages that are none are refused, with the stage") {
  struct own : told {
    double forward_own = 0;
    double backward_own = 0;
    double weight_own = 0;
    double stage_forward(std::size_t s) const { return s == 1 ? forward_own : 0; }
    double stage_backward(std::size_t s) const { return s == 1 ? backward_own : 0; }
    double stage_backward_weight(std::size_t s) const { return s == 1 ? weight_own : 0; }
  };
  const auto refused = [](const schedule& order, double forward, double backward, double weight) {
    own model;
    model.forward_own = forward, model.backward_own = backward, model.weight_own = weight;
    return refusal(request_for(order), model);
  };
  const schedule whole = order_of(schedule_kind::one_forward_one_backward, 2, 2);
  const schedule split = order_of(schedule_kind::zb_h1, 2, 4);
  CHECK(refused(whole, 1, 2, 3).empty());  // nobody asks for the gradient of the weights
  CHECK(refused(split, 1, 2, 2).empty());
  CHECK(refused(split, 1, 2, 3) == "model.stage_backward_weight of stage 1: is above the whole backward pass");
  CHECK(refused(whole, -1, 2, 0) == "model.stage_forward of stage 1: must be finite and not negative");
  CHECK(refused(whole, 0, infinity, 0) == "model.stage_backward of stage 1: must be finite and not negative");
  CHECK(refused(split, 0, 1, not_a_number) ==
        "model.stage_backward_weight of stage 1: NaN, must be finite and not negative");
}

TEST_CASE("never worse than as many layers each, or the lightest heaviest stage, whatever the limit") {
  dice random(6);
  for (const auto kind : {schedule_kind::gpipe, schedule_kind::one_forward_one_backward, schedule_kind::zb_h1}) {
    for (int round = 0; round < 20; ++round) {
      const std::size_t p = random.from(2, 12);
      const std::size_t least = kind == schedule_kind::zb_h1 ? 2 * p : 1;
      chain of = long_chain(random, order_of(kind, p, random.from(least, 24)), 80);
      if (random.once_in(2)) of.request.links = {{5, 10}};
      if (random.once_in(2)) {
        of.request.search.node_limit = 0;
      } else {
        of.request.search.time_limit = 0;
      }
      const auto answer = chains::solve(of);
      REQUIRE(answer);
      std::vector<double> load;
      for (std::size_t i = 0; i < 80; ++i)
        load.push_back(of.model.forward(0, i) + of.model.backward(0, i));
      const auto light = stagecut::minimize_bottleneck(stagecut::prefix_sums(load), p);
      const auto uniform = stagecut::uniform_cuts(80, p);
      // The times of chains::durations_of are whole here: bytes are not, so compare what is simulated from doubles.
      const auto makespan = [&](const cuts& at) {
        const auto what = chains::durations_of<double>(of.model, of.request, chains::points_of(at));
        return stagecut::simulate(of.request.schedule, what.times, what.transfers).makespan;
      };
      CHECK(answer->value <= makespan(light->cuts) * (1 + 1e-12));
      CHECK(answer->value <= makespan(uniform->cuts) * (1 + 1e-12));
      CHECK(answer->bound <= answer->value);
      CHECK(answer->bound > 0);
    }
  }
}

TEST_CASE("limits leave a true bound, and a cut that is not worse than the one to begin with") {
  dice random(8);
  int feasible = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    chain of = chains::random_chain(random, chains::random_order(random, kind, {12, 5, 8}), 12, {});
    const std::vector<valued> all = chains::all_cuts(of);
    double known = infinity;
    if (!all.empty() && random.once_in(2)) {
      const valued& start = all[random.below(all.size())];
      of.request.start = cuts(start.second);
      known = start.first;
    }
    std::size_t asked = 0;
    const std::size_t patience = random.below(100);
    const auto impatient = [&] { return asked++ >= patience; };
    switch (random.below(3)) {
      case 0: of.request.search.time_limit = 0; break;
      case 1: of.request.search.node_limit = random.below(20); break;
      default: of.request.search.stop = impatient;
    }
    const auto answer = chains::solve(of);
    CHECK(is_sound(answer, all, known));
    if (answer.state() != state::feasible) continue;
    ++feasible;
    CHECK(answer->bound == std::floor(answer->bound));  // as all makespans are whole numbers
  }
  CHECK(feasible > 20);
}

TEST_CASE("where finding any cut takes a search, a limit leaves the answer unknown") {
  // Two stages a rank. One cut fits, and it is none of those to begin with.
  const std::vector<double> ones(6, 1);
  const chains::layers model(ones, ones, {}, {}, {0, 5, 1, 7, 6, 7}, std::vector<double>(6, 0));
  makespan_request request = request_for(order_of(schedule_kind::interleaved, 2, 2, 2));
  request.memory_limit = 13;
  const auto answer = minimize_makespan(model, request);
  REQUIRE(answer.state() == state::optimal);
  CHECK(answer->cuts == cuts{0, 1, 3, 5, 6});
  const auto at_once = [] { return true; };
  request.search.stop = at_once;
  const auto stopped = minimize_makespan(model, request);
  CHECK(stopped.state() == state::unknown);
  CHECK(stopped.why().what == stagecut::reason::cause::limit_reached);
  request.search.stop = {};
  request.memory_limit = 12;
  CHECK(minimize_makespan(model, request).state() == state::infeasible);
}

TEST_CASE("a good cut to begin with is kept") {
  dice random(9);
  for (int round = 0; round < 200; ++round) {
    const auto kind = chains::any_kind(random);
    chain of = chains::random_chain(random, chains::random_order(random, kind, {11, 4, 8}), 11, {});
    const std::vector<valued> all = chains::all_cuts(of);
    if (all.empty()) continue;
    of.request.start = cuts(all[0].second);
    CHECK(is_answer(of, chains::solve(of), all));
    of.request.search.node_limit = 0;
    CHECK(chains::solve(of)->value == all[0].first);
    of.request.search.node_limit.reset();
    of.request.start = cuts(all.back().second);
    CHECK(is_answer(of, chains::solve(of), all));
  }
}

TEST_CASE("all cuts near the best, or the best of them") {
  dice random(10);
  int cut_short = 0;
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    chain of = chains::random_chain(random, chains::random_order(random, kind, {11, 4, 8}), 11, {});
    const std::vector<valued> all = chains::all_cuts(of);
    of.request.within = random.once_in(4) ? 0 : 0.5 * random.fraction();
    of.request.most_within = random.once_in(2) ? 2000 : random.from(1, 20);
    const auto answer = chains::solve(of);
    CHECK(is_answer(of, answer, all));
    if (all.empty() || !answer) continue;
    std::vector<valued> expected;
    for (const valued& each : all) {
      if (each.first <= all[0].first * (1 + *of.request.within)) expected.push_back(each);
    }
    CHECK(answer->all_within == (expected.size() <= of.request.most_within));
    if (expected.size() > of.request.most_within) {
      expected.resize(of.request.most_within);
      ++cut_short;
    }
    std::vector<valued> found;
    for (const auto& solution : answer->within) found.emplace_back(solution.value, chains::points_of(solution.cuts));
    CHECK(found == expected);
  }
  CHECK(cut_short > 20);
}

TEST_CASE("asked for none of the cuts near the best, there are none, and nobody says that these are all") {
  makespan_request request = request_for(order_of(schedule_kind::gpipe, 4, 8));
  request.within = 0.1;
  request.most_within = 0;
  const auto answer = minimize_makespan(twice(listed), request);
  REQUIRE(answer.state() == state::optimal);
  CHECK(answer->within.empty());
  CHECK_FALSE(answer->all_within);
  request.within.reset();
  CHECK_FALSE(minimize_makespan(twice(listed), request)->all_within);
}

TEST_CASE("a fraction without end asks for all cuts") {
  for (const auto kind : {schedule_kind::gpipe, schedule_kind::one_forward_one_backward, schedule_kind::zb_h1}) {
    for (const double fraction : {1e6, 1e300}) {
      makespan_request request = request_for(order_of(kind, 4, 8));
      request.within = fraction;
      const auto answer = minimize_makespan(twice(listed), request);
      REQUIRE(answer.state() == state::optimal);
      CHECK(answer->within.size() == 35);
      CHECK(answer->all_within);
    }
  }
}

TEST_CASE("a heuristic decides where to look, not what is true") {
  dice random(11);
  std::size_t asked = 0;
  std::size_t helped = 0;
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    chain of = chains::random_chain(random, chains::random_order(random, kind, {11, 4, 8}), 11, {});
    const std::vector<valued> all = chains::all_cuts(of);
    const std::size_t lie = random.below(5);
    bool well_asked = true;
    const auto heuristic = [&](const stagecut::heuristic_call& task, view<std::size_t> cut_points) {
      ++asked;
      const points now(task.points.begin(), task.points.end());
      const auto found = std::find_if(all.begin(), all.end(), [&](const valued& each) { return each.second == now; });
      well_asked = well_asked && found != all.end() && found->first == task.value && task.goal <= all[0].first &&
                   task.simulations > 0 && cut_points.size() == now.size();
      switch (lie) {
        case 0:  // the best one
          std::copy(all[0].second.begin(), all[0].second.end(), cut_points.begin());
          if (all[0].first < task.value) ++helped;
          return true;
        case 1: return true;  // nothing was written
        case 2:
          for (std::size_t& point : cut_points) point = random.below(~std::size_t{0});
          return true;
        case 3:  // a cut, though no good one, and perhaps not allowed
          for (std::size_t i = 0; i + 1 < cut_points.size(); ++i) cut_points[i] = i;
          return true;
        default: return false;
      }
    };
    CHECK(is_answer(of, chains::solve(of, heuristic), all));
    CHECK(well_asked);
  }
  CHECK(asked > 150);
  CHECK(helped > 5);
}

TEST_CASE("progress: makespans that do not rise, bounds that do not fall, and true ones") {
  dice random(12);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    chain of = chains::random_chain(random, chains::random_order(random, kind, {11, 4, 8}), 11, {});
    const std::vector<valued> all = chains::all_cuts(of);
    std::vector<search_progress> told_so_far;
    const auto listener = [&](const search_progress& now) { told_so_far.push_back(now); };
    of.request.search.progress = listener;
    const auto answer = chains::solve(of);
    CHECK(is_answer(of, answer, all));
    if (!answer) continue;
    bool sound = !told_so_far.empty();
    for (std::size_t i = 0; i < told_so_far.size(); ++i) {
      const search_progress& now = told_so_far[i];
      sound = sound && now.bound <= all[0].first && now.value >= all[0].first && now.seconds >= 0;
      if (i == 0) continue;
      const search_progress& before = told_so_far[i - 1];
      sound = sound && now.value <= before.value && now.bound >= before.bound && now.seconds >= before.seconds &&
              now.nodes >= before.nodes && now.evaluations >= before.evaluations;
    }
    CHECK(sound);
    CHECK(told_so_far.back().value == answer->value);
    CHECK(told_so_far.back().bound == answer->bound);
  }
}

TEST_CASE("the answer does not depend on the unit of time") {
  dice random(13);
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const chain of = chains::random_chain(random, chains::random_order(random, kind, {11, 4, 8}), 11, {});
    const double by = std::ldexp(1, static_cast<int>(random.below(200)) - 100);
    std::vector<double> lists[4];
    std::vector<double> input;
    for (std::size_t i = 0; i < of.model.size(); ++i) {
      lists[0].push_back(by * of.model.forward(0, i));
      lists[1].push_back(by * of.model.backward(0, i));
      if (of.model.splits_backward()) lists[2].push_back(by * of.model.backward_weight(0, i));
      input.push_back(by * of.model.backward_input(0, i));
      lists[3].push_back(of.model.sent(i + 1));
    }
    chain plain = of;  // without memory, which is not scaled
    plain.request.memory_limit = {};
    chain scaled = plain;
    stagecut::stage_times own;
    for (std::size_t s = 0; s < of.request.schedule.stages(); ++s) {
      own.forward.push_back(by * of.model.stage_forward(s));
      own.backward.push_back(by * of.model.stage_backward(s));
      own.backward_weight.push_back(by * of.model.stage_backward_weight(s));
    }
    scaled.model = chains::layers(lists[0], lists[1], lists[2], lists[3], {}, {}, own);
    scaled.model.tell_input(std::move(input));
    for (link_speed& link : scaled.request.links) link = {link.latency * by, link.bandwidth / by};
    plain.request.within = scaled.request.within = 0.01;
    const auto one = chains::solve(plain);
    const auto other = chains::solve(scaled);
    REQUIRE(one.state() == other.state());
    if (!one) continue;
    CHECK(one->cuts == other->cuts);
    CHECK(one->value * by == other->value);
    CHECK(one->bound * by == other->bound);
    CHECK(one->statistics.nodes == other->statistics.nodes);
    CHECK(one->statistics.evaluations == other->statistics.evaluations);
    CHECK(one->within.size() == other->within.size());
  }
}

TEST_CASE("the same question has the same answer, down to the number of nodes") {
  dice random(14);
  for (int round = 0; round < 100; ++round) {
    const auto kind = chains::any_kind(random);
    chain of = chains::random_chain(random, chains::random_order(random, kind, {12, 5, 8}), 12, {});
    if (random.once_in(2)) of.request.search.node_limit = random.below(50);
    of.request.within = 0.05;
    const auto one = chains::solve(of);
    const auto other = chains::solve(of);
    REQUIRE(one.state() == other.state());
    if (!one) continue;
    CHECK(one->cuts == other->cuts);
    CHECK(one->value == other->value);
    CHECK(one->bound == other->bound);
    CHECK(one->statistics.nodes == other->statistics.nodes);
    CHECK(one->statistics.evaluations == other->statistics.evaluations);
    CHECK(one->within == other->within);
    CHECK(one->all_within == other->all_within);
  }
}

TEST_CASE("times that are no integers: what simulate says of them") {
  dice random(15);
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    const schedule order = chains::random_order(random, kind, {12, 4, 8});
    std::vector<double> lists[4];
    for (std::size_t i = 0; i < 12; ++i) {
      for (auto& list : lists) list.push_back(random.fraction() * std::ldexp(1, static_cast<int>(random.below(10))));
      lists[1][i] += lists[2][i];
    }
    chain of{chains::layers(lists[0], lists[1], lists[2], lists[3]), {}, request_for(order), {}};
    if (random.once_in(2)) of.request.links = {{0.1 * random.fraction(), 10 + random.fraction()}};
    const auto answer = chains::solve(of);
    REQUIRE(answer.state() == state::optimal);
    const auto what = chains::durations_of<double>(of.model, of.request, chains::points_of(answer->cuts));
    const double makespan = stagecut::simulate(order, what.times, what.transfers).makespan;
    CHECK(std::abs(answer->value - makespan) <= 1e-12 * makespan);
    double least = infinity;
    chains::each_cut(12, order.stages(), [&](const points& cut) {
      const auto here = chains::durations_of<double>(of.model, of.request, cut);
      if (round % 10 == 0) least = std::min(least, stagecut::simulate(order, here.times, here.transfers).makespan);
    });
    if (round % 10 == 0) CHECK(answer->bound <= least * (1 + 1e-12));
    if (round % 10 == 0) CHECK(answer->value <= least * (1 + 1e-12));
  }
}

TEST_CASE("a device or a message so slow that no good cut has it does not hide the best cut") {
  const std::vector<double> forward{.011, .019, .012, .031, .007, .016, .022, .013, 0};
  makespan_request request = request_for(order_of(schedule_kind::one_forward_one_backward, 3, 8));
  const item_times alone(forward, times(forward, 2));
  const auto staged = minimize_makespan(stagecut::with_speeds<item_times>(alone, {1, 1, 3e-14}), request);
  REQUIRE(staged.state() == state::optimal);
  CHECK(staged->cuts == cuts{0, 4, 8, 9});
  CHECK(staged->value == doctest::Approx(1.881).epsilon(1e-12));
  CHECK(staged->bound == staged->value);

  std::vector<double> sent(9, 1);
  sent[0] = 1e15;
  request.links = {{0, 1000}};
  const auto linked = minimize_makespan(item_times(forward, times(forward, 2), {}, sent), request);
  REQUIRE(linked.state() == state::optimal);
  CHECK(linked->cuts == cuts{0, 2, 5, 9});
  CHECK(linked->value == doctest::Approx(1.468).epsilon(1e-12));
}

TEST_CASE("times, messages and speeds of any magnitude: the best of all cuts, and a true bound") {
  dice random(17);
  int optimal = 0;
  int infeasible = 0;
  for (int round = 0; round < 1500; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    chain of = chains::rough_chain(random, chains::random_order(random, kind, {9, 4, 6}), 9, round % 5 == 0 ? 150 : 20);
    const std::vector<valued> all = chains::all_cuts<double>(of);
    if (random.once_in(3)) of.request.within = random.once_in(4) ? 1e300 : std::pow(10, 12 * random.fraction() - 2);
    if (random.once_in(4) && !all.empty()) of.request.start = cuts(all[random.below(all.size())].second);
    const auto answer = chains::solve(of);
    REQUIRE(answer.has_value() == !all.empty());
    infeasible += all.empty() ? 1 : 0;
    if (!answer) continue;
    const auto value_of = [&](const cuts& cut) {
      const points at = chains::points_of(cut);
      const auto found = std::find_if(all.begin(), all.end(), [&](const valued& each) { return each.second == at; });
      return found == all.end() ? -1 : found->first;
    };
    const double least = all[0].first;
    CHECK(std::abs(value_of(answer->cuts) - answer->value) <= 1e-12 * answer->value);
    CHECK(answer->bound <= least * (1 + 1e-11));
    CHECK((answer.state() == state::optimal) == (answer->value == answer->bound));
    if (answer.state() == state::optimal) ++optimal;
    if (answer.state() == state::optimal) CHECK(answer->value <= least * (1 + 1e-11));
    if (!of.request.within) continue;
    const double longest = answer->value * (1 + *of.request.within);
    std::size_t sure = 0;
    for (const valued& each : all) sure += each.first <= longest * (1 - 1e-9) ? 1 : 0;
    CHECK(answer->all_within);
    CHECK(answer->within.size() >= sure);
    bool sound = true;
    for (const auto& solution : answer->within) {
      sound = sound && solution.value <= longest &&
              std::abs(value_of(solution.cuts) - solution.value) <= 1e-9 * solution.value;
    }
    CHECK(sound);
  }
  CHECK(optimal > 1200);
  CHECK(infeasible > 20);
}

TEST_CASE("limits leave a true bound whatever the magnitudes") {
  dice random(18);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    const auto kind = chains::any_kind(random);
    chain of = chains::rough_chain(random, chains::random_order(random, kind, {9, 4, 6}), 9);
    const std::vector<valued> all = chains::all_cuts<double>(of);
    of.request.search.node_limit = random.below(30);
    double told = 0;
    const auto listener = [&](const search_progress& now) {
      if (!all.empty() && now.bound > all[0].first * (1 + 1e-11)) told = now.bound;
    };
    of.request.search.progress = listener;
    const auto answer = chains::solve(of);
    CHECK(told == 0);
    if (!answer) continue;
    CHECK(answer->bound <= all[0].first * (1 + 1e-11));
    CHECK((answer.state() == state::optimal) == (answer->value == answer->bound));
  }
}

TEST_CASE("times near the ends of what doubles can hold") {
  const auto solve = [](double by) {
    return minimize_makespan(twice(times(listed, by)), request_for(order_of(schedule_kind::gpipe, 4, 8)));
  };
  for (const double by : {0x1p-1074, 0x1p-1070, 0x1p-1022, 0x1p1000}) {
    const auto answer = solve(by);
    REQUIRE(answer.state() == state::optimal);
    CHECK(answer->cuts == cuts{0, 1, 3, 5, 8});
    CHECK(answer->value == 600 * by);
  }
  // The last item takes so long on the first stages that sums overflow, but need not be there.
  struct late : told {
    double forward(std::size_t s, std::size_t i) const { return s == 0 && i == 3 ? 1e308 : 1; }
    double backward(std::size_t s, std::size_t i) const { return forward(s, i); }
  };
  const auto answer = minimize_makespan(late{}, request_for(order_of(schedule_kind::one_forward_one_backward, 2, 4)));
  REQUIRE(answer.state() == state::optimal);
  CHECK(answer->cuts == cuts{0, 2, 4});
  CHECK(answer->value == 20);
}

TEST_CASE("rounding that could hide a better cut leaves the answer feasible") {
  // A large number of passes, so that their rounding might add up to a billionth of the iteration.
  std::vector<double> forward;
  for (int i = 0; i < 3000; ++i) forward.push_back(1.0 / (i % 7 + 3));
  makespan_request request = request_for(order_of(schedule_kind::one_forward_one_backward, 2, 30000));
  request.search.node_limit = 100000;
  const auto answer = minimize_makespan(item_times(forward, forward), request);
  REQUIRE(answer.state() == state::feasible);
  CHECK(answer->bound < answer->value);
  CHECK(answer->gap() < 1e-4);
}

TEST_CASE("a model is asked for single items: once, or once for every stage") {
  const counted<true> same{10};
  CHECK(minimize_makespan(same, request_for(order_of(schedule_kind::one_forward_one_backward, 4, 8))).has_value());
  CHECK(same.asked_forward == 10);
  CHECK(same.asked_backward == 10);
  CHECK(same.asked_weight == 0);
  const counted<true> split{10};
  CHECK(minimize_makespan(split, request_for(order_of(schedule_kind::zb_h1, 4, 8))).has_value());
  CHECK(split.asked_weight == 10);
  const counted<false> staged{10};
  CHECK(minimize_makespan(staged, request_for(order_of(schedule_kind::zb_h1, 4, 8))).has_value());
  CHECK(staged.asked_forward == 40);
  CHECK(staged.asked_backward == 40);
  CHECK(staged.asked_weight == 40);
}

TEST_CASE("more stages than layers, and rules that nothing keeps to") {
  const auto short_chain = minimize_makespan(twice({1, 2, 3}), request_for(order_of(schedule_kind::gpipe, 4, 8)));
  REQUIRE(short_chain.state() == state::infeasible);
  CHECK(short_chain.why().text() == "4 stages need at least 4 layers, and there are 3");
  const auto at_most_one = [](std::size_t, std::size_t first, std::size_t last) { return last == first + 1; };
  const auto ruled = minimize_makespan(twice(listed), request_for(order_of(schedule_kind::gpipe, 4, 8)), at_most_one);
  REQUIRE(ruled.state() == state::infeasible);
  CHECK(ruled.why().text() == "no cut keeps to the constraint: 4 stages reach no further than item 3");
}

TEST_CASE("one stage, and as many as layers") {
  const auto whole =
      minimize_makespan(twice(listed), request_for(order_of(schedule_kind::one_forward_one_backward, 1, 3)));
  REQUIRE(whole.state() == state::optimal);
  CHECK(whole->cuts == cuts{0, 8});
  CHECK(whole->value == 3 * 3 * 60);
  makespan_request linked = request_for(order_of(schedule_kind::one_forward_one_backward, 1, 3), 5);
  CHECK(minimize_makespan(twice(listed), linked)->value == 540);
  const auto each = minimize_makespan(twice(listed), request_for(order_of(schedule_kind::gpipe, 8, 2)));
  REQUIRE(each.state() == state::optimal);
  CHECK(each->cuts == cuts{0, 1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(each->value == 60 + 120 + 18 + 36);
}

TEST_CASE("layers that take no time") {
  for (const auto kind : {schedule_kind::gpipe, schedule_kind::one_forward_one_backward, schedule_kind::zb_h1}) {
    const auto answer = minimize_makespan(twice(std::vector<double>(6, 0)), request_for(order_of(kind, 3, 6)));
    REQUIRE(answer.state() == state::optimal);
    CHECK(answer->value == 0);
    CHECK(answer->bound == 0);
    CHECK(answer->cuts == cuts{0, 1, 2, 6});
    CHECK(answer->gap() == 0);
  }
  const auto pairs =
      minimize_makespan(twice(std::vector<double>(6, 0)), request_for(order_of(schedule_kind::zbv, 2, 4, 2), 3));
  REQUIRE(pairs.state() == state::optimal);
  CHECK(pairs->value > 0);
}

TEST_CASE("a request that makes no sense") {
  const makespan_request good = request_for(order_of(schedule_kind::one_forward_one_backward, 4, 8));
  makespan_request bad = good;
  bad.schedule = {};
  CHECK(refusal(bad) == "schedule: has no stage: rank_of is empty");
  bad = good;
  bad.schedule.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  CHECK(refusal(bad) ==
        "stagecut::minimize_makespan: schedule.edges = {…}, must be empty: stages that are cut are a chain");
  bad = good;
  bad.links.resize(2);
  CHECK(refusal(bad) == "stagecut::minimize_makespan: links.size() = 2, must be 1 or the number of boundaries, 3");
  bad.links = {{0, 0}, {1, 0}, {-1, 0}};
  CHECK(refusal(bad) == "stagecut::minimize_makespan: links[2].latency = -1.000000, must be finite and not negative");
  bad.links = {{0, infinity}};
  CHECK(refusal(bad) == "stagecut::minimize_makespan: links[0].bandwidth = inf, must be finite and not negative");
  bad.links = {{not_a_number, 0}};
  CHECK(refusal(bad) == "stagecut::minimize_makespan: links[0].latency = nan, must be finite and not negative");
  bad = good;
  bad.memory_limit = -2;
  CHECK(refusal(bad) == "stagecut::minimize_makespan: memory_limit = -2.000000, must not be negative");
  bad.memory_limit = not_a_number;
  CHECK(refusal(bad) == "stagecut::minimize_makespan: memory_limit = nan, must not be negative");
  bad.memory_limit = 5;
  CHECK(refusal(bad) == "stagecut::minimize_makespan: memory_limit = 5.000000, needs a model with memory");
  std::vector<double> of_ranks(good.schedule.ranks(), 5);
  bad.memory_limit = of_ranks;
  CHECK(refusal(bad) == "stagecut::minimize_makespan: memory_limit = {…}, needs a model with memory");
  of_ranks[1] = 0;
  bad.memory_limit = of_ranks;
  CHECK(refusal(bad) == "stagecut::minimize_makespan: memory_limit[1] = 0.000000, must be finite and above 0");
  bad.memory_limit = {5, 5, 5, 5, 5, 5, 5};
  CHECK(refusal(bad) == "stagecut::minimize_makespan: memory_limit.size() = 7, must be the number of ranks, " +
                            std::to_string(good.schedule.ranks()));
  bad = good;
  for (const double each : {-0.5, infinity, not_a_number}) {
    bad.within = each;
    CHECK(refusal(bad) ==
          "stagecut::minimize_makespan: within = " + std::to_string(each) + ", must be finite and not negative");
  }
  bad = good;
  bad.search.time_limit = -1;
  CHECK(refusal(bad) == "stagecut::minimize_makespan: search.time_limit = -1.000000, must not be negative");
  bad.search.time_limit = not_a_number;
  CHECK(refusal(bad) == "stagecut::minimize_makespan: search.time_limit = nan, must not be negative");
  bad = good;
  bad.start = cuts{0, 4, 8};
  CHECK(
      refusal(bad) ==
      "stagecut::minimize_makespan: start = 2 stages of 8 items, must have the stages of the schedule and the items of "
      "the model");
  bad.start = cuts{0, 1, 2, 3, 7};
  CHECK(
      refusal(bad) ==
      "stagecut::minimize_makespan: start = 4 stages of 7 items, must have the stages of the schedule and the items of "
      "the model");
  CHECK(refusal(good).empty());
  makespan_request unlimited = good;
  unlimited.search.time_limit = infinity;
  CHECK(refusal(unlimited).empty());
}

TEST_CASE("a cut to begin with that is not allowed") {
  makespan_request request = request_for(order_of(schedule_kind::one_forward_one_backward, 2, 2));
  request.start = cuts{0, 1, 8};
  const auto not_one = [](std::size_t, std::size_t first, std::size_t last) { return last > first + 1; };
  CHECK_THROWS_WITH_AS((void)minimize_makespan(twice(listed), request, not_one),
                       "stagecut::minimize_makespan: start = {…}, must keep to the constraint and the memory",
                       stagecut::argument_error);
  const chains::layers model(listed, listed, {}, {}, listed, listed);
  request.memory_limit = 100;
  CHECK_THROWS_WITH_AS((void)minimize_makespan(model, request),
                       "stagecut::minimize_makespan: start = {…}, must keep to the constraint and the memory",
                       stagecut::argument_error);
  request.start = cuts{0, 3, 8};
  CHECK(minimize_makespan(model, request).state() == state::optimal);
}

TEST_CASE("gradients that take another time apart than together") {
  // Four items of F = 1, and B = 2 or I = 5 and W = 1: one stage, two microbatches.
  const stagecut::split_item_times model({1, 1, 1, 1}, {2, 2, 2, 2}, {5, 5, 5, 5}, {1, 1, 1, 1});
  CHECK(minimize_makespan(model, request_for(order_of(schedule_kind::one_forward_one_backward, 1, 2)))->value == 24);
  CHECK(minimize_makespan(model, request_for(order_of(schedule_kind::zb_h1, 1, 2)))->value == 56);
  // Of a schedule that runs whole backward passes as well, each takes both gradients.
  makespan_request mixed = request_for(order_of(schedule_kind::one_forward_one_backward, 1, 2));
  mixed.schedule.orders[0] = {{op_kind::forward, 0, 0},
                           {op_kind::backward, 0, 0},
                           {op_kind::forward, 0, 1},
                           {op_kind::backward_input, 0, 1},
                           {op_kind::backward_weight, 0, 1}};
  CHECK(minimize_makespan(model, mixed)->value == 56);
  // On devices of other speeds.
  const auto slow = minimize_makespan(stagecut::with_speeds<stagecut::split_item_times>(model, {0.5}),
                                      request_for(order_of(schedule_kind::zb_h1, 1, 2)));
  CHECK(slow->value == 112);
  CHECK(refusal(request_for(order_of(schedule_kind::zb_h1, 2, 4)), apart_told{}) ==
        "model.backward_input of item 2 on stage 1: must be finite and not negative");
}

TEST_CASE("a model that makes no sense") {
  const makespan_request whole = request_for(order_of(schedule_kind::one_forward_one_backward, 2, 2), 1);
  const makespan_request split = request_for(order_of(schedule_kind::zb_h1, 2, 4));
  CHECK(refusal(whole, told{}).empty());
  CHECK(refusal(whole, told{.forward_time = -1}) ==
        "model.forward of item 2 on stage 1: must be finite and not negative");
  CHECK(refusal(whole, told{.forward_time = infinity}) ==
        "model.forward of item 2 on stage 1: must be finite and not negative");
  CHECK(refusal(whole, told{.forward_time = not_a_number}) ==
        "model.forward of item 2 on stage 1: NaN, must be finite and not negative");
  CHECK(refusal(whole, told{.backward_time = -1}) ==
        "model.backward of item 2 on stage 1: must be finite and not negative");
  CHECK(refusal(split, told{.weight_time = -1}) ==
        "model.backward_weight of item 2 on stage 1: must be finite and not negative");
  CHECK(refusal(split, told{.weight_time = 1.5}) ==
        "model.backward_weight of item 2 on stage 1: is above the whole backward pass");
  CHECK(refusal(whole, told{.weight_time = 1.5}).empty());  // nobody asks
  makespan_request slow = whole;
  slow.links = {{0, 1}};
  CHECK(refusal(slow, told{.bytes = 3}).empty());
  CHECK(refusal(slow, told{.bytes = -3}).find("must be finite and not negative") != std::string::npos);
  CHECK(refusal(slow, told{.bytes = not_a_number}).find("NaN, must be finite and not negative") != std::string::npos);
  CHECK(refusal(split, item_times(listed, listed)) ==
        "model: has no time for the gradient of the weights alone, which the schedule runs apart");
  CHECK(refusal(whole, item_times(std::vector<double>(4, 1e308), std::vector<double>(4, 1e308))) ==
        "model: the sum of all passes and transfers is not representable");
}

TEST_CASE("a schedule that is none, with and without a limit of memory") {
  const chains::layers model(listed, listed, {}, {}, listed, listed);
  for (const bool limited : {false, true}) {
    CAPTURE(limited);
    makespan_request request = request_for(order_of(schedule_kind::one_forward_one_backward, 2, 2));
    if (limited) request.memory_limit = 1e6;
    makespan_request bad = request;
    bad.schedule.rank_of[1] = 7;
    CHECK(refusal(bad, model) == "schedule: stage 1 names rank 7, which must be below 2");
    bad = request;
    bad.schedule.orders[1][0].stage = 9;
    CHECK(refusal(bad, model) == "rank 1, op 0 (9F0): names stage 9, which must be below 2");
    bad = request;
    bad.schedule.orders[0].pop_back();
    CHECK(refusal(bad, model) == "rank 0: 0B1 is missing");
    bad = request;
    std::swap(bad.schedule.orders[0][0], bad.schedule.orders[0][2]);  // B before F
    CHECK(refusal(bad, model) == "rank 0, op 0 (0B0): needs 0F0 before it");
    bad = request;
    bad.schedule.microbatches = 0;
    CHECK(refusal(bad, model) == "schedule: has no microbatch");
    bad = request;
    bad.schedule.slices = 0;
    CHECK(refusal(bad, model) == "schedule: has no slice");
    bad = request;  // rank 0 wants its gradient before it sends the second microbatch, rank 1 both first
    bad.schedule.orders[0] = {
        {op_kind::forward, 0, 0}, {op_kind::backward, 0, 0}, {op_kind::forward, 0, 1}, {op_kind::backward, 0, 1}};
    bad.schedule.orders[1] = {
        {op_kind::forward, 1, 0}, {op_kind::forward, 1, 1}, {op_kind::backward, 1, 0}, {op_kind::backward, 1, 1}};
    CHECK(refusal(bad, model).find("wait") != std::string::npos);
  }
}

TEST_CASE("what the model throws comes through") {
  struct broken : told {
    double backward(std::size_t, std::size_t i) const {
      if (i == 3) throw std::runtime_error("no such layer");
      return 1;
    }
  };
  CHECK_THROWS_WITH_AS((void)minimize_makespan(broken{}, request_for(order_of(schedule_kind::gpipe, 2, 2))),
                       "no such layer", std::runtime_error);
}

TEST_CASE("memory is that of all stages of a rank together, with what they hold at the same moment") {
  // Rank 0 has the stages 0 and 2. Each alone may have three layers, together they may have four.
  const std::vector<double> ones(8, 1);
  const chains::layers model(ones, ones, {}, {}, ones, std::vector<double>(8, 0));
  makespan_request request = request_for(order_of(schedule_kind::interleaved, 2, 2, 2));
  request.memory_limit = 4;
  request.within = 10;
  const auto answer = minimize_makespan(model, request);
  REQUIRE(answer.state() == state::optimal);
  CHECK(answer->all_within);
  std::size_t expected = 0;
  bool sound = true;
  chains::each_cut(8, 4, [&](const points& cut) { expected += cut[1] + cut[3] - cut[2] == 4 ? 1 : 0; });
  for (const auto& solution : answer->within)
    sound = sound && solution.cuts[1] + solution.cuts[3] - solution.cuts[2] == 4;
  CHECK(answer->within.size() == expected);
  CHECK(sound);
  request.memory_limit = 3;
  CHECK(minimize_makespan(model, request).state() == state::infeasible);
}

TEST_CASE("ranks with half the memory are as ranks whose stages take twice as much") {
  struct doubled : chains::layers {
    std::vector<double> by;  // of every stage
    [[nodiscard]] double memory(std::size_t s, std::size_t first, std::size_t last, std::size_t held) const {
      return by[s] * layers::memory(s, first, last, held);
    }
  };
  dice random(17);
  int found = 0;
  int infeasible = 0;
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    const std::size_t ranks = 2 + random.below(2);
    const std::size_t chunks = 1 + random.below(3);
    const std::size_t n = ranks * chunks + 2 + random.below(8);
    const auto list = [&](std::size_t most) {
      std::vector<double> result;
      for (std::size_t i = 0; i < n; ++i) result.push_back(static_cast<double>(1 + random.below(most)));
      return result;
    };
    const chains::layers model(list(9), list(9), {}, {}, list(9), list(4));
    auto request = request_for(chunks == 1 ? order_of(schedule_kind::one_forward_one_backward, ranks, 2 * ranks)
                                           : order_of(schedule_kind::interleaved, ranks, 2 * ranks, chunks));
    request.search.time_limit.reset();
    request.search.node_limit = 200000;
    const double each = model.memory(0, 0, n, ranks) / static_cast<double>(ranks);
    const double most = std::floor(each * (1.1 + static_cast<double>(random.below(10)) / 10));
    doubled other{model, {}};
    std::vector<double> limits;
    for (std::size_t r = 0; r < ranks; ++r) limits.push_back(random.once_in(2) ? most : most / 2);
    limits[random.below(ranks)] = most;
    request.memory_limit = limits;
    for (const std::size_t r : request.schedule.rank_of) other.by.push_back(most / limits[r]);
    auto as_one = request;
    as_one.memory_limit = most;
    const auto a = minimize_makespan(model, request);
    const auto b = minimize_makespan(other, as_one);
    REQUIRE(a.has_value() == b.has_value());
    CHECK(a.state() == b.state());
    infeasible += a.has_value() ? 0 : 1;
    if (!a) continue;
    CHECK(a->value == b->value);
    CHECK(a->bound == b->bound);
    ++found;
  }
  CHECK(found > 40);
  CHECK(infeasible > 10);
}

TEST_CASE("long chains are proved, and hold what they promise") {
  dice random(16);
  for (const auto kind : {schedule_kind::gpipe, schedule_kind::one_forward_one_backward,
                          schedule_kind::eager_one_forward_one_backward, schedule_kind::zb_h1}) {
    for (int round = 0; round < 3; ++round) {
      const chain of = long_chain(random, order_of(kind, 6, 12), 40);
      const auto answer = chains::solve(of);
      REQUIRE(answer.state() == state::optimal);
      CHECK(simulated(of, chains::points_of(answer->cuts)) == answer->value);
      // No cut next to it is better, and none that is equal comes first.
      const points best = chains::points_of(answer->cuts);
      for (std::size_t s = 1; s < 6; ++s) {
        for (std::size_t y = best[s - 1] + 1; y < best[s + 1]; ++y) {
          points other = best;
          other[s] = y;
          const double makespan = simulated(of, other);
          CHECK(std::pair(makespan, std::pair(chains::heaviest_of(of.model, other, false), other)) >=
                std::pair(answer->value, std::pair(chains::heaviest_of(of.model, best, false), best)));
        }
      }
    }
  }
}
