// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/parts/expects_cost.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/testing/archetypes.hpp>

#include <doctest/doctest.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

namespace {

namespace detail = stagecut::detail;

struct changes {
  [[nodiscard]] std::size_t size() const { return 1; }
  int operator()(std::size_t, std::size_t) { return 0; }
};
struct changes_by_stage {
  [[nodiscard]] std::size_t size() const { return 1; }
  int operator()(std::size_t, std::size_t, std::size_t) { return 0; }
};
struct both : std::vector<double> {  // numbers that are a cost as well
  double operator()(std::size_t first, std::size_t last) const { return static_cast<double>(last - first); }
};
using function = decltype([](std::size_t first, std::size_t last) { return last - first; });
using by_stage = decltype([](std::size_t, std::size_t first, std::size_t last) { return last - first; });
using counting = decltype([n = 0](std::size_t, std::size_t) mutable { return ++n; });

/// How many of the mistakes it is taken for.
template <class T>
constexpr int mistakes = int{detail::numbers_for_a_cost<T>} + int{detail::function_for_a_cost<T>} +
                         int{detail::mutable_for_a_cost<T>} + int{detail::no_cost<T>};
template <class T>
constexpr bool one_mistake = mistakes<T> == 1;

}  // namespace

static_assert(detail::numbers_for_a_cost<std::vector<double>> && one_mistake<std::vector<double>>);
static_assert(detail::numbers_for_a_cost<std::array<int, 3>> && one_mistake<std::array<int, 3>>);
static_assert(detail::function_for_a_cost<function> && one_mistake<function>);
static_assert(detail::mutable_for_a_cost<changes> && one_mistake<changes>);
static_assert(detail::mutable_for_a_cost<changes_by_stage> && one_mistake<changes_by_stage>);
static_assert(detail::mutable_for_a_cost<counting> && one_mistake<counting>);
static_assert(detail::no_cost<by_stage> && one_mistake<by_stage>);
static_assert(detail::no_cost<int> && one_mistake<int> && detail::no_cost<void*> && one_mistake<void*>);
static_assert(detail::no_cost<std::vector<std::string>> && one_mistake<std::vector<std::string>>);

// What is a cost is no mistake, whatever else it is.
static_assert(mistakes<stagecut::prefix_sums<double>> == 0 && mistakes<both> == 0);
static_assert(mistakes<stagecut::testing::monotone_archetype> == 0 &&
              mistakes<stagecut::testing::staged_archetype<>> == 0);
static_assert(!std::invocable<const detail::expects_cost&, std::vector<double>, int>);
static_assert(!std::invocable<const detail::expects_cost&, stagecut::prefix_sums<double>, int>);

// A function is no constraint unless it is asked for the stage, and what is one by its form is none of the mistakes.
static_assert(detail::function_for_a_constraint<function> && !detail::function_for_a_constraint<by_stage>);
static_assert(!detail::function_for_a_constraint<decltype([](auto...) { return true; })>);
static_assert(!detail::function_for_a_constraint<int> && !detail::function_for_a_constraint<counting>);

// What stands for a cost that was not given is one, for all that is made of costs.
static_assert(stagecut::additive_cost<detail::give_a_cost_as_prefix_sums_or_monotone_n_f>);
static_assert(stagecut::additive_cost<detail::give_an_additive_cost_as_prefix_sums>);
static_assert(stagecut::additive_cost<detail::give_a_monotone_cost_as_prefix_sums_or_monotone_n_f>);

TEST_CASE("numbers that are a cost are one") {
  both cost;
  cost.resize(3);
  CHECK(stagecut::interval_cost<both>);
  CHECK(cost(0, cost.size()) == 3);
}
