// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/simulate_recomputation.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "../refusal.hpp"
#include "small_problems.hpp"

using joint_tests::small_case;
using stagecut::cuts;
using stagecut::recompute_run;
using stagecut::simulate_recomputation;

namespace {

/// Any way to cut the layers and to run them.
struct drawn_way {
  std::vector<std::size_t> points;
  std::vector<std::size_t> choices;
};

drawn_way any_way(std::mt19937& dice, const small_case& drawn) {
  drawn_way result{{0}, {}};
  const std::size_t n = drawn.model.layers.size();
  for (std::size_t s = 1; s < drawn.request.schedule.stages(); ++s)
    result.points.push_back(joint_tests::drawn(dice, 0, n));
  result.points.push_back(n);
  std::sort(result.points.begin(), result.points.end());
  for (const std::size_t t : drawn.model.layers) result.choices.push_back(dice() % drawn.model.types[t].choices.size());
  return result;
}

recompute_run run_of(const small_case& drawn, const drawn_way& way) {
  return simulate_recomputation(drawn.model, drawn.request, cuts(way.points, stagecut::empty_stages::allowed),
                                way.choices);
}

}  // namespace

TEST_CASE("the makespan and the peaks are those of passes and bytes added up one by one") {
  std::mt19937 dice(1);
  for (int round = 0; round < 400; ++round) {
    CAPTURE(round);
    small_case drawn = joint_tests::any_case(dice, 3);
    for (auto& type : drawn.model.types) type.sent_bytes = static_cast<double>(joint_tests::drawn(dice, 0, 9));
    drawn.request.boundary_buffers = static_cast<double>(joint_tests::drawn(dice, 0, 2));
    const drawn_way way = any_way(dice, drawn);
    const recompute_run run = run_of(drawn, way);
    CHECK(run.makespan == joint_tests::makespan_of(drawn, way.points, way.choices));
    const auto& order = drawn.request.schedule;
    std::vector<double> peaks;
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      peaks.push_back(joint_tests::peak_of(drawn, r, way.points, way.choices));
    }
    for (std::size_t s = 0; s + 1 < order.stages(); ++s) {
      const std::size_t cut = way.points[s + 1];
      const double bytes = cut == 0 ? drawn.model.head.sent_bytes : drawn.model.types[drawn.model.layers[cut - 1]].sent_bytes;
      peaks[order.rank_of[s]] += drawn.request.boundary_buffers * bytes;
      peaks[order.rank_of[s + 1]] += drawn.request.boundary_buffers * bytes;
    }
    CHECK(run.memory == peaks);
    for (std::size_t s = 0; s < order.stages(); ++s) {
      double more = 0;
      for (std::size_t i = way.points[s]; i < way.points[s + 1]; ++i) {
        const auto& choices = drawn.model.types[drawn.model.layers[i]].choices;
        const auto less = [](const auto& a, const auto& b) { return a.backward < b.backward; };
        more += choices[way.choices[i]].backward - std::min_element(choices.begin(), choices.end(), less)->backward;
      }
      CHECK(run.recomputed[s] == more);
    }
  }
}

TEST_CASE("two stages by hand") {
  small_case drawn;
  drawn.model.types = {{"l", 1, 10, 7, 4, {{"none", 2, 0, 20}, {"full", 3, 0, 5}}}};
  drawn.model.layers = {0, 0, 0};
  drawn.model.head = {"in", 5, 100, 9, 4, {{"none", 6, 0, 1}}};
  drawn.model.tail = {"out", 7, 200, 0, 0, {}};
  drawn.request.schedule = stagecut::one_forward_one_backward(2, 3);
  drawn.request.links = {{0.5, 8}};
  drawn.request.constant = 1000;
  drawn.request.boundary_buffers = 2;
  drawn.request.memory_limit = 1;  // not looked at
  const recompute_run run = run_of(drawn, {{0, 2, 3}, {1, 0, 1}});
  CHECK(run.times.forward == std::vector<double>{5 + 2, 7 + 1});
  CHECK(run.times.backward == std::vector<double>{6 + 3 + 2, 3});
  CHECK(run.transfers.forward == std::vector<double>{0.5 + 4.0 / 8});
  CHECK(run.recomputed == std::vector<double>{1, 1});
  // Two microbatches of the first stage, one of the second; buffers for one tensor each.
  CHECK(run.memory[0] == 1000 + 100 + 20 + 9 + 2 * 4 + 2 * (1 + 5 + 20));
  CHECK(run.memory[1] == 1000 + 200 + 10 + 7 + 2 * 4 + 1 * 5);
  // The first stage: F 0-7 7-14, B 20-31, F 31-38, B 38-49 51-62; the second: F 8-16, B 16-19, F 19-27 and so on.
  CHECK(run.makespan == 62);
}

