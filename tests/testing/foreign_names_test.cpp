// SPDX-License-Identifier: BSL-1.0
// The user's functions with names of the library's, next to the user's types: they are not called.
#include <stagecut/stagecut.hpp>
#include <stagecut/testing/archetypes.hpp>
#include <stagecut/testing/check_axioms.hpp>
#include <stagecut/testing/check_constraint.hpp>
#include <stagecut/testing/check_objective.hpp>
#include <stagecut/testing/check_pipeline_model.hpp>
#include <stagecut/testing/counted.hpp>

#include <doctest/doctest.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "../foreign_names.hpp"

namespace clean {
#include "foreign_types.hpp"
}  // namespace clean

namespace greedy {
#include "foreign_types.hpp"

/// What cannot be a value: a call that comes here does not compile.
struct unusable {
  unusable() = delete;
  ~unusable() = delete;
};
#define STAGECUT_TAKEN(name)   \
  template <class... Anything> \
  unusable name(Anything&&...);
STAGECUT_FOREIGN_NAMES(STAGECUT_TAKEN)
STAGECUT_TAKEN(move)
STAGECUT_TAKEN(forward)
STAGECUT_TAKEN(exchange)
STAGECUT_TAKEN(addressof)
STAGECUT_TAKEN(begin)
STAGECUT_TAKEN(end)
STAGECUT_TAKEN(size)
STAGECUT_TAKEN(data)
STAGECUT_TAKEN(empty)
STAGECUT_TAKEN(get)
#undef STAGECUT_TAKEN
template <class T>
unusable operator&(T&&);
template <class A, class B>
unusable operator,(A&&, B&&);

// Of the very form of the library's, and so preferred to them, or ambiguous.
template <class T>
unusable price(const T&, std::size_t, std::size_t, std::size_t);
unusable price(const staged&, std::size_t, std::size_t, std::size_t);
template <class T>
unusable hopeless(const T&, std::size_t, std::size_t, std::size_t, bool);
template <class T>
unusable lower_to(T&, T);
template <class Chain, class Cost, class Where>
unusable probe(const Chain&, const Cost&, Cost, Cost, Where&);
template <class T>
unusable total_of(const T&, const std::vector<std::size_t>&);
template <class T>
unusable separable_end(const T&, std::size_t, std::size_t);
template <class T>
unusable separable_begin(const T&, std::size_t, std::size_t);
template <class T>
unusable reachable_cuts(const T&, std::size_t, std::size_t);
template <class Price, class Rule>
unusable total_program(const Price&, const Rule&, std::size_t, std::size_t);
}  // namespace greedy

namespace {

using stagecut::empty_stages;

/// The cut points of all answers, one behind the other.
struct answers {
  std::vector<std::size_t> points{};

