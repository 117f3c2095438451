// SPDX-License-Identifier: BSL-1.0
#include <stagecut/search/paths_below.hpp>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/makespan/parts/problem_access.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/search/best.hpp>
#include <stagecut/search/cut_makespan.hpp>
#include <stagecut/search/cuts_within.hpp>
#include <stagecut/search/enumerated.hpp>

#include "../refusal.hpp"
#include "systems.hpp"

namespace search = stagecut::search;
using stagecut::state;
using numbers = std::vector<std::uint32_t>;

namespace {

stagecut::item_times random_times(std::mt19937& random, std::size_t items, bool whole) {
  std::vector<double> forward;
  std::vector<double> backward;
  std::vector<double> sent;
  for (std::size_t i = 0; i < items; ++i) {
    const auto draw = [&] { return static_cast<double>(random() % 20) / (whole ? 1 : 7); };
    forward.push_back(draw());
    backward.push_back(2 * draw());
    sent.push_back(draw());
  }
  return stagecut::item_times(forward, backward, {}, sent);
}

struct shape {
  const char* name;
  std::size_t ranks;
  std::size_t chunks;
};
constexpr shape shapes[] = {{"1f1b", 4, 1},       {"gpipe", 3, 1},       {"eager-1f1b", 3, 1}, {"interleaved", 3, 2},
                            {"looped-bfs", 2, 2}, {"interleaved", 2, 3}, {"interleaved", 2, 2}};

stagecut::makespan_request request_for(const shape& of, std::mt19937& random) {
  stagecut::makespan_request request;
  request.schedule = stagecut::make_schedule(
      of.name, {.ranks = of.ranks, .stages_per_rank = of.chunks, .microbatches = of.ranks * (1 + random() % 3)});
  if (random() % 2 == 0) request.links = {{1, 2}};
  return request;
}

}  // namespace

TEST_CASE("paths below a makespan hold every cut that takes no longer, and no other chain") {
  std::mt19937 random(18);
  std::size_t left_out = 0;
  for (int i = 0; i < 140; ++i) {
    const shape& of = shapes[static_cast<std::size_t>(i) % std::size(shapes)];
    const stagecut::item_times model = random_times(random, of.ranks * of.chunks + random() % 6, random() % 2 == 0);
    const auto request = request_for(of, random);
    const search::cut_makespan cost(model, request.schedule, request.links, request.transfers);
    const auto all = search::all_cuts(model.size(), request.schedule.stages());
    const auto least = search::best(thrust::seq, all, cost);
    const double most = least->score.value * (1 + 0.05 * static_cast<double>(random() % 3));
    const auto some = search::paths_below(model, request, most);
    REQUIRE(some.state() == state::optimal);
    const auto below = search::all_below(thrust::seq, all, cost, most, all.size());
    REQUIRE(below.complete);
    for (const auto& each : below.all) CHECK(some->index_of(each.points).has_value());
    const auto again = search::best(thrust::seq, *some, cost);
    CHECK(again->score.value == least->score.value);
    for (std::uint64_t k = 0; k < some->size(); ++k) {
      numbers points(some->points());
      some->decode(k, search::candidate_room(points.data(), points.size()));
      CHECK(all.index_of(points).has_value());
      CHECK(some->index_of(points) == k);
    }
    left_out += some->size() < all.size() ? 1 : 0;
    CHECK(search::paths_below(model, request, least->score.value / 1000 - 1e-9 < 0 ? 0 : least->score.value / 1000)
              .state() != state::feasible);
  }
  CHECK(left_out > 70);
}

TEST_CASE("requests that make no sense, or have no answer") {
  const stagecut::item_times model({1, 1, 1}, {2, 2, 2});
  stagecut::makespan_request request{.schedule = stagecut::make_schedule("1f1b", {.ranks = 2, .microbatches = 4})};
  CHECK(refusal([&] { return search::paths_below(model, request, -1); }) ==
        "stagecut::search::paths_below: most = -1.000000, must be finite and not negative");
  CHECK(search::paths_below(model, request, 1).state() == state::infeasible);
  CHECK(search::paths_below(model, request, 1).why().what == stagecut::reason::cause::no_candidate);
  request.schedule = stagecut::make_schedule("1f1b", {.ranks = 4, .microbatches = 4});
  CHECK(search::paths_below(model, request, 100).why().what == stagecut::reason::cause::more_stages_than_layers);
  request.schedule = stagecut::make_schedule("1f1b", {.ranks = 2, .microbatches = 4});
  request.search.time_limit = 0;
  CHECK(search::paths_below(model, request, 100).state() == state::unknown);
}

TEST_CASE("a search that has all cuts looked at proves the same") {
  std::mt19937 random(11);
  std::size_t looked = 0;
  for (int i = 0; i < 120; ++i) {
    const shape& of = shapes[static_cast<std::size_t>(i) % std::size(shapes)];
    const stagecut::item_times model = random_times(random, of.ranks * of.chunks + 2 + random() % 8, random() % 2 == 0);
    auto request = request_for(of, random);
    const auto plain = stagecut::minimize_makespan(model, request);
    auto enumerator = search::enumerated(thrust::seq, 5);
    const auto counting = [&](const stagecut::enumeration_call& task, stagecut::view<std::size_t> points) {
      const auto answer = enumerator(task, points);
      looked += answer == stagecut::enumeration_answer::too_many ? 0 : 1;
      return answer;
    };
    request.backends.enumerator = counting;
    request.backends.enumerator.trusted = true;
    const auto helped = stagecut::minimize_makespan(model, request);
    REQUIRE(plain.state() == helped.state());
    CHECK(plain->value == helped->value);
    CHECK(plain->bound == helped->bound);
    CHECK(plain->cuts == helped->cuts);
  }
  CHECK(looked > 5);
}

