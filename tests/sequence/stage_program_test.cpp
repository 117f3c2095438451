// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/added_cuts.hpp>
#include <stagecut/cost/all_of.hpp>
#include <stagecut/cost/at_least_one.hpp>
#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/at_speeds.hpp>
#include <stagecut/cost/forbidden_cuts.hpp>
#include <stagecut/cost/kept_together.hpp>
#include <stagecut/cost/overlapped_cuts.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/sequence/detail/constrained_bottleneck.hpp>
#include <stagecut/sequence/detail/stage_program.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>
#include <stagecut/testing/archetypes.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "bottleneck_tally.hpp"
#include "enumeration.hpp"
#include "random_models.hpp"

namespace detail = stagecut::detail;
using models::rank;
using stagecut::empty_stages;
using stagecut::minimize_bottleneck;
using stagecut::prefix_sums;

namespace {

constexpr int instances = 20'000;

/// All kinds of constraint in turn.
template <class Model>
void under_any_constraint(models::generator& random, const Model& cost, std::size_t k, empty_stages empty,
                          tally& seen) {
  const std::size_t n = cost.size();
  switch (random() % 5) {
    case 0: return compare(cost, k, oracle::anything, empty, seen);
    case 1: return compare(cost, k, models::random_permits(random, n, k), empty, seen);
    case 2: return compare(cost, k, models::random_permits<stagecut::hereditary>(random, n, k), empty, seen);
    case 3: return compare(cost, k, models::telling_permits{models::random_permits(random, n, k)}, empty, seen);
    default: return compare(cost, k, models::random_permits<stagecut::stage_invariant>(random, n, k), empty, seen);
  }
}

/// How many had an answer.
template <class Cost, bool Staged, auto... Promised>
int tables(std::uint64_t seed) {
  models::generator random(seed);
  tally seen;
  for (int i = 0; i < instances; ++i) {
    const empty_stages empty = random() % 3 == 0 ? empty_stages::allowed : empty_stages::forbidden;
    const std::size_t n = 1 + random() % (empty == empty_stages::allowed ? 6 : 8);
    const std::size_t k = 1 + random() % (empty == empty_stages::forbidden ? n : n < 5 ? n + 2 : 5);
    under_any_constraint(random, models::random_table<Cost, Staged, Promised...>(random, n, k), k, empty, seen);
  }
  CHECK(seen.infeasible > instances / 10);
  return seen.feasible;
}

}  // namespace

TEST_CASE_TEMPLATE("costs without any promise equal enumeration, under any constraint", T, std::int64_t, double, rank) {
  CHECK(tables<T, false>(1) > instances / 3);
  CHECK(tables<T, true>(2) > instances / 3);
}
TEST_CASE("costs that only compare, and grow to some side, equal enumeration under any constraint") {
  CHECK(tables<rank, false, stagecut::monotone>(3) > instances / 3);
  CHECK(tables<rank, true, stagecut::monotone>(4) > instances / 3);
  CHECK(tables<rank, true, stagecut::right_monotone>(5) > instances / 3);
  CHECK(tables<rank, false, stagecut::left_monotone>(6) > instances / 3);
}
TEST_CASE("numbers that grow to some side equal enumeration under any constraint") {
  CHECK(tables<double, false, stagecut::monotone>(7) > instances / 3);
  CHECK(tables<std::int64_t, true, stagecut::monotone>(8) > instances / 3);
  CHECK(tables<double, true, stagecut::right_monotone>(9) > instances / 3);
  CHECK(tables<std::int64_t, false, stagecut::left_monotone>(10) > instances / 3);
}