TEST_CASE("what makes no sense is refused") {
  small_case drawn;
  drawn.model.types = {{"l", 1, 10, 7, 4, {{"none", 2, 0, 20}}}};
  drawn.model.layers = {0, 0, 0};
  drawn.request.schedule = stagecut::one_forward_one_backward(2, 3);
  const auto said = [](const small_case& of, const drawn_way& way = {{0, 2, 3}, {0, 0, 0}}) {
    return refusal([&] { return run_of(of, way); });
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  CHECK(said(drawn) == "not refused");
  CHECK(said(drawn, {{0, 3}, {0, 0, 0}}) == "stagecut::simulate_recomputation: stages = 1 of 3 layers, must be 2 of 3");
  CHECK(has(said(drawn, {{0, 2, 4}, {0, 0, 0, 0}}), "stages = 2 of 4 layers, must be 2 of 3"));
  CHECK(has(said(drawn, {{0, 2, 3}, {0, 0}}), "choices.size() = 2, must be the number of layers, 3"));
  CHECK(has(said(drawn, {{0, 2, 3}, {0, 0, 1}}), "choices[2] = 1, must be below 1"));

  small_case other = drawn;
  other.request.links.resize(2);
  CHECK(has(said(other), "links.size() = 2, must be 1 or the number of boundaries, 1"));
  other = drawn;
  other.request.memory_limit = {1, 1, 1};
  CHECK(has(said(other), "memory_limit.size() = 3, must be the number of ranks, 2"));
  other.request.memory_limit = {1, -2};
  CHECK(has(said(other), "memory_limit[1] = -2, must be finite and not negative"));
  other = drawn;
  other.request.memory_limit = std::numeric_limits<double>::quiet_NaN();
  CHECK(has(said(other), "memory_limit = NaN"));
  other = drawn;
  other.request.boundary_buffers = -1;
  CHECK(has(said(other), "boundary_buffers = -1"));
  other = drawn;
  other.request.constant = std::numeric_limits<double>::infinity();
  CHECK(has(said(other), "constant"));
  other = drawn;
  other.request.constant = -5;  // a fit may say so
  CHECK(said(other) == "not refused");
  other = drawn;
  other.request.search.time_limit = -1;
  CHECK(has(said(other), "search.time_limit"));
  other = drawn;
  other.request.schedule.orders[0].pop_back();
  CHECK(said(other) != "not refused");
  other = drawn;
  other.model.layers[1] = 1;
  CHECK(has(said(other), "layers[1]: 1, must be below the number of types, 1"));
  other = drawn;
  other.model.types[0].choices.clear();
  CHECK(has(said(other), "types[0] (\"l\"): 0 choices, must be at least one"));
  other = drawn;
  other.model.types[0].choices[0].backward_weight = 3;
  CHECK(has(said(other), "choices[0].backward_weight is above the whole backward pass"));
  other = drawn;
  other.model.head.choices.resize(2);
  CHECK(has(said(other), "head: 2 choices, must be one or none"));
  other = drawn;
  other.model.tail.forward = -1;
  CHECK(has(said(other), "tail: forward = -1, must be finite and not negative"));
  other = drawn;
  other.model.layers.clear();
  CHECK(has(said(other, {{0, 0, 0}, {}}), "layers: there are none"));
}