namespace {

/// The memory of a stage is what it holds of items.
struct with_memory : stagecut::item_times {
  using stagecut::item_times::item_times;
  explicit with_memory(const stagecut::item_times& of) : stagecut::item_times(of) {}
  [[nodiscard]] double memory(std::size_t, std::size_t first, std::size_t last, std::size_t held) const {
    return static_cast<double>(last - first) * static_cast<double>(held + 3);
  }
};

}  // namespace

TEST_CASE("all cuts of a graph, asked for directly, are those that enumeration has") {
  std::mt19937 random(21);
  std::size_t refused = 0;
  std::size_t asked_twice = 0;
  for (int i = 0; i < 150; ++i) {
    const shape& of = shapes[static_cast<std::size_t>(i) % std::size(shapes)];
    const with_memory model(random_times(random, of.ranks * of.chunks + 1 + random() % 6, true));
    auto request = request_for(of, random);
    const double room =
        static_cast<double>(model.size() * (request.schedule.microbatches + 3)) / static_cast<double>(of.ranks);
    if (random() % 2 == 0) request.memory_limit = room * (0.6 + 0.1 * static_cast<double>(random() % 8));
    // What a search would hand over, with all paths.
    const stagecut::engine::chain_ticks chain(model, request.schedule, request.links);
    const stagecut::detail::no_constraint allowed;
    const stagecut::engine::model_rules<with_memory, stagecut::detail::no_constraint> rules(
        model, request.schedule, request.memory_limit.for_all(), allowed);
    const stagecut::engine::cut_problem problem{chain, request.schedule, request.transfers, rules};
    const stagecut::engine::stage_layout layout(request.schedule);
    stagecut::engine::search_clock clock(request.search);
    stagecut::engine::cut_simulator simulator(chain, request.schedule, request.transfers);
    stagecut::detail::cut_space space(chain, request.schedule, request.transfers, layout, rules, simulator, clock);
    const search::cut_makespan cost(problem);
    const auto all = search::all_cuts(model.size(), request.schedule.stages());
    double least = std::numeric_limits<double>::infinity();
    double longest = 0;
    numbers points(all.points());
    std::vector<double> room_of_cost(cost.room());
    for (std::uint64_t k = 0; k < all.size(); ++k) {
      all.decode(k, search::candidate_room(points.data(), points.size()));
      const std::vector<std::size_t> cut(points.begin(), points.end());
      const double here =
          cost(search::candidate(points.data(), points.size()), {room_of_cost.data(), room_of_cost.size()});
      longest = longest < here ? here : longest;
      if (stagecut::engine::allowed_cut(request.schedule, rules, cut) && here < least) least = here;
      refused += stagecut::engine::allowed_cut(request.schedule, rules, cut) ? 0 : 1;
    }
    REQUIRE(space.build(longest / chain.tick));
    std::vector<std::size_t> found(all.points());
    using stagecut::detail::problem_access;
    const auto call = [&](double most) {
      return stagecut::enumeration_call{problem_access::problem(problem, simulator),
                                        problem_access::cuts(space.graph(), layout, model.size()), most, 10};
    };
    for (const double share : {0.0, 0.5, 1.0}) {
      double most = share == 0.5 && least < longest ? least : share * longest;
      if (share == 0 && least <= longest) most = least - 1;
      if (space.graph().edges.empty()) {
        CHECK(least > longest);
        continue;
      }
      on_each_system([&](const auto& policy) {
        const stagecut::enumeration_call task = call(most);
        const auto answer = search::enumerated(policy, 10)(task, found);
        CHECK(answer == (least <= most ? stagecut::enumeration_answer::found : stagecut::enumeration_answer::none));
        if (answer != stagecut::enumeration_answer::found) return;
        CHECK(stagecut::engine::allowed_cut(request.schedule, rules, found));
        CHECK(simulator(found) * chain.tick == least);
      });
      // It serves one search at a time.
      auto busy = search::enumerated(thrust::seq, 10);
      stagecut::enumeration_call task = call(most);
      const stagecut::enumeration_call second = task;
      const auto stop = [&] {
        ++asked_twice;
        CHECK(refusal([&] { return busy(second, found); }) ==
              "stagecut::search::enumerated: helper = asked by two searches at once, must serve one at a time");
        return false;
      };
      task.stop = stop;
      static_cast<void>(busy(task, found));
    }
  }
  CHECK(refused > 100);
  CHECK(asked_twice > 100);
}

TEST_CASE("what would take too long is not begun") {
  std::mt19937 random(2);
  const stagecut::item_times model = random_times(random, 60, true);
  const auto order = stagecut::make_schedule("interleaved", {.ranks = 4, .stages_per_rank = 3, .microbatches = 8});
  stagecut::makespan_request request{.schedule = order};
  request.search.time_limit = 1;
  std::size_t asked = 0;
  auto enumerator = search::enumerated(thrust::seq, 0.01);
  const auto counting = [&](const stagecut::enumeration_call& task, stagecut::view<std::size_t> points) {
    ++asked;
    const double began = stagecut::detail::seconds_now();
    const auto answer = enumerator(task, points);
    if (task.cuts.count() > 1e12) CHECK(answer == stagecut::enumeration_answer::too_many);
    CHECK(stagecut::detail::seconds_now() - began < 5);  // a chunk at most
    return answer;
  };
  request.backends.enumerator = counting;
  static_cast<void>(stagecut::minimize_makespan(model, request));
  CHECK(refusal([] { return search::enumerated(thrust::seq, -1); }) ==
        "stagecut::search::enumerated: seconds = -1.000000, must not be negative");
}