TEST_CASE_TEMPLATE("the constraints of the library, alone and together, equal enumeration", T, std::int64_t, double) {
  models::generator random(11);
  tally seen;
  for (int i = 0; i < instances; ++i) {
    const std::size_t n = 2 + random() % 7;
    const std::size_t k = 1 + random() % (n < 6 ? n : 5);
    const auto empty = random() % 4 == 0 ? empty_stages::allowed : empty_stages::forbidden;
    std::vector<std::size_t> places;
    for (std::size_t j = 1; j < n; ++j) {
      if (random() % 4 == 0) places.push_back(j);
    }
    const stagecut::forbidden_cuts forbidden(n, places);
    const std::size_t first = random() % n;
    const stagecut::kept_together together(n, {{first, first + random() % (n - first)}});
    std::vector<bool> kinds(n);
    for (std::size_t j = 0; j < n; ++j) kinds[j] = random() % 3 != 0;
    const stagecut::at_least_one holding(kinds);
    const prefix_sums cost(models::random_items<T>(random, n));
    const prefix_sums bytes(models::random_items<std::int64_t>(random, n));
    const stagecut::at_most cap(bytes, static_cast<std::int64_t>(random() % 60));
    const stagecut::at_speeds staged(cost, models::random_speeds(random, k));
    const auto times = models::random_times(random, n, k);
    const auto check = [&](const auto& allowed) {
      compare(cost, k, allowed, empty, seen);
      compare(staged, k, allowed, empty, seen);
      if (i % 4 != 0) return;
      compare(stagecut::added_cuts(cost, times), k, allowed, empty, seen);
      compare(stagecut::overlapped_cuts(cost, times), k, allowed, empty, seen);
    };
    switch (i % 6) {
      case 0: check(forbidden); break;
      case 1: check(together); break;
      case 2: check(holding); break;
      case 3: check(cap); break;
      case 4: check(stagecut::all_of(forbidden, cap)); break;
      default: check(stagecut::all_of(holding, together, models::random_permits(random, n, k))); break;
    }
  }
  CHECK(seen.feasible > instances / 2);
  CHECK(seen.infeasible > instances / 4);
}

// Chains too long to enumerate: every method that is exact gives the same.
namespace {

template <class Model, class Allowed>
auto by_program(const Model& cost, std::size_t k, const Allowed& allowed, empty_stages empty) {
  return detail::stage_program(cost, k, stagecut::bottleneck(), allowed, empty).run();
}

/// Prices as the model, and promises nothing.
template <class Model>
struct silent {
  const Model& model;
  [[nodiscard]] std::size_t size() const { return model.size(); }
  auto operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return detail::price(model, stage, first, last);
  }
};

template <class Model, class Allowed>
bool methods_agree(const Model& cost, std::size_t k, const Allowed& allowed, empty_stages empty) {
  const auto fast = minimize_bottleneck(cost, k, allowed, empty);
  const auto program = by_program(cost, k, allowed, empty);
  REQUIRE(fast.has_value() == program.has_value());
  if (cost.size() <= 120) {
    const auto plain = minimize_bottleneck(silent<Model>{cost}, k, allowed, empty);
    REQUIRE(plain.has_value() == program.has_value());
    if (program) REQUIRE(*plain == *program);
  }
  if (program) REQUIRE(*fast == *program);
  return program.has_value();
}

}  // namespace

TEST_CASE("chains of up to a thousand items: probes and the dynamic program agree") {
  models::generator random(12);
  int found = 0;
  int checked = 0;
  const auto check = [&](const auto& cost, std::size_t k, const auto& allowed, empty_stages empty) {
    found += methods_agree(cost, k, allowed, empty) ? 1 : 0;
    ++checked;
  };
  for (const std::size_t n : {30U, 100U, 300U, 1000U}) {
    for (int round = 0; round < (n == 1000 ? 1 : 6); ++round) {
      const std::size_t k = n == 1000 ? 7 : 2 + random() % 12;
      const auto empty = round % 2 == 0 ? empty_stages::forbidden : empty_stages::allowed;
      const prefix_sums cost(models::random_items<double>(random, n));
      const prefix_sums integers(models::random_items<std::int64_t>(random, n));
      const auto speeds = models::random_speeds(random, k);
      const auto times = models::random_times(random, n, k);
      std::vector<std::int64_t> bounds(k);
      const auto share = integers(0, n) / static_cast<std::int64_t>(k);
      for (auto& bound : bounds) bound = share / 2 + static_cast<std::int64_t>(random()) % (2 * share);
      const stagecut::at_most cap(integers, bounds);
      const stagecut::at_speeds staged(cost, speeds);
      const detail::no_constraint none;
      check(cost, k, none, empty);
      check(cost, k, cap, empty);
      check(staged, k, none, empty);
      check(staged, k, cap, empty);
      check(stagecut::added_cuts(cost, times, speeds), k, none, empty);
      check(stagecut::overlapped_cuts(cost, times, speeds), k, none, empty);
      check(stagecut::overlapped_cuts(cost, times, speeds), k, cap, empty);
      if (n == 1000) continue;
      check(integers, k, models::random_permits(random, n, k), empty);
      check(
          stagecut::right_monotone(
              n, [&](std::size_t i, std::size_t j) { return integers(i, j) * (1 + static_cast<std::int64_t>(i % 3)); }),
          k, cap, empty);
      check(
          stagecut::left_monotone(
              n, [&](std::size_t i, std::size_t j) { return integers(i, j) * (1 + static_cast<std::int64_t>(j % 3)); }),
          k, cap, empty);
    }
  }
  CHECK(checked == 3 * 6 * 10 + 7);
  CHECK(found > checked / 2);
}

