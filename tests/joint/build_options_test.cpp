// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/build_options.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "small_problems.hpp"

using joint_tests::all_plans;
using joint_tests::drawn;
using joint_tests::options;
using joint_tests::small_case;
using joint_tests::workbench;
using stagecut::schedule;
using stagecut::detail::no_time;
using stagecut::detail::option_builder;
using stagecut::detail::option_graph;
using stagecut::detail::rank_options;

namespace {

using contents = std::vector<std::vector<std::uint32_t>>;  // of every stage: layers of every type

/// The contents of the stages on every path of nodes, with how many paths have them: classes, not options.
std::map<contents, std::size_t> paths_of(const workbench& bench, const option_graph& graph) {
  std::map<contents, std::size_t> result;
  contents chosen(bench.drawn.request.schedule.stages());
  const std::function<void(std::size_t, std::uint32_t)> next = [&](std::size_t r, std::uint32_t node) {
    if (r == graph.ranks.size()) {
      ++result[chosen];
      return;
    }
    const rank_options& rank = graph.ranks[r];
    for (const option_graph::edge& edge : graph.steps[r].edges) {
      if (edge.from != node) continue;
      const option_graph::group& group = graph.steps[r].groups[edge.group];
      for (const rank_options::contents& some : rank.classes()) {
        if (some.first < group.first || some.last > group.last) continue;
        for (std::size_t v = 0; v < rank.stages(); ++v) chosen[rank.stage(v)] = bench.curves[some.of[v]].counts;
        next(r + 1, edge.to);
      }
    }
  };
  if (graph.nodes[0] != 0) next(0, 0);
  return result;
}

/// The same of all ways to cut the layers.
std::map<contents, std::size_t> cuts_of(const small_case& drawn) {
  std::map<contents, std::size_t> result;
  joint_tests::each_cut(drawn, [&](const std::vector<std::size_t>& points) {
    contents here;
    for (std::size_t s = 0; s + 1 < points.size(); ++s) {
      here.emplace_back(drawn.model.types.size());
      for (std::size_t i = points[s]; i < points[s + 1]; ++i) ++here[s][drawn.model.layers[i]];
    }
    ++result[here];
  });
  return result;
}

/// The passes of all stages, one after the other.
std::vector<double> times_of(const workbench& bench, const std::vector<std::size_t>& points,
                             const std::vector<std::size_t>& choices) {
  const stagecut::recompute_model& model = bench.drawn.model;
  std::vector<double> times;
  for (std::size_t s = 0; s + 1 < points.size(); ++s) {
    double sums[] = {0, 0, 0};
    const auto add = [&](const stagecut::layer_type& type, std::size_t choice) {
      const double weight = bench.splits ? type.choices[choice].backward_weight : 0;
      sums[0] += type.forward;
      sums[1] += type.choices[choice].backward - weight;
      sums[2] += weight;
    };
    if (s == 0) add(model.head, 0);
    if (s + 2 == points.size()) add(model.tail, 0);
    for (std::size_t i = points[s]; i < points[s + 1]; ++i) add(model.types[model.layers[i]], choices[i]);
    times.insert(times.end(), sums, sums + 3);
  }
  return times;
}

double work_of(const workbench& bench, const std::vector<double>& times, std::size_t rank) {
  double sum = 0;
  for (std::size_t j = 0; j < times.size(); ++j) {
    if (bench.drawn.request.schedule.rank_of[j / 3] == rank) sum += times[j];
  }
  return sum;
}

}  // namespace

TEST_CASE("the paths of the graph are all ways to cut the layers") {
  std::mt19937 dice(1);
  for (std::size_t types = 1; types <= 3; ++types) {
    for (int round = 0; round < 60; ++round) {
      CAPTURE(types);
      CAPTURE(round);
      small_case drawn = joint_tests::any_case(dice, types);
      drawn.request.memory_limit = {};
      const workbench bench(drawn);
      CHECK(paths_of(bench, bench.graph) == cuts_of(drawn));
      CHECK(bench.graph.nodes.front() == 1);
      CHECK(bench.graph.nodes.back() == 1);
    }
  }
}

TEST_CASE("no plan that fits is lost, and no other one is there") {
  std::mt19937 dice(2);
  std::size_t empty = 0;
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    const small_case drawn = joint_tests::any_case(dice, 3, 6, 300);
    const workbench bench(drawn);
    const std::set<options> plans = all_plans(bench.graph);
    empty += plans.empty() ? 1 : 0;
    bool sound = true;
    std::map<std::vector<std::size_t>, std::vector<std::vector<double>>> of_cut;
    for (const options& plan : plans) {
      sound = sound && bench.is_sound(plan, bench.makespan(plan));
      const auto points = bench.points_of(bench.problem.counts_of(plan));
      of_cut[points].push_back(times_of(bench, points, bench.choices_of(plan)));
    }
    CHECK(sound);
    joint_tests::each_cut(drawn, [&](const std::vector<std::size_t>& points) {
      joint_tests::each_choice(drawn.model, points, [&](const std::vector<std::size_t>& choices) {
        for (std::size_t r = 0; r < drawn.request.schedule.ranks(); ++r) {
          if (joint_tests::peak_of(drawn, r, points, choices) > *drawn.request.memory_limit.for_all()) return;
        }
        const std::vector<double> times = times_of(bench, points, choices);
        const auto& known = of_cut[points];
        sound = sound && std::any_of(known.begin(), known.end(), [&](const std::vector<double>& each) {
                  return std::equal(each.begin(), each.end(), times.begin(), std::less_equal<>());
                });
      });
    });
    CHECK(sound);
  }
  CHECK(empty > 5);
  CHECK(empty < 75);
}

