// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/makespan/detail/expects_pipeline_model.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

namespace {

namespace detail = stagecut::detail;

struct changes {
  std::size_t size() const { return 2; }
  double forward(std::size_t, std::size_t) { return 1; }
  double backward(std::size_t, std::size_t) const { return 1; }
};
struct no_numbers {
  std::size_t size() const { return 2; }
  std::string forward(std::size_t, std::size_t) const { return "1"; }
  double backward(std::size_t, std::size_t) const { return 1; }
};
struct forward_only {
  std::size_t size() const { return 2; }
  double forward(std::size_t, std::size_t) const { return 1; }
};
struct whole {
  std::size_t size() const { return 2; }
  double forward(std::size_t, std::size_t) const { return 1; }
  double backward(std::size_t, std::size_t) const { return 1; }
};
using of_two = decltype([](std::size_t, std::size_t) { return true; });
using of_three = decltype([](std::size_t, std::size_t, std::size_t) { return true; });

/// How many of the mistakes it is taken for.
template <class T>
constexpr int mistakes = int{detail::cost_for_a_pipeline_model<T>} + int{detail::mutable_for_a_pipeline_model<T>} +
                         int{detail::no_pipeline_model<T>};
template <class Model, class... Allowed>
constexpr bool called = std::invocable<const stagecut::minimize_makespan_fn&, const Model&,
                                       const stagecut::makespan_request&, const Allowed&...>;

}  // namespace

static_assert(detail::cost_for_a_pipeline_model<std::vector<double>> && mistakes<std::vector<double>> == 1);
static_assert(detail::cost_for_a_pipeline_model<stagecut::prefix_sums<long>> && mistakes<stagecut::prefix_sums<long>> == 1);
static_assert(detail::mutable_for_a_pipeline_model<changes> && mistakes<changes> == 1);
static_assert(detail::mutable_for_a_pipeline_model<no_numbers> && mistakes<no_numbers> == 1);
static_assert(detail::no_pipeline_model<forward_only> && mistakes<forward_only> == 1);
static_assert(detail::no_pipeline_model<int> && mistakes<int> == 1 && mistakes<std::string> == 1 && mistakes<void*> == 1);
static_assert(mistakes<whole> == 0 && mistakes<stagecut::item_times> == 0);

// Checks by a concept yield false.
static_assert(called<whole> && called<whole, of_three> && !called<whole, of_two> && !called<whole, int>);
static_assert(!called<std::vector<double>> && !called<changes> && !called<forward_only> && !called<int>);
static_assert(!called<std::vector<double>, of_two> && !called<changes, of_three>);

TEST_CASE("what is a model is taken as one") { CHECK(whole{}.size() == 2); }
