// SPDX-License-Identifier: BSL-1.0
#include <stagecut/search/candidate_cost.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>
#include <stagecut/core/placed.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/cost/objective.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/task_graph.hpp>
#include <stagecut/search/best.hpp>
#include <stagecut/search/best_n.hpp>
#include <stagecut/search/constrained_cost.hpp>
#include <stagecut/search/cut_makespan.hpp>
#include <stagecut/search/cuts_within.hpp>
#include <stagecut/search/one_forward_one_backward_rows.hpp>
#include <stagecut/search/peak_memory.hpp>
#include <stagecut/search/product.hpp>
#include <stagecut/search/stage_objective.hpp>
#include <stagecut/search/weighted_sum.hpp>

#include "../refusal.hpp"
#include "systems.hpp"

namespace search = stagecut::search;
using stagecut::transfer_kind;
using numbers = std::vector<std::uint32_t>;

namespace {

/// Integers, so that every sum is exact; stages differ where that is asked for.
struct random_model {
  std::vector<double> forward_of, backward_of, weight_of, sent_of;
  bool differ = false;
  bool splits = false;

  random_model(std::mt19937& random, std::size_t items, bool stages_differ, bool gradients)
      : differ(stages_differ), splits(gradients) {
    for (std::size_t i = 0; i < items; ++i) {
      forward_of.push_back(static_cast<double>(random() % 20));
      weight_of.push_back(gradients ? static_cast<double>(random() % 20) : 0);
      backward_of.push_back(weight_of.back() + static_cast<double>(random() % 30));
      sent_of.push_back(static_cast<double>(random() % 9));
    }
  }
  [[nodiscard]] std::size_t size() const { return forward_of.size(); }
  [[nodiscard]] double forward(std::size_t s, std::size_t i) const {
    return forward_of[i] * static_cast<double>(differ ? s + 1 : 1);
  }
  [[nodiscard]] double backward(std::size_t s, std::size_t i) const {
    return backward_of[i] * static_cast<double>(differ ? s + 1 : 1);
  }
  [[nodiscard]] double backward_weight(std::size_t s, std::size_t i) const {
    return weight_of[i] * static_cast<double>(differ ? s + 1 : 1);
  }
  [[nodiscard]] bool splits_backward() const { return splits; }
  [[nodiscard]] double stage_forward(std::size_t s) const { return differ ? static_cast<double>(s % 3) : 0; }
  [[nodiscard]] double sent(std::size_t cut) const { return sent_of[cut - 1]; }
};

/// What the task graph says, with times added up here.
double simulated(const random_model& model, const stagecut::task_graph& graph, bool gradients, const numbers& points,
                 transfer_kind kind, double latency) {
  stagecut::pass_times<double> times;
  stagecut::transfer_times<double> transfers{kind, {}, {}};
  for (std::size_t s = 0; s + 1 < points.size(); ++s) {
    double forward = model.stage_forward(s);
    double backward = 0;
    double weight = 0;
    for (std::size_t i = points[s]; i < points[s + 1]; ++i) {
      forward += model.forward(s, i);
      backward += model.backward(s, i);
      weight += model.backward_weight(s, i);
    }
    times.forward.push_back(forward);
    if (gradients) {
      times.backward_input.push_back(backward - weight);
      times.backward_weight.push_back(weight);
    } else {
      times.backward.push_back(backward);
    }
    if (latency < 0 || s + 2 == points.size()) continue;
    transfers.forward.push_back(latency + model.sent(points[s + 1]));
    transfers.backward.push_back(transfers.forward.back());
  }
  stagecut::simulation_workspace<double> workspace;
  return graph.makespan(times, transfers, workspace);
}

/// The costs of some candidates, in lanes and one by one.
template <class E, class Space>
std::vector<stagecut::search::candidate_cost_t<E>> costs_of(const E& evaluator, const Space& space, std::size_t count) {
  std::vector<search::candidate_cost_t<E>> result;
  numbers points(space.points());
  std::vector<search::detail::number_t<E>> room(search::detail::room_of(evaluator));
  for (std::size_t i = 0; i < count; ++i) {
    space.decode(i, search::candidate_room(points.data(), points.size()));
    result.push_back(search::detail::cost_of(evaluator, search::candidate(points.data(), points.size()),
                                             {room.data(), room.size()}));
  }
  return result;
}

struct bytes_of_stage {
  [[nodiscard]] STAGECUT_HOST_DEVICE double operator()(std::size_t stage, std::size_t first, std::size_t last,
                                                       std::size_t held) const {
    return static_cast<double>((last - first) * (held + 2) + stage);
  }
};

}  // namespace

