// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/merge_layers.hpp>

#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/layer_merger.hpp>
#include <stagecut/graph/detail/merging_order.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/weighted_operators.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "load_oracle.hpp"
#include "random_problems.hpp"

using stagecut::contraction;
using stagecut::merge_layers;
using stagecut::merge_order;
using stagecut::merge_request;
using stagecut::operator_costs;
using stagecut::operator_graph;
using stagecut::state;
using stagecut::detail::layer_merger;
using stagecut::detail::merge_verdict;

namespace {

/// A graph and a request by chance, for accelerators alone.
struct merge_case {
  operator_graph graph{};
  merge_request request{};
};

merge_case draw(oracle::chance& random, std::size_t n, std::size_t parts) {
  for (;;) {
    oracle::load_case drawn = oracle::random_case(random, n, parts);
    if (drawn.graph.operators.empty()) continue;
    for (auto& each : drawn.graph.operators) each.on_accelerator = true, each.stage = stagecut::graph_operator::none;
    merge_case result{std::move(drawn.graph), {}};
    result.request.parts = drawn.request.devices + drawn.request.cpus;
    result.request.at_most = random.one_in(2);
    result.request.order = random.one_in(2) ? merge_order::lightest : merge_order::breadth_first;
    result.request.load = drawn.request.load;
    return result;
  }
}

/// The parts as labels of elements, and what one knows of them from the pairs of elements alone.
class plain_parts {
 public:
  explicit plain_parts(const stagecut::precedence& below) : below_(below), label_(below.size()) {
    for (std::size_t e = 0; e < label_.size(); ++e) label_[e] = e;
  }
  std::size_t operator[](std::size_t e) const { return label_[e]; }
  void merge(std::size_t a, std::size_t b) {
    for (std::size_t& each : label_) {
      if (each == b) each = a;
    }
  }
  /// Whether a path of two steps or more leads from one part to another.
  [[nodiscard]] bool leads_around(std::size_t from, std::size_t to) const {
    std::vector<std::size_t> met;
    for (const std::size_t next : next_of(from)) {
      if (next != to) met.push_back(next);
    }
    for (std::size_t i = 0; i < met.size(); ++i) {
      for (const std::size_t next : next_of(met[i])) {
        if (next == to) return true;
        if (std::find(met.begin(), met.end(), next) == met.end()) met.push_back(next);
      }
    }
    return false;
  }
  /// Whether the parts make no cycle: they can be taken away one after the other, each with nothing before it.
  [[nodiscard]] bool acyclic() const {
    std::set<std::size_t> left(label_.begin(), label_.end());
    for (bool any = true; any;) {
      any = false;
      for (const std::size_t part : left) {
        const bool waits = std::any_of(left.begin(), left.end(), [&](std::size_t other) {
          return other != part && next_of(other).count(part) != 0;
        });
        if (waits) continue;
        left.erase(part);
        any = true;
        break;
      }
    }
    return left.empty();
  }

 private:
  [[nodiscard]] std::set<std::size_t> next_of(std::size_t part) const {
    std::set<std::size_t> result;
    for (std::size_t e = 0; e < label_.size(); ++e) {
      if (label_[e] != part) continue;
      for (const std::size_t to : below_.successors(e)) {
        if (label_[to] != part) result.insert(label_[to]);
      }
    }
    return result;
  }

  const stagecut::precedence& below_;
  std::vector<std::size_t> label_;
};

}  // namespace

