// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/block_sums.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/testing/archetypes.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace {

struct staged {
  using axioms = stagecut::axioms<stagecut::monotone>;
  [[nodiscard]] std::size_t size() const { return 3; }
  float operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return static_cast<float>((stage + 1) * (last - first));
  }
};

struct unordered {};
struct no_order {
  using axioms = stagecut::axioms<stagecut::monotone>;
  [[nodiscard]] std::size_t size() const { return 3; }
  unordered operator()(std::size_t, std::size_t) const { return {}; }
};

struct no_promise {
  [[nodiscard]] std::size_t size() const { return 3; }
  int operator()(std::size_t, std::size_t) const { return 0; }
};

struct no_prefix {
  using axioms = stagecut::axioms<stagecut::monotone, stagecut::additive>;
  [[nodiscard]] std::size_t size() const { return 3; }
  int operator()(std::size_t, std::size_t) const { return 0; }
};

}  // namespace

static_assert(stagecut::staged_cost<staged> && !stagecut::interval_cost<staged>);
static_assert(std::is_same_v<stagecut::cost_t<staged>, float>);
static_assert(!stagecut::interval_cost<no_order>);
static_assert(stagecut::interval_cost<no_promise> && !stagecut::monotone_cost<no_promise>);
static_assert(stagecut::monotone_cost<no_prefix> && !stagecut::additive_cost<no_prefix>);
static_assert(!stagecut::interval_cost<std::vector<int>>);
static_assert(stagecut::additive_cost<stagecut::prefix_sums<double>>);
static_assert(stagecut::additive_cost<stagecut::block_sums<int>>);
static_assert(stagecut::monotone_cost<stagecut::testing::monotone_archetype>);
static_assert(!stagecut::additive_cost<stagecut::testing::monotone_archetype>);

TEST_CASE("a staged cost is priced with its stage") { CHECK(staged()(1, 0, 3) == 6); }