TEST_CASE("the makespan of a cut is that of the task graph, one by one, in lanes and placed, under every schedule") {
  std::mt19937 random(18);
  const struct {
    const char* name;
    std::size_t chunks;
    bool gradients;
  } kinds[] = {{"gpipe", 1, false},       {"1f1b", 1, false},       {"eager-1f1b", 1, false}, {"interleaved", 2, false},
               {"interleaved", 3, false}, {"looped-bfs", 2, false}, {"zb-h1", 1, true},       {"zbv", 2, true}};
  for (int i = 0; i < 160; ++i) {
    const auto& kind = kinds[static_cast<std::size_t>(i) % std::size(kinds)];
    const std::size_t ranks = 2 + random() % 2;
    const std::size_t stages = ranks * kind.chunks;
    const random_model model(random, stages + random() % 4, random() % 2 == 0, kind.gradients);
    const auto order = stagecut::make_schedule(
        kind.name, {.ranks = ranks, .stages_per_rank = kind.chunks, .microbatches = 2 * ranks * (1 + random() % 2)});
    const auto transfers = static_cast<transfer_kind>(random() % 4);
    const double latency = random() % 3 == 0 ? -1 : static_cast<double>(random() % 4);
    std::vector<stagecut::link_speed> links;
    if (latency >= 0) links.push_back({latency, 1});
    const search::cut_makespan cost(model, order, links, transfers);
    const auto space = search::all_cuts(model.size(), stages);
    const stagecut::task_graph graph(order, {.transfers = transfers, .with_transfers = latency >= 0});
    const auto one_by_one = costs_of(cost, space, space.size());
    search::detail::host_memory memory;
    CHECK(costs_of(stagecut::detail::placed(cost, memory), space, space.size()) == one_by_one);
    auto lanes = cost.lanes();
    numbers points(space.points());
    for (std::size_t k = 0; k < space.size(); ++k) {
      space.decode(k, search::candidate_room(points.data(), points.size()));
      lanes.set(k % lanes.width, search::candidate(points.data(), points.size()));
      CHECK(one_by_one[k] == simulated(model, graph, kind.gradients, points, transfers, latency));
      CHECK(lanes.costs()[k % lanes.width] == one_by_one[k]);
    }
  }
}

template <std::size_t P>
void check_rows(std::mt19937& random) {
  for (int i = 0; i < 12; ++i) {
    random_model model(random, P + random() % 4, random() % 2 == 0, false);
    std::fill(model.sent_of.begin(), model.sent_of.end(), 0);
    const std::size_t microbatches = P + random() % 5;
    const search::one_forward_one_backward_rows<P> rows(model, microbatches);
    const search::cut_makespan cost(model, stagecut::one_forward_one_backward(P, microbatches));
    const auto space = search::all_cuts(model.size(), P);
    const std::size_t count = std::min<std::size_t>(space.size(), 200);
    CHECK(costs_of(rows, space, count) == costs_of(cost, space, count));
    on_each_system([&](const auto& policy) {
      CHECK(search::best(policy, space, rows, {.last = count})->score ==
            search::best(policy, space, cost, {.last = count})->score);
    });
  }
}

TEST_CASE("1F1B by rows is the makespan to the bit") {
  std::mt19937 random(5);
  check_rows<1>(random);
  check_rows<2>(random);
  check_rows<3>(random);
  check_rows<8>(random);
  check_rows<16>(random);
  const stagecut::item_times model({1, 1, 1}, {2, 2, 2});
  CHECK(refusal([&] { return search::one_forward_one_backward_rows<3>(model, 2); }) ==
        "stagecut::search::one_forward_one_backward_rows: microbatches = 2, must be at least the number of stages, 3");
}

