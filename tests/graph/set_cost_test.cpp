// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/set_cost.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/graph/minimize_load.hpp>

#include "../refusal.hpp"
#include "load_oracle.hpp"
#include "random_problems.hpp"

using stagecut::load_request;
using stagecut::minimize_load;
using stagecut::precedence;
using stagecut::stage_role;
using stagecut::state;

namespace {

/// A number for every set and role, whatever they are: the least that a set of elements has to offer.
template <class Value, bool ByPosition>
struct any_cost {
  std::size_t elements = 0;
  std::uint64_t seed = 0;
  std::uint32_t set = 0;

  [[nodiscard]] std::size_t size() const { return elements; }
  void add(std::size_t e) { set |= 1U << e; }
  void remove(std::size_t e) { set &= ~(1U << e); }
  [[nodiscard]] Value value(const stage_role& role) const {
    std::uint64_t x = seed ^ (std::uint64_t{set} << 8U | role.kind << 6U);
    if (ByPosition) x ^= role.stage << 3U | role.stages;
    for (int i = 0; i < 3; ++i) x = (x ^ (x >> 31U)) * 0x9e3779b97f4a7c15U;
    return static_cast<Value>(x >> 52U);
  }
  [[nodiscard]] bool by_position() const { return ByPosition; }
};

/// The same, and sets of three or more fit on no accelerator; those of four on none at all.
struct small_sets : any_cost<int, true> {
  [[nodiscard]] bool fits(const stage_role& role) const { return __builtin_popcount(set) < (role.kind == 0 ? 3 : 4); }
};

static_assert(stagecut::set_cost<any_cost<int, true>>);
static_assert(stagecut::set_cost<any_cost<double, false>>);
static_assert(stagecut::set_cost<small_sets>);
static_assert(!stagecut::set_cost<std::vector<int>>);

struct problem {
  stagecut::operator_graph graph{};
  precedence below{};
  load_request request{};
};

problem random_problem(oracle::chance& random) {
  problem result;
  const std::size_t n = 1 + random.below(7);
  result.graph.operators.resize(n);
  std::vector<precedence::pair> pairs;
  for (std::size_t i = 1; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!random.one_in(3)) continue;
      result.graph.edges.push_back({i, j});
      pairs.emplace_back(i, j);
    }
  }
  result.below = precedence(n, pairs);
  result.request.cpus = random.below(3);
  result.request.devices = 1 + random.below(4 - result.request.cpus);
  result.request.at_most = random.one_in(2);
  return result;
}

/// Compares with all partitions, and recomputes the cost of the answer.
template <class Set>
int check_sets(std::uint64_t seed, int rounds) {
  int infeasible = 0;
  for (int round = 0; round < rounds * oracle::times_as_many(); ++round) {
    oracle::chance random(seed * 100000 + static_cast<std::uint64_t>(round));
    const problem each = random_problem(random);
    Set empty;
    empty.elements = each.below.size();
    empty.seed = random.engine()();
    const auto value = [&](oracle::operators set, std::size_t kind, std::size_t stage, std::size_t stages) {
      using result_type = std::optional<stagecut::set_value_t<Set>>;
      Set here = empty;
      here.set = set;
      if constexpr (requires { here.fits(stage_role{}); }) {
        if (!here.fits({kind, stage, stages})) return result_type();
      }
      return result_type(here.value({kind, stage, stages}));
    };
    const auto best = oracle::least_value<stagecut::set_value_t<Set>>(each.graph, each.request, value);
    const auto found = minimize_load(each.below, empty, each.request);
    CAPTURE(seed);
    CAPTURE(round);
    REQUIRE(found.has_value() == best.has_value());
    if (!found) {
      REQUIRE(found.state() == state::infeasible);
      ++infeasible;
      continue;
    }
    REQUIRE(found.state() == state::optimal);
    REQUIRE(found->value == *best);
    REQUIRE(found->bound == *best);
    std::vector<oracle::operators> sets(found->on_cpu.size());
    for (std::size_t e = 0; e < found->assignment.size(); ++e) sets[found->assignment[e]] |= 1U << e;
    std::optional<stagecut::set_value_t<Set>> most;
    for (std::size_t s = 0; s < sets.size(); ++s) {
      REQUIRE(sets[s] != 0);
      const auto here = value(sets[s], found->on_cpu[s] ? 1 : 0, s, sets.size());
      REQUIRE(here.has_value());
      if (!most || *most < *here) most = here;
    }
    REQUIRE(*most == found->value);
    for (const auto& edge : each.graph.edges) REQUIRE(found->assignment[edge.from] <= found->assignment[edge.to]);
  }
  return infeasible;
}

}  // namespace

TEST_CASE("any cost of sets in whole numbers is least as by enumeration") {
  CHECK(check_sets<any_cost<int, false>>(1, 250) > 4);
  CHECK(check_sets<any_cost<int, true>>(2, 250) > 4);
  CHECK(check_sets<any_cost<std::int64_t, true>>(3, 100) > 1);
}

TEST_CASE("any cost of sets in real numbers is least as by enumeration") {
  CHECK(check_sets<any_cost<double, false>>(4, 250) > 4);
  CHECK(check_sets<any_cost<double, true>>(5, 250) > 4);
  CHECK(check_sets<any_cost<float, true>>(6, 100) > 1);
}

TEST_CASE("sets that do not fit are in no partition") { CHECK(check_sets<small_sets>(7, 250) > 50); }

TEST_CASE("linear orders find partitions of costs in real numbers, on two CPUs as well") {
  any_cost<double, false> empty;
  empty.elements = 4;
  load_request request{.devices = 1, .cpus = 2, .method = stagecut::graph_method::linear};
  request.search.node_limit = 1;
  const auto found = minimize_load(precedence(4, {{0, 1}}), empty, request);
  REQUIRE(found);
  CHECK(found->assignment.size() == 4);
  CHECK(found->bound <= found->value);
}

TEST_CASE("no elements make no stage") {
  const any_cost<int, true> by_position;
  const any_cost<int, false> alike;
  for (const std::size_t devices : {std::size_t{1}, std::size_t{3}}) {
    const load_request fewer{.devices = devices, .at_most = true};
    const auto first = minimize_load(precedence(), by_position, fewer);
    REQUIRE(first.state() == state::optimal);
    CHECK(first->assignment.empty());
    CHECK(first->on_cpu.empty());
    REQUIRE(minimize_load(precedence(), alike, fewer).state() == state::optimal);
    const auto all = minimize_load(precedence(), alike, {.devices = devices});
    REQUIRE(all.state() == state::infeasible);
    CHECK(all.why().what == stagecut::reason::cause::more_stages_than_layers);
  }
}

TEST_CASE("the empty set has to be of as many elements as are ordered") {
  const any_cost<int, true> empty{3};
  CHECK(refusal([&] { return minimize_load(precedence(2, {}), empty, {}); }) ==
        "stagecut::minimize_load: empty.size() = 3, must be the number of elements, 2");
}
