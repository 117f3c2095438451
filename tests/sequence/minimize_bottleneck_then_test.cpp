// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/added_cuts.hpp>
#include <stagecut/cost/at_speeds.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/cost/sent_at_cuts.hpp>
#include <stagecut/sequence/minimize_bottleneck_then.hpp>
#include <stagecut/sequence/minimize_leximax.hpp>
#include <stagecut/sequence/minimize_objective.hpp>
#include <stagecut/sequence/minimize_range.hpp>
#include <stagecut/sequence/minimize_total.hpp>
#include <stagecut/testing/archetypes.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "enumeration.hpp"
#include "random_models.hpp"

using models::rank;
using stagecut::empty_stages;
using stagecut::minimize_bottleneck_then;
using stagecut::prefix_sums;

namespace {

constexpr int instances = 20'000;

/// By enumeration: first the bottleneck of `cost`, then what the costs of `other` come to.
template <class Model, class Other, class Objective, class Allowed>
auto expected(const Model& cost, const Other& other, const Objective& objective, std::size_t k,
              const Allowed& allowed) {
  return oracle::best_cut(cost.size(), k, empty_stages::forbidden, allowed,
                          [&](const std::vector<std::size_t>& points) {
                            return std::pair(oracle::worst(oracle::stage_costs(cost, points)),
                                             objective(oracle::stage_costs(other, points)));
                          });
}

template <class Answer, class Expected>
bool agree(const Answer& answer, const Expected& best) {
  REQUIRE(answer.has_value() == best.has_value());
  if (!best) return false;
  REQUIRE(answer.state() == stagecut::state::optimal);
  REQUIRE(answer->bottleneck == best->second.first);
  REQUIRE(answer->best.value == best->second.second);
  const auto points = answer->best.cuts.points();
  REQUIRE(std::vector<std::size_t>(points.begin(), points.end()) == best->first);
  return true;
}

/// Under no constraint, an arbitrary and a hereditary one.
template <class Check>
void under_constraints(models::generator& random, std::size_t n, std::size_t k, const Check& check) {
  switch (random() % 3) {
    case 0: return check(stagecut::detail::no_constraint());
    case 1: return check(models::random_permits(random, n, k));
    default: return check(models::random_permits<stagecut::hereditary>(random, n, k));
  }
}

}  // namespace

TEST_CASE("the bottleneck, then the total of another cost, equal enumeration") {
  models::generator random(1);
  int found = 0;
  const auto check = [&](const auto& cost, const auto& sent, std::size_t k) {
    under_constraints(random, cost.size(), k, [&](const auto& allowed) {
      const auto best = expected(cost, sent, oracle::sum, k, allowed);
      found +=
          agree(minimize_bottleneck_then(
                    cost, k, [&](const auto& within) { return stagecut::minimize_total(sent, k, within); }, allowed),
                best)
              ? 1
              : 0;
      found +=
          agree(
              minimize_bottleneck_then(
                  cost, k,
                  [&](const auto& within) { return stagecut::minimize_objective(sent, k, stagecut::total_cost(), within); },
                  allowed),
              best)
              ? 1
              : 0;
    });
  };
  for (int i = 0; i < instances; ++i) {
    const std::size_t n = 1 + random() % 8;
    const std::size_t k = 1 + random() % n;
    const auto sent = models::random_table<std::int64_t, false>(random, n, k);
    check(prefix_sums(models::random_items<double>(random, n)), sent, k);
    switch (i % 4) {
      case 0: check(models::random_table<std::int64_t, false>(random, n, k), sent, k); break;
      case 1: check(models::random_table<double, true, stagecut::monotone>(random, n, k), sent, k); break;
      case 2: check(models::random_table<rank, false, stagecut::monotone>(random, n, k), sent, k); break;
      default: check(models::random_table<rank, true>(random, n, k), sent, k); break;
    }
  }
  CHECK(found > 2 * instances);
}

TEST_CASE("the bottleneck, then the costs in order, equal enumeration and minimize_leximax") {
  models::generator random(2);
  int found = 0;
  for (int i = 0; i < instances; ++i) {
    const std::size_t n = 1 + random() % 8;
    const std::size_t k = 1 + random() % n;
    const auto cost = models::random_table<std::int64_t, true, stagecut::monotone>(random, n, k);
    under_constraints(random, n, k, [&](const auto& allowed) {
      const auto answer = minimize_bottleneck_then(
          cost, k, [&](const auto& within) { return stagecut::minimize_leximax(cost, k, within); }, allowed);
      if (!agree(answer, expected(cost, cost, oracle::descending, k, allowed))) return;
      REQUIRE(answer->best == *stagecut::minimize_leximax(cost, k, allowed));
      ++found;
    });
  }
  CHECK(found > instances / 2);
}