TEST_CASE("objectives over stages") {
  const std::vector<double> items{3, 1, 4, 1, 5, 9, 2, 6};
  const stagecut::prefix_sums sums(items);
  const auto space = search::all_cuts(8, 3);
  numbers points(4);
  for (std::uint64_t k = 0; k < space.size(); ++k) {
    space.decode(k, search::candidate_room(points.data(), 4));
    double most = 0;
    for (std::size_t s = 0; s < 3; ++s) most = std::max(most, sums(points[s], points[s + 1]));
    const search::candidate of(points.data(), 4);
    CHECK(search::stage_objective(sums)(of) == most);
    CHECK(search::stage_objective(sums, stagecut::total_cost{})(of) == 31);
    const auto staged = [&](std::size_t stage, std::size_t first, std::size_t last) {
      return static_cast<double>(stage * 100) + sums(first, last);
    };
    CHECK(search::stage_objective(staged)(of) == 200 + sums(points[2], 8));
  }
  on_each_system([&](const auto& policy) {
    const auto found = search::best(policy, space, search::stage_objective(sums));
    CHECK(found->score.value == 14);
    CHECK(found->points == numbers{0, 4, 6, 8});
  });
}

TEST_CASE("the most that any rank holds") {
  std::mt19937 random(4);
  for (int i = 0; i < 60; ++i) {
    const std::size_t ranks = 1 + random() % 3;
    const std::size_t chunks = 1 + random() % 2;
    const auto order =
        stagecut::make_schedule(chunks == 1 ? "1f1b" : "interleaved",
                                {.ranks = ranks, .stages_per_rank = chunks, .microbatches = ranks * (1 + random() % 3)});
    const auto space = search::all_cuts(ranks * chunks + 3, ranks * chunks);
    const search::peak_memory cost(bytes_of_stage{}, order);
    numbers points(space.points());
    for (std::uint64_t k = 0; k < space.size(); ++k) {
      space.decode(k, search::candidate_room(points.data(), points.size()));
      double most = 0;
      std::vector<std::size_t> held(order.stages());
      for (const auto& rank : order.orders) {
        for (const stagecut::op& op : rank) {
          held[op.stage] += op.kind == stagecut::op_kind::forward ? 1 : 0;
          double sum = 0;
          for (std::size_t s = 0; s < order.stages(); ++s) {
            if (order.rank_of[s] == order.rank_of[op.stage])
              sum += bytes_of_stage{}(s, points[s], points[s + 1], held[s]);
          }
          most = std::max(most, sum);
          held[op.stage] -= op.kind == stagecut::op_kind::backward ? 1 : 0;
        }
      }
      CHECK(cost(search::candidate(points.data(), points.size())) == most);
    }
    search::detail::host_memory memory;
    CHECK(costs_of(stagecut::detail::placed(cost, memory), space, space.size()) == costs_of(cost, space, space.size()));
  }
}

TEST_CASE("weighted sums, of costs with lanes and without, and of sums") {
  std::mt19937 random(8);
  for (int i = 0; i < 20; ++i) {
    const random_model model(random, 9, false, false);
    const auto order = stagecut::one_forward_one_backward(4, 6);
    const search::cut_makespan makespan(model, order);
    const search::peak_memory bytes(bytes_of_stage{}, order);
    const search::stage_objective load(stagecut::prefix_sums(model.forward_of));
    const search::weighted_sum both(0.3, makespan, 0.7, bytes);
    const search::weighted_sum all(1.0, load, 2.0, both);
    const auto space = search::all_cuts(9, 4);
    const auto a = costs_of(makespan, space, space.size());
    const auto b = costs_of(bytes, space, space.size());
    const auto c = costs_of(load, space, space.size());
    const auto found = costs_of(all, space, space.size());
    std::size_t least = 0;
    for (std::size_t k = 0; k < found.size(); ++k) {
      CHECK(found[k] == doctest::Approx(c[k] + 2 * (0.3 * a[k] + 0.7 * b[k])).epsilon(1e-14));
      if (found[k] < found[least]) least = k;
    }
    static_assert(search::detail::has_lanes<decltype(all)> && !search::detail::has_lanes<decltype(bytes)>);
    on_each_system([&](const auto& policy) {
      CHECK(search::best(policy, space, all)->score == search::scored<double>{found[least], least});
    });
  }
}