TEST_CASE("a sum without empty stages under a constraint: search by value, probes by sets, and the program agree") {
  models::generator random(13);
  int found = 0;
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = 50 + random() % 400;
    const std::size_t k = 2 + random() % 20;
    const prefix_sums cost(models::random_items<double>(random, n));
    std::vector<double> bounds(k);
    for (auto& bound : bounds) {
      bound = cost(0, n) / static_cast<double>(k) * (0.7 + 0.1 * static_cast<double>(random() % 10));
    }
    const stagecut::at_most cap(cost, bounds);
    const auto by_value = minimize_bottleneck(cost, k, cap);  // constrained_chain
    const auto by_sets = minimize_bottleneck(stagecut::at_speeds(cost, std::vector<double>(k, 1.0)), k, cap);
    const auto program = by_program(cost, k, cap, empty_stages::forbidden);
    REQUIRE(by_value.has_value() == program.has_value());
    REQUIRE(by_sets.has_value() == program.has_value());
    if (!program) continue;
    REQUIRE(*by_value == *program);
    REQUIRE(*by_sets == *program);
    ++found;
  }
  CHECK(found > 10);
}

TEST_CASE("nothing below the floor: values count as that much, and the cuts are the smallest that reach it") {
  const prefix_sums<std::int64_t> cost{1, 1, 1, 1};
  const detail::no_constraint none;
  CHECK(detail::stage_program(cost, 2, stagecut::bottleneck(), none).run()->cuts == stagecut::cuts{0, 2, 4});
  detail::stage_program floored(cost, 2, stagecut::bottleneck(), none, empty_stages::forbidden,
                                std::optional<std::int64_t>(3));
  const auto best = floored.run();
  CHECK(best->value == 3);
  CHECK(best->cuts == stagecut::cuts{0, 1, 4});
}

TEST_CASE("the least that costs can be is enough") {
  using stagecut::axioms;
  namespace testing = stagecut::testing;
  models::generator random(14);
  tally seen;
  const auto check = [&](const auto& cost) {
    for (const auto empty : {empty_stages::forbidden, empty_stages::allowed}) {
      for (std::size_t k = 1; k <= 5; ++k) {
        compare(cost, k, oracle::anything, empty, seen);
        compare(cost, k, models::random_permits<stagecut::hereditary>(random, 6, k), empty, seen);
      }
    }
  };
  check(testing::monotone_archetype(6));
  check(testing::additive_archetype(6));
  check(testing::right_monotone_archetype(6));
  check(testing::left_monotone_archetype(6));
  check(testing::separable_archetype(6));
  check(testing::staged_archetype<>(6));
  check(testing::staged_archetype<axioms<stagecut::right_monotone>>(6));
  check(testing::staged_archetype<axioms<stagecut::left_monotone>>(6));
  check(testing::staged_archetype<axioms<stagecut::monotone>>(6));
  CHECK(seen.feasible > 9 * 2 * 5);
}
