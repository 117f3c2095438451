// SPDX-License-Identifier: BSL-1.0
// A concept that checks whether a function accepts an argument yields false, instead of an error inside the function.
#include <stagecut/stagecut.hpp>
#include <stagecut/testing/check_axioms.hpp>
#include <stagecut/testing/check_constraint.hpp>
#include <stagecut/testing/check_objective.hpp>
#include <stagecut/testing/counted.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace {

struct changes {
  [[nodiscard]] std::size_t size() const { return 3; }
  int operator()(std::size_t, std::size_t) { return ++calls; }
  int calls = 0;
};
struct changes_by_stage {
  [[nodiscard]] std::size_t size() const { return 3; }
  int operator()(std::size_t, std::size_t, std::size_t) { return 1; }
};
struct not_ordered {
  struct cost {};
  [[nodiscard]] std::size_t size() const { return 3; }
  cost operator()(std::size_t, std::size_t) const { return {}; }
};
using lambda = decltype([](std::size_t first, std::size_t last) { return last - first; });
using staged_lambda = decltype([](std::size_t, std::size_t first, std::size_t last) { return last - first; });
using sums = stagecut::prefix_sums<double>;

template <class... Types>
struct types {};
using wrong = types<std::vector<double>, const std::vector<int>, std::vector<std::string>, std::initializer_list<int>,
                    double[4], lambda, staged_lambda, changes, changes_by_stage, not_ordered, std::string, const char*,
                    int, double, void*, std::nullptr_t, stagecut::cuts, stagecut::axiom<3>>;

/// Whether `holds` is true of all of them.
template <class... Types>
constexpr bool all(types<Types...>, auto holds) {
  return (holds(std::type_identity<Types>()) && ...);
}

/// Whether `Function` is called with no wrong argument in front of `Rest`.
template <class Function, class... Rest>
constexpr bool refuses = all(wrong(), []<class Wrong>(std::type_identity<Wrong>) {
  return !std::invocable<const Function&, Wrong&, Rest...> && !std::invocable<const Function&, const Wrong&, Rest...>;
});
/// Whether it is not called with a cost, a number of stages, and then that.
template <class Function, class Wrong>
constexpr bool refuses_third = !std::invocable<const Function&, const sums&, int, const Wrong&>;

#define FUNCTION(name) decltype(stagecut::name)
using second = decltype([](const auto& within) { return stagecut::minimize_total(sums{1.0}, 1, within); });

// Each takes a sum, and nothing else that is here.
static_assert(std::invocable<FUNCTION(minimize_bottleneck), const sums&, int>);
static_assert(std::invocable<FUNCTION(minimize_bottleneck_then), const sums&, int, second>);
static_assert(std::invocable<FUNCTION(minimize_total), const sums&, int>);
static_assert(std::invocable<FUNCTION(minimize_total), const sums&>);
static_assert(std::invocable<FUNCTION(minimize_objective), const sums&, int, stagecut::total_cost>);
static_assert(std::invocable<FUNCTION(minimize_leximax), const sums&, int>);
static_assert(std::invocable<FUNCTION(minimize_range), const sums&, int>);
static_assert(std::invocable<FUNCTION(minimize_variance), const sums&, int>);
static_assert(std::invocable<FUNCTION(block_partition), const sums&, int>);
static_assert(std::invocable<FUNCTION(fewest_stages), const sums&, double>);

static_assert(refuses<FUNCTION(minimize_bottleneck), int>);
static_assert(refuses<FUNCTION(minimize_bottleneck), int, stagecut::empty_stages>);
static_assert(refuses<FUNCTION(minimize_bottleneck), int, stagecut::bottleneck_workspace<double>&>);
static_assert(refuses<FUNCTION(minimize_bottleneck_then), int, second>);
static_assert(refuses<FUNCTION(minimize_total), int> && refuses<FUNCTION(minimize_total)>);
static_assert(refuses<FUNCTION(minimize_total), stagecut::per_stage<double>>);
static_assert(refuses<FUNCTION(minimize_objective), int, stagecut::total_cost>);
static_assert(refuses<FUNCTION(minimize_leximax), int>);
static_assert(refuses<FUNCTION(minimize_leximax), int, stagecut::search_options>);
static_assert(refuses<FUNCTION(minimize_range), int>);
static_assert(refuses<FUNCTION(minimize_range), int, stagecut::search_options>);
static_assert(refuses<FUNCTION(minimize_variance), int>);
static_assert(refuses<FUNCTION(block_partition), int>);
static_assert(refuses<FUNCTION(fewest_stages), int>);
static_assert(refuses<FUNCTION(best_stages), int> && refuses<FUNCTION(best_stages), int, int>);
static_assert(refuses<FUNCTION(minimize_makespan), stagecut::makespan_request>);
static_assert(refuses<FUNCTION(simulate), stagecut::pass_times<double>>);