TEST_CASE_TEMPLATE("the bottleneck, then the range, equal enumeration", T, std::int64_t, double) {
  models::generator random(3);
  int found = 0;
  for (int i = 0; i < instances; ++i) {
    const std::size_t n = 1 + random() % 8;
    const std::size_t k = 1 + random() % n;
    const prefix_sums cost(models::random_items<T>(random, n));
    under_constraints(random, n, k, [&](const auto& allowed) {
      const auto answer = minimize_bottleneck_then(
          cost, k, [&](const auto& within) { return stagecut::minimize_range(cost, k, within); }, allowed);
      found += agree(answer, expected(cost, cost, oracle::spread, k, allowed)) ? 1 : 0;
    });
  }
  CHECK(found > instances / 2);
}

TEST_CASE("the state of the second search is that of the answer") {
  const prefix_sums<int> cost{3, 1, 2, 2};
  using answer = stagecut::outcome<stagecut::chain_partition<int>>;
  const auto with = [&](const answer& second) {
    return minimize_bottleneck_then(cost, 2, [&](const auto&) { return second; });
  };
  const stagecut::chain_partition<int> some{{7, 6}, {0, 2, 4}};
  CHECK(with(answer::optimal(some)).state() == stagecut::state::optimal);
  CHECK(with(answer::feasible(some)).state() == stagecut::state::feasible);
  CHECK(with(answer::feasible(some))->best == some);
  CHECK(with(answer::feasible(some))->bottleneck == 4);
  const stagecut::reason why{stagecut::reason::cause::limit_reached};
  CHECK(with(answer::unknown(why)).state() == stagecut::state::unknown);
  CHECK(with(answer::infeasible(why)).state() == stagecut::state::infeasible);
  CHECK(with(answer::infeasible(why)).why() == why);
  CHECK_THROWS_AS(
      (void)minimize_bottleneck_then(cost, 2, [](const auto&) -> answer { throw std::runtime_error("second"); }),
      std::runtime_error);
}

TEST_CASE("no stage, and more than items, are told before the second search is asked") {
  const prefix_sums<int> cost{3, 1};
  int asked = 0;
  const auto second = [&](const auto& within) {
    ++asked;
    return stagecut::minimize_total(cost, 3, within);
  };
  CHECK_THROWS_AS((void)minimize_bottleneck_then(cost, 0, second), stagecut::argument_error);
  CHECK(minimize_bottleneck_then(cost, 3, second).why() ==
        stagecut::reason{stagecut::reason::cause::more_stages_than_layers, 3, 2});
  CHECK(asked == 0);
}

TEST_CASE("what is handed to the second search is hereditary where it can be") {
  const prefix_sums<int> cost{3, 1, 2, 2};
  const stagecut::at_speeds staged(cost, {1, 2});
  const stagecut::added_cuts added(cost, {{1, 1, 1, 1}, {{0, 1}}});
  int asked = 0;
  const auto hereditary = [&](auto expected) {
    return [&asked](const auto& within) {
      using type = std::remove_cvref_t<decltype(within)>;
      static_assert(stagecut::promises<type, stagecut::hereditary> == decltype(expected)::value);
      ++asked;
      return stagecut::outcome<stagecut::chain_partition<int>>();
    };
  };
  const auto permits = [](std::size_t, std::size_t, std::size_t) { return true; };
  models::generator random(1);
  const auto heirs = models::random_permits<stagecut::hereditary>(random, 4, 2);
  CHECK(!minimize_bottleneck_then(cost, 2, hereditary(std::true_type())));
  CHECK(!minimize_bottleneck_then(staged, 2, hereditary(std::true_type())));
  CHECK(!minimize_bottleneck_then(added, 2, hereditary(std::false_type())));
  CHECK(!minimize_bottleneck_then(cost, 2, hereditary(std::false_type()), permits));
  CHECK(!minimize_bottleneck_then(cost, 2, hereditary(std::true_type()), heirs));
  CHECK(asked >= 4);
}

TEST_CASE("a cost that is NaN gets an answer in the form of one") {
  const auto none =
      stagecut::monotone(4, [](std::size_t, std::size_t) { return std::numeric_limits<double>::quiet_NaN(); });
  const auto second = [&](const auto& within) { return stagecut::minimize_leximax(none, 2, within); };
  CHECK(minimize_bottleneck_then(none, 2, second).state() == stagecut::state::infeasible);
}