TEST_CASE("with a limit of the passes on a rank, plans within it stay") {
  std::mt19937 dice(3);
  for (int round = 0; round < 150; ++round) {
    CAPTURE(round);
    const small_case drawn = joint_tests::any_case(dice, 2, 6, 300);
    const workbench bench(drawn);
    const std::set<options> plans = all_plans(bench.graph);
    if (plans.empty()) continue;
    const auto busiest = [](const workbench& in, const options& plan) {
      const auto points = in.points_of(in.problem.counts_of(plan));
      const std::vector<double> times = times_of(in, points, in.choices_of(plan));
      double most = 0;
      for (std::size_t r = 0; r < plan.size(); ++r) most = std::max(most, work_of(in, times, r));
      return most;
    };
    std::vector<double> within;
    for (const options& plan : plans) within.push_back(busiest(bench, plan));
    std::sort(within.begin(), within.end());
    const double most = within[dice() % within.size()];
    const workbench limited(drawn, most / bench.unit.unit);
    std::vector<double> left;
    for (const options& plan : all_plans(limited.graph)) left.push_back(busiest(limited, plan));
    std::sort(left.begin(), left.end());
    within.erase(std::upper_bound(within.begin(), within.end(), most), within.end());
    CHECK(left == within);
  }
}

TEST_CASE("stages of a length at most, and cut points within their ranges") {
  std::mt19937 dice(4);
  for (int round = 0; round < 100; ++round) {
    CAPTURE(round);
    small_case drawn = joint_tests::any_case(dice, 3);
    drawn.request.memory_limit = {};
    if (drawn.model.types.size() == 1) continue;
    workbench bench(drawn);
    const std::size_t n = drawn.model.layers.size();
    const std::size_t stages = drawn.request.schedule.stages();
    const std::size_t longest = joint_tests::drawn(dice, 1, n);
    std::vector<option_builder::range> ranges;
    for (std::size_t c = 0; c <= stages; ++c) {
      const std::size_t first = dice() % 2 == 0 ? 0 : joint_tests::drawn(dice, 0, n * c / stages);
      ranges.push_back({first, dice() % 2 == 0 ? n : joint_tests::drawn(dice, first, n)});
    }
    ranges.front() = {0, 0};
    ranges.back() = {n, n};
    option_builder builder(bench.curves, drawn.request.schedule, bench.rules, bench.splits,
                           stagecut::detail::least_layers_of(drawn.request), longest, no_time, ranges);
    const option_graph graph = builder.build();
    CHECK(builder.complete());
    std::map<contents, std::size_t> expected;
    joint_tests::each_cut(drawn, [&](const std::vector<std::size_t>& points) {
      contents here;
      for (std::size_t s = 0; s < stages; ++s) {
        if (points[s + 1] - points[s] > longest) return;
        if (points[s] < ranges[s].first || points[s] > ranges[s].last) return;
        here.emplace_back(drawn.model.types.size());
        for (std::size_t i = points[s]; i < points[s + 1]; ++i) ++here[s][drawn.model.layers[i]];
      }
      ++expected[here];
    });
    CHECK(paths_of(bench, graph) == expected);
  }
}

TEST_CASE("stages of a rank in turn, and down and up: nodes are layers, or cut points") {
  for (const bool alike : {true, false}) {
    for (const bool down_and_up : {true, false}) {
      CAPTURE(alike);
      CAPTURE(down_and_up);
      small_case drawn;
      drawn.model.types.assign(alike ? 1 : 2, {"l", 1, 0, 0, 0, {{"none", 2, 0, 1}}});
      drawn.model.layers.assign(6, 0);
      if (!alike) drawn.model.layers[5] = 1, drawn.model.types[1].forward = 3;
      drawn.request.schedule =
          down_and_up ? stagecut::zbv(2, 2) : stagecut::sapp_interleaved(2, 2, 2, stagecut::sapp_memory::big);
      const workbench bench(drawn);
      // 10 ways to cut 6 layers into 4 stages. A rank has 2 to 4 of them; between the ranks lie 3 cut points, or 2.
      std::size_t all = 0;
      for (const auto& path : paths_of(bench, bench.graph)) all += path.second;
      CHECK(all == 10);
      CHECK(bench.graph.nodes == std::vector<std::uint32_t>{1, alike ? 3U : down_and_up ? 6U : 10U, 1});
      CHECK(bench.graph.options() == bench.graph.ranks[0].size() + bench.graph.ranks[1].size());
    }
  }
}
