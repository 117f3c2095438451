// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/operator_set.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "load_oracle.hpp"
#include "random_problems.hpp"

using stagecut::contraction;
using stagecut::graph_operator;
using stagecut::operator_costs;
using stagecut::operator_set;
using stagecut::stage_role;

namespace {

/// A problem with its elements and costs; operators that share an element ask for no two stages.
struct priced_case {
  explicit priced_case(std::uint64_t seed, std::size_t n = 9) : problem(drawn(seed, n)) {}

  static oracle::load_case drawn(std::uint64_t seed, std::size_t n) {
    oracle::chance random(seed);
    oracle::load_case result = oracle::random_case(random, n, 4);
    const contraction parts(result.graph);
    std::vector<graph_operator>& all = result.graph.operators;
    for (std::size_t v = 0; v < all.size(); ++v) all[v].stage = all[parts.operators_of(parts.element_of(v))[0]].stage;
    return result;
  }
  [[nodiscard]] std::size_t stages() const { return problem.request.devices + problem.request.cpus; }
  [[nodiscard]] oracle::operators operators_in(std::uint32_t elements) const {
    oracle::operators result = 0;
    for (std::size_t v = 0; v < problem.graph.operators.size(); ++v) {
      if ((elements >> parts.element_of(v) & 1U) != 0) result |= 1U << v;
    }
    return result;
  }

  oracle::load_case problem;
  contraction parts{problem.graph};
  operator_costs costs{problem.graph, parts, problem.request.load, stages()};
};

operator_set set_of(const operator_costs& costs, std::uint32_t elements) {
  operator_set result(costs);
  for (std::size_t e = 0; e < costs.size(); ++e) {
    if ((elements >> e & 1U) != 0) result.add(e);
  }
  return result;
}

template <class Visit>
void for_each_role(std::size_t stages, const Visit& visit) {
  for (std::size_t count = 1; count <= stages; ++count) {
    for (std::size_t stage = 0; stage < count; ++stage) {
      visit(stage_role{0, stage, count});
      visit(stage_role{1, stage, count});
    }
  }
}

}  // namespace

TEST_CASE("after any way to a set its figures are those of its operators") {
  int fits = 0;
  int not_fits = 0;
  for (std::uint64_t round = 0; round < 250; ++round) {
    const priced_case here(round);
    const std::size_t n = here.parts.elements();
    if (n == 0) continue;
    oracle::chance random(5000 + round);
    operator_set set(here.costs);
    REQUIRE(set.size() == n);
    std::uint32_t in = 0;
    CAPTURE(round);
    for (int step = 0; step < 40; ++step) {
      const std::size_t e = random.below(n);
      (in >> e & 1U) != 0 ? set.remove(e) : set.add(e);
      in ^= 1U << e;
      for_each_role(here.stages(), [&](const stage_role& role) {
        const auto right = oracle::price(here.problem.graph, here.problem.request.load, here.operators_in(in),
                                         role.kind != 0, role.stage, role.stages);
        REQUIRE(std::abs(here.costs.seconds(set.value(role)) - right.figures.load) <= 1e-12 * right.figures.load);
        REQUIRE(here.costs.bytes_of(set.memory(role)) == right.figures.memory);
        REQUIRE(set.fits(role) == right.fits);
        ++(right.fits ? fits : not_fits);
      });
    }
  }
  CHECK(fits > 5000);
  CHECK(not_fits > 5000);
}

TEST_CASE("the way to a set leaves no trace") {
  for (std::uint64_t round = 0; round < 100; ++round) {
    const priced_case here(10000 + round);
    const std::size_t n = here.parts.elements();
    if (n == 0) continue;
    oracle::chance random(round);
    operator_set set(here.costs);
    std::uint32_t in = 0;
    for (int step = 0; step < 60; ++step) {
      const std::size_t e = random.below(n);
      (in >> e & 1U) != 0 ? set.remove(e) : set.add(e);
      in ^= 1U << e;
    }
    const operator_set direct = set_of(here.costs, in);
    for_each_role(here.stages(), [&](const stage_role& role) {
      REQUIRE(set.value(role) == direct.value(role));
      REQUIRE(set.least(role) == direct.least(role));
      REQUIRE(set.memory(role) == direct.memory(role));
      REQUIRE(set.fits(role) == direct.fits(role));
    });
  }
}

TEST_CASE("what is least of a set holds of all that hold it, and what does not fit is in none that does") {
  for (std::uint64_t round = 0; round < 60; ++round) {
    const priced_case here(20000 + round, 7);
    const std::uint32_t sets = 1U << here.parts.elements();
    std::vector<operator_set> all;
    for (std::uint32_t set = 0; set < sets; ++set) all.push_back(set_of(here.costs, set));
    CAPTURE(round);
    for_each_role(here.stages(), [&](const stage_role& role) {
      for (std::uint32_t large = 0; large < sets; ++large) {
        for (std::uint32_t small = large;; small = (small - 1) & large) {
          REQUIRE(all[small].least(role) <= all[large].value(role));
          if (!all[small].may_grow(role)) REQUIRE_FALSE(all[large].fits(role));
          if (small == 0) break;
        }
      }
    });
  }
}

TEST_CASE("the weights of elements sum to no more than what a set takes wherever it fits") {
  for (std::uint64_t round = 0; round < 200; ++round) {
    const priced_case here(30000 + round, 8);
    const std::uint32_t sets = 1U << here.parts.elements();
    CAPTURE(round);
    for (std::uint32_t each = 0; each < sets; ++each) {
      const operator_set set = set_of(here.costs, each);
      operator_set::ticks weight[2]{};
      bool runs_on_cpu = true;
      for (std::size_t e = 0; e < set.size(); ++e) {
        if ((each >> e & 1U) == 0) continue;
        weight[0] += set.weight(e, 0);
        runs_on_cpu = runs_on_cpu && here.costs.of(e).on_cpu;
        if (runs_on_cpu) weight[1] += set.weight(e, 1);
      }
      for_each_role(here.stages(), [&](const stage_role& role) {
        if (role.kind != 0 && !runs_on_cpu) return;
        // Quotients by speeds are rounded.
        const bool exact = role.kind != 0 || here.problem.request.load.speeds.empty();
        const auto value = static_cast<double>(set.value(role));
        if (exact) REQUIRE(weight[role.kind] <= set.value(role));
        REQUIRE(static_cast<double>(weight[role.kind]) <= value * (1 + 1e-14));
      });
    }
  }
}

TEST_CASE("where nothing depends on a stage's number, all stages of a kind are alike") {
  int alike = 0;
  for (std::uint64_t round = 0; round < 200; ++round) {
    const priced_case here(40000 + round, 6);
    const operator_set empty(here.costs);
    bool same = true;
    for (std::uint32_t each = 0; each < 1U << here.parts.elements(); ++each) {
      const operator_set set = set_of(here.costs, each);
      for_each_role(here.stages(), [&](const stage_role& role) {
        const stage_role first{role.kind, 0, 1};
        same = same && set.value(role) == set.value(first) && set.fits(role) == set.fits(first);
      });
    }
    if (empty.by_position()) continue;
    REQUIRE(same);
    ++alike;
  }
  CHECK(alike > 60);
}