// No objective, no second search, no search for a number of stages; what is a constraint by its form is taken as one.
static_assert(all(wrong(), []<class Wrong>(std::type_identity<Wrong>) {
  return refuses_third<FUNCTION(minimize_total), Wrong> != stagecut::stage_constraint<Wrong> &&
         refuses_third<FUNCTION(minimize_objective), Wrong> && refuses_third<FUNCTION(minimize_bottleneck_then), Wrong> &&
         !std::invocable<FUNCTION(best_stages), int, int, Wrong> &&
         !std::invocable<FUNCTION(best_stages), int, int, Wrong, Wrong> &&
         !std::invocable<FUNCTION(simulate), const stagecut::schedule&, Wrong>;
}));
// An objective that is not isotone.
static_assert(!std::invocable<FUNCTION(minimize_objective), const sums&, int, stagecut::cost_range>);

// The concepts of costs, and what is made of costs.
template <class T>
concept priced = requires { typename stagecut::cost_t<T>; };
template <class T>
concept checked = requires(const T& cost) { stagecut::testing::check_axioms(cost); };
template <class T>
concept checked_by_stage = requires(const T& cost) { stagecut::testing::check_axioms(cost, 2U); };
template <class T>
concept constraint_checked = requires(const T& allowed) { stagecut::testing::check_constraint(allowed, 3U, 2U); };
template <class T>
concept objective_checked = requires(const T& goal) { stagecut::testing::check_objective(goal, std::vector<int>{1, 2}); };
template <class T>
concept kept_together = requires(const T& cost) { stagecut::at_most(cost, 1.0); };
template <class T>
concept sped = requires(const T& cost) { stagecut::at_speeds(cost, std::vector<double>{1.0}); };
template <class T>
concept summed = requires(const T& items) { stagecut::prefix_sums(items); };

static_assert(priced<sums> && checked<sums> && kept_together<sums> && sped<sums>);
static_assert(all(wrong(), []<class Wrong>(std::type_identity<Wrong>) {
  return !stagecut::interval_cost<Wrong> && !stagecut::staged_cost<Wrong> && !stagecut::stage_cost<Wrong> &&
         !stagecut::monotone_cost<Wrong> && !stagecut::additive_cost<Wrong> && !stagecut::separable_cost<Wrong> &&
         !stagecut::overlapped_cost<Wrong> && !stagecut::number_cost<Wrong> && !stagecut::invariant_number_cost<Wrong> &&
         !stagecut::pipeline_model<Wrong> && !stagecut::isotone_objective<Wrong, int> && !priced<Wrong> && !checked<Wrong> &&
         !checked_by_stage<Wrong> && !kept_together<Wrong> && !sped<Wrong> &&
         constraint_checked<Wrong> == stagecut::stage_constraint<Wrong> &&
         objective_checked<Wrong> == stagecut::objective<Wrong, int>;
}));
static_assert(summed<std::vector<double>> && !summed<std::vector<std::string>> && !summed<lambda> && !summed<int> &&
              !summed<void*> && !summed<changes>);

// An axiom makes a cost of a function only, and nothing promises what a cost and what an objective can.
static_assert(std::invocable<FUNCTION(monotone), int, lambda> && !std::invocable<FUNCTION(monotone), int, changes>);
static_assert(!std::invocable<FUNCTION(isotone), int, lambda> && !std::invocable<FUNCTION(hereditary), int, lambda>);
template <class A, class B>
concept go_together = requires(A a, B b) { a | b; };
static_assert(go_together<FUNCTION(monotone), FUNCTION(monge)> && go_together<FUNCTION(hereditary), FUNCTION(stage_invariant)>);
static_assert(!go_together<FUNCTION(monotone), FUNCTION(isotone)> && !go_together<FUNCTION(hereditary), FUNCTION(isotone)>);
static_assert(!go_together<FUNCTION(monotone), FUNCTION(hereditary)>);

}  // namespace

TEST_CASE("what is refused by a concept is not refused by an error: this file compiles") {
  CHECK(stagecut::minimize_bottleneck(sums{1.0, 2.0}, 2)->value == 2.0);
}