  template <class Outcome>
  void take(const Outcome& outcome) {
    REQUIRE(outcome);
    const auto all = outcome->cuts.points();
    points.insert(points.end(), all.begin(), all.end());
  }
};

/// All that can be asked of any cost.
template <class Cost, class Rule>
void ask_any(answers& all, const Cost& cost, const Rule& allowed) {
  all.take(stagecut::minimize_bottleneck(cost, 3, allowed));
  all.take(stagecut::minimize_bottleneck(cost, 3, allowed, empty_stages::allowed));
  all.take(stagecut::minimize_leximax(cost, 3, allowed));
  all.take(stagecut::minimize_objective(cost, 3, stagecut::bottleneck{}, allowed));
  const auto second = [&](const auto& within) {
    return stagecut::minimize_objective(cost, 3, stagecut::leximax{}, within);
  };
  all.points.push_back(stagecut::minimize_bottleneck_then(cost, 3, second, allowed)->best.cuts[1]);
  if constexpr (stagecut::number_cost<Cost>) all.take(stagecut::minimize_total(cost, 3, allowed));
  if constexpr (stagecut::interval_cost<Cost>) all.take(stagecut::fewest_stages(cost, cost(0, 5), allowed));
}

template <class Cost, class Narrow, class Odd>
void ask(answers& all, const Cost& cost, const Narrow& narrow, const Odd& odd) {
  all.take(stagecut::minimize_bottleneck(cost, 3));
  all.take(stagecut::minimize_bottleneck(cost, 3, empty_stages::allowed));
  ask_any(all, cost, narrow);
  ask_any(all, cost, odd);
  all.take(stagecut::minimize_bottleneck(
      cost, 3, stagecut::all_of(narrow, stagecut::at_most(cost, stagecut::detail::price(cost, 0, 0, 8)))));
  all.take(stagecut::minimize_bottleneck(stagecut::merged_items(cost, stagecut::cuts{0, 2, 3, 5, 8}), 3));
  if constexpr (stagecut::number_cost<Cost>) {
    all.take(stagecut::minimize_total(cost, 3));
    all.take(stagecut::minimize_bottleneck(stagecut::at_speeds(cost, {1, 2, 1}), 3));
  }
  if constexpr (stagecut::invariant_number_cost<Cost>) {
    all.take(stagecut::minimize_total(cost, stagecut::per_stage{2}));
    all.take(stagecut::minimize_total(cost, stagecut::per_stage{2}, odd));
  }
  if constexpr (stagecut::additive_cost<Cost>) {
    all.take(stagecut::block_partition(cost, 3));
    all.take(stagecut::minimize_range(cost, 3));
    all.take(stagecut::minimize_range(cost, 3, odd));
    all.take(stagecut::minimize_range(cost, 3, stagecut::at_most(cost, cost(0, 8))));
    all.take(stagecut::minimize_variance(cost, 3));
    all.take(stagecut::minimize_variance(cost, 3, odd));
  }
  const auto solve = [&](std::size_t k) { return stagecut::minimize_bottleneck(cost, k); };
  const auto value = [](std::size_t, const auto& answer) { return answer.value; };
  all.points.push_back(stagecut::best_stages(1, 3, solve, value)->stages);
  if constexpr (stagecut::interval_cost<Cost>) {
    CHECK(stagecut::testing::check_axioms(cost));
    CHECK(stagecut::testing::check_axioms(stagecut::testing::counted(cost)));
  } else {
    CHECK(stagecut::testing::check_axioms(cost, 3));
  }
}

#define STAGECUT_ASK_ALL(user)                                                                            \
  [] {                                                                                                    \
    answers all;                                                                                          \
    const user::at_most_four narrow;                                                                      \
    const user::odd odd;                                                                                  \
    ask(all, user::staged{}, narrow, odd);                                                                \
    ask(all, user::promising<stagecut::monotone>{}, narrow, odd);                                         \
    ask(all, user::promising<stagecut::right_monotone>{}, narrow, odd);                                   \
    ask(all, user::interval{}, narrow, odd);                                                              \
    ask(all, user::compared{}, narrow, odd);                                                              \
    ask(all, user::summed{}, narrow, odd);                                                                \
    ask(all, user::concave{}, narrow, odd);                                                               \
    ask(all, user::apart{}, narrow, odd);                                                                 \
    ask(all, user::speaking{}, narrow, odd);                                                              \
    all.take(stagecut::minimize_objective(user::compared{}, 3, user::most{}));                            \
    all.take(stagecut::minimize_objective(user::staged{}, 3, user::most{}, odd));                         \
    const stagecut::prefix_sums<double> sums{9.0, 2.0, 3.0, 1.0, 2.0, 3.0, 1.0, 2.0};                     \
    all.take(stagecut::minimize_total(stagecut::convex_of(sums, user::squared{}), 3));                    \
    all.take(stagecut::minimize_makespan(user::pipeline{}, request(), odd));                              \
    all.take(stagecut::minimize_makespan(stagecut::with_speeds(user::pipeline{}, {1, 2, 1}), request())); \
    all.take(stagecut::minimize_makespan(stagecut::with_stage_times(user::pipeline{}, {{1}}), request())); \
    CHECK(stagecut::testing::check_pipeline_model(user::pipeline{}, 3));                                  \
    CHECK(stagecut::testing::check_constraint(narrow, 8, 3));                                             \
    CHECK(stagecut::testing::check_constraint(odd, 8, 3));                                                \
    CHECK(stagecut::testing::check_objective(user::most{}, std::vector<user::amount>{{1}, {3}, {2}}));    \
    return all.points;                                                                                    \
  }()

stagecut::makespan_request request() {
  stagecut::makespan_request result;
  result.schedule = stagecut::zb_h1(3, 6);
  result.links = {{0.5, 2}};
  result.memory_limit = 100;
  result.search.time_limit.reset();
  return result;
}

}  // namespace

TEST_CASE("functions of the user's beside his types change nothing") {
  const auto expected = STAGECUT_ASK_ALL(clean);
  CHECK(expected.size() > 300);
  CHECK(STAGECUT_ASK_ALL(greedy) == expected);
}

TEST_CASE("the first item alone is heavy, whatever a function `price` says") {
  const auto best = stagecut::minimize_bottleneck(greedy::staged{}, 2);
  REQUIRE(best);
  CHECK(best->value == 13);
  CHECK(best->bound == stagecut::minimize_bottleneck(clean::staged{}, 2)->value);
}