TEST_CASE("a pair becomes one exactly if no other path leads from one to the other, and parts never make a cycle") {
  oracle::chance random(21);
  std::size_t cycles = 0;
  std::size_t merges = 0;
  std::size_t given_up = 0;
  for (int i = 0; i < 2500 * oracle::times_as_many(); ++i) {
    const merge_case of = draw(random, 14, 4);
    const contraction parts(of.graph);
    const operator_costs costs(of.graph, parts, of.request.load, of.request.parts);
    plain_parts plain(parts.below());
    const bool bounded = i % 4 == 0;
    bool right = true;
    const auto watch = [&](const layer_merger::decision& what) {
      const std::size_t a = plain[what.first];
      const std::size_t b = plain[what.second];
      const bool around = plain.leads_around(a, b) || plain.leads_around(b, a);
      if (what.verdict == merge_verdict::unsure) {
        right = right && bounded;
        ++given_up;
        return;
      }
      right = right && a != b && around == (what.verdict == merge_verdict::cycle);
      if (around) ++cycles;
      if (what.verdict != merge_verdict::safe) return;
      plain.merge(a, b);
      right = right && plain.acyclic();
      ++merges;
    };
    layer_merger merger(costs, parts.below(), of.request.parts, std::numeric_limits<operator_costs::ticks>::max() / 2,
                        bounded ? 1 + random.below(4) : 0, {}, watch);
    merger.run(of.request.parts, of.request.order);
    REQUIRE(right);
    const std::vector<std::uint32_t> part_of = merger.part_of();
    for (std::size_t e = 0; e < part_of.size(); ++e) {
      for (std::size_t other = 0; other < e; ++other) {
        REQUIRE((plain[e] == plain[other]) == (part_of[e] == part_of[other]));
      }
      for (const std::size_t to : parts.below().successors(e)) REQUIRE(part_of[e] <= part_of[to]);
    }
  }
  CHECK(cycles > 500);
  CHECK(merges > 5000);
  CHECK(given_up > 100);
}

TEST_CASE(
    "parts have the loads that they are said to have, within memory, and the bound is none above the least load") {
  oracle::chance random(22);
  int answers = 0;
  int optimal = 0;
  int least = 0;
  int compared = 0;
  for (int i = 0; i < 3000 * oracle::times_as_many(); ++i) {
    const merge_case of = draw(random, 8, 4);
    const auto found = merge_layers(of.graph, of.request);
    const bool cornered = of.request.load.memory_limit.has_value();
    if (!found) {
      CHECK(cornered);  // without a cap there is always an answer
      continue;
    }
    ++answers;
    const std::size_t count = found->parts.size();
    REQUIRE(count >= 1);
    REQUIRE(count <= of.request.parts);
    std::vector<oracle::operators> sets(count);
    for (std::size_t v = 0; v < found->assignment.size(); ++v) sets[found->assignment[v]] |= 1U << v;
    std::vector<bool> following;
    for (std::size_t v = 0; v < found->assignment.size(); ++v) following.push_back(oracle::follows(of.graph, v));
    for (std::size_t a = 0; a < found->assignment.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        REQUIRE(oracle::may_stand(of.graph, following, a, found->assignment[a], b, found->assignment[b]));
      }
    }
    double most = 0;
    for (std::size_t s = 0; s < count; ++s) {
      REQUIRE(sets[s] != 0);
      const oracle::priced right = oracle::price(of.graph, of.request.load, sets[s], false, s, count);
      CHECK(right.fits);
      CHECK(oracle::close(right.figures.load, found->parts[s].load));
      CHECK(oracle::close(right.figures.memory, found->parts[s].memory));
      most = std::max(most, right.figures.load);
    }
    CHECK(oracle::close(most, found->value));
    CHECK(merge_layers(of.graph, of.request)->assignment == found->assignment);
    if (i % 6 != 0) continue;
    stagecut::load_request request;
    request.devices = of.request.parts;
    request.at_most = true;
    request.load = of.request.load;
    const auto best = oracle::least_load(of.graph, request);
    REQUIRE(best);
    CHECK(found->bound <= *best * (1 + 1e-12));
    CHECK(found->value >= *best * (1 - 1e-12));
    if (found.state() == state::optimal) ++optimal;
    ++compared;
    if (found->value <= *best * (1 + 1e-12)) ++least;
  }
  MESSAGE("least load in ", least, " of ", compared, ", proved in ", optimal, "; ", answers, " answers");
  CHECK(answers > 2000);
  CHECK(optimal > 10);
  CHECK(4 * least > compared);
}

TEST_CASE("parts for coarsening keep to their cap, or it is said that they cannot") {
  oracle::chance random(23);
  int reached = 0;
  int left = 0;
  for (int i = 0; i < 400; ++i) {
    merge_case of = draw(random, 30, 3);
    of.request.load = {};
    double total = 0;
    for (const auto& each : of.graph.operators) total += each.forward + each.backward;
    of.request.parts = 3 + random.below(8);
    of.request.most_work =
        total / static_cast<double>(of.request.parts) * (1 + 0.25 * static_cast<double>(random.below(6)));
    const auto found = merge_layers(of.graph, of.request);
    if (!found) {
      ++left;
      const bool heavy = found.state() == state::infeasible && found.why().text().find("heavier") != std::string::npos;
      const bool stuck =
          found.state() == state::unknown && found.why().text().find("parts are left") != std::string::npos;
      CHECK((heavy || stuck));
      continue;
    }
    ++reached;
    for (const auto& part : found->parts) CHECK(part.forward + part.backward <= *of.request.most_work * (1 + 1e-12));
  }
  MESSAGE(reached, " reached, ", left, " not");
  CHECK(reached > 50);
  CHECK(left > 20);
}