TEST_CASE("sums of costs without room go into any other sum") {
  std::mt19937 random(12);
  const random_model model(random, 8, false, false);
  const search::cut_makespan makespan(model, stagecut::one_forward_one_backward(3, 4));
  const auto first = [](search::candidate points) { return points[1]; };
  const auto second = [](search::candidate points) { return 2.0 * points[2]; };
  const search::weighted_sum rest(1, first, 2, second);
  static_assert(!search::detail::has_room<decltype(rest)>);
  const auto space = search::all_cuts(8, 3);
  const auto left = search::best_n(thrust::seq, space, search::weighted_sum(1, makespan, 3, rest), 30);
  const auto right = search::best_n(thrust::seq, space, search::weighted_sum(3, rest, 1, makespan), 30);
  REQUIRE(left->all.size() == 21);
  for (std::size_t i = 0; i < 21; ++i) {
    const auto& points = left->all[i].points;
    std::vector<double> room(makespan.room());
    const double here = makespan(search::candidate(points.data(), points.size()), {room.data(), room.size()});
    CHECK(left->all[i].score.value == here + 3 * (points[1] + 4.0 * points[2]));
    CHECK(right->all[i].score.value == left->all[i].score.value);
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(refusal([&] { return search::weighted_sum(1, first, nan, second); }) ==
        "stagecut::search::weighted_sum: weight_b = NaN, must not be NaN");
}

TEST_CASE("candidates that are none for an evaluator are refused before anything is evaluated") {
  std::mt19937 random(13);
  const random_model model(random, 20, false, false);
  const auto refused = [](const auto& space, const auto& cost) {
    return refusal([&] { return search::best(thrust::seq, space, cost); });
  };
  const auto order = stagecut::one_forward_one_backward(4, 8);
  const search::cut_makespan makespan(model, order);
  const std::string of = "stagecut::search::cut_makespan: points";
  CHECK(refused(search::all_cuts(20, 5), makespan) == of + ".size() = 6, must be 5, one more than stages");
  CHECK(refused(search::configurations({3, 4}), makespan) == of + ".size() = 2, must be 5, one more than stages");
  CHECK(refused(search::all_cuts(40, 4), makespan) == of + "[4] = 40, must not fall, nor lie beyond the 20 items");
  CHECK(refused(search::all_cuts(10, 4), makespan) == of + "[4] = 10, must be the number of items, 20");
  CHECK(refused(search::configurations({2, 2, 2, 2, 2}), makespan) == of + "[4] = 0, must be the number of items, 20");
  CHECK(refused(search::all_cuts(20, 5), search::one_forward_one_backward_rows<4>(model, 8)).starts_with(of));
  CHECK(refused(search::all_cuts(20, 5), search::weighted_sum(
                                             1, [](search::candidate) { return 0; }, 1, makespan))
            .starts_with(of));
  CHECK(refused(search::all_cuts(20, 5), search::constrained_cost(makespan, [](auto...) { return true; }))
            .starts_with(of));
  const search::stage_objective heaviest(stagecut::prefix_sums(model.forward_of));
  CHECK(refused(search::all_cuts(30, 4), heaviest) ==
        "stagecut::search::stage_objective: points[4] = 30, must not fall, nor lie beyond the 20 items");
  CHECK(refused(search::configurations({3}), heaviest) ==
        "stagecut::search::stage_objective: points.size() = 1, must be at least 2");
  const auto bytes = [](std::size_t, std::size_t first, std::size_t last, std::size_t) {
    return static_cast<double>(last - first);
  };
  CHECK(refused(search::all_cuts(20, 5), search::peak_memory(bytes, order)) ==
        "stagecut::search::peak_memory: points.size() = 6, must be 5, one more than stages");
  CHECK(refused(search::all_cuts(20, 4), makespan) == "not refused");
}

TEST_CASE("requests that make no sense") {
  const stagecut::item_times model({1, 1, 1}, {2, 2, 2});
  const auto order = stagecut::one_forward_one_backward(3, 4);
  CHECK(refusal([&] {
          return search::cut_makespan(model, order, {{0, 0}, {0, 0}, {0, 0}});
        }) == "stagecut::search::cut_makespan: links.size() = 3, must be 1 or the number of boundaries, 2");
  CHECK(refusal<stagecut::invalid_input>([&] {
          auto broken = order;
          broken.orders[0].pop_back();
          return search::cut_makespan(model, broken);
        }) != "not refused");
}