namespace {

/// Takes these seconds, with messages of a quarter of a second.
operator_graph graph_of_work(const std::vector<double>& seconds, std::vector<stagecut::operator_edge> edges) {
  operator_graph result;
  for (const double each : seconds) result.operators.push_back({.forward = each, .sent_seconds = 0.25});
  result.edges = std::move(edges);
  return result;
}

}  // namespace

TEST_CASE("a path around keeps a pair apart until it is a part of one of them") {
  // 0 -> 1 -> 2 and 0 -> 2: 0 and 2 are the lightest, but 1 is between them. 1 and 2 cut one message, 0 and 1 two.
  const operator_graph graph = graph_of_work({1, 3, 1}, {{0, 1}, {1, 2}, {0, 2}});
  const auto two = merge_layers(graph, {.parts = 2});
  REQUIRE(two);
  CHECK(two->assignment == std::vector<std::size_t>{0, 1, 1});
  CHECK(two->value == 4.25);
  const auto one = merge_layers(graph, {.parts = 1});
  CHECK(one.state() == state::optimal);
  CHECK(one->value == 5);
}

TEST_CASE("operators that nothing joins become one as well") {
  const auto found = merge_layers(graph_of_work({1, 2, 3, 4, 5}, {}), {.parts = 2});
  REQUIRE(found);
  CHECK(found->parts.size() == 2);
  CHECK(found->value <= 9);
}

TEST_CASE("fewer parts than asked for are made where messages cost more than work") {
  operator_graph graph = graph_of_work({1, 1, 1}, {{0, 1}, {1, 2}});
  for (auto& each : graph.operators) each.sent_seconds = 10;
  CHECK(merge_layers(graph, {.parts = 2})->parts.size() == 2);
  const auto found = merge_layers(graph, {.parts = 2, .at_most = true});
  CHECK(found->parts.size() == 1);
  CHECK(found->value == 3);
}

TEST_CASE("time and memory are weighed as PyTorch's RFC-0022 does, from the inputs on") {
  operator_graph graph = graph_of_work({1, 1, 1, 1}, {{0, 1}, {1, 2}, {2, 3}});
  graph.operators[0].resident = 300;
  graph.operators[3].activations = 100;
  const auto found = merge_layers(graph, {.parts = 2, .order = merge_order::breadth_first, .time_weight = 0.6});
  REQUIRE(found);
  CHECK(found->assignment == std::vector<std::size_t>{0, 1, 1, 1});
  CHECK(std::abs(found->value - 0.55) < 1e-12);  // 0.6 * 3/4 + 0.4 * 100/400
  CHECK(found->bound <= 0.5 + 1e-12);
}

TEST_CASE("what cannot be merged is told") {
  const operator_graph graph = graph_of_work({2, 2, 2}, {{0, 1}, {1, 2}});
  CHECK(merge_layers(graph, {.parts = 2, .most_work = 3}).why().text() ==
        "no cut keeps to the constraint: 3 parts are left that may not be merged, and 2 were asked for; allow "
        "more "
        "parts, heavier ones, or longer searches");
  CHECK(merge_layers(graph, {.parts = 2, .most_work = 3}).state() == state::unknown);
  CHECK(merge_layers(graph, {.parts = 2, .most_work = 2.5}).state() == state::infeasible);
  CHECK(merge_layers(graph, {.parts = 3, .most_work = 1}).why().text() ==
        "no cut keeps to the constraint: operator 0 is heavier than a part may be");
  CHECK_THROWS_WITH(static_cast<void>(merge_layers(graph, {.parts = 0})),
                    "stagecut::merge_layers: parts = 0, must be at least 1");
  CHECK_THROWS_WITH(static_cast<void>(merge_layers(graph, {.parts = 1, .most_work = -1})),
                    "stagecut::merge_layers: most_work = -1.000000, must not be negative");
  const auto stop = [] { return true; };
  merge_request request;
  request.search.stop = stop;
  CHECK(merge_layers(graph, request).state() == state::unknown);
  CHECK(merge_layers({}, {.parts = 2}).state() == state::optimal);
}
