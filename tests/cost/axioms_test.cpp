// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/axioms.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <cstddef>

namespace {

struct measured {
  using axioms = stagecut::axioms<stagecut::monotone, stagecut::monge>;
};
struct silent {};
struct theirs {};

}  // namespace

template <>
inline constexpr auto stagecut::enable_axioms<theirs> = stagecut::right_monotone | stagecut::inverse_monge;

static_assert(stagecut::promises<measured, stagecut::monotone>);
static_assert(stagecut::promises<measured, stagecut::left_monotone>);
static_assert(stagecut::promises<measured, stagecut::monge>);
static_assert(!stagecut::promises<measured, stagecut::inverse_monge>);
static_assert(!stagecut::promises<measured, stagecut::additive>);
static_assert(!stagecut::promises<silent, stagecut::right_monotone>);
static_assert(stagecut::promises<theirs, stagecut::right_monotone>);
static_assert(!stagecut::promises<theirs, stagecut::monotone>);

// What follows from being additive, and what does not.
struct summed {
  using axioms = stagecut::axioms<stagecut::additive>;
};
static_assert(stagecut::promises<summed, stagecut::right_monotone> && stagecut::promises<summed, stagecut::left_monotone>);
static_assert(stagecut::promises<summed, stagecut::monge> && stagecut::promises<summed, stagecut::inverse_monge>);
static_assert(stagecut::promises<summed, stagecut::stage_invariant>);
static_assert(!stagecut::promises<summed, stagecut::separable> && !stagecut::promises<summed, stagecut::hereditary>);
static_assert(!stagecut::promises<summed, stagecut::isotone>);
static_assert(std::same_as<stagecut::axioms<stagecut::additive>,
                           stagecut::axioms<stagecut::monotone, stagecut::additive, stagecut::monge,
                                            stagecut::inverse_monge, stagecut::stage_invariant>>);
// All of these together are less than additive: there need be no prefixes.
static_assert(!stagecut::promises<stagecut::function_cost<int, (stagecut::monotone | stagecut::monge | stagecut::inverse_monge |
                                                                stagecut::stage_invariant)
                                                                   .bits>,
                                  stagecut::additive>);

// Promises of one kind go together, whatever they are; of two kinds, none does.
static_assert(stagecut::axioms_of_a_cost<(stagecut::additive | stagecut::separable).bits>);
static_assert(!stagecut::axioms_of_a_cost<stagecut::hereditary.bits> && !stagecut::axioms_of_a_cost<stagecut::isotone.bits>);
static_assert(stagecut::axioms_of_one_kind<stagecut::strictly_isotone.bits>);
static_assert(stagecut::axioms_of_one_kind<stagecut::hereditary.bits | stagecut::stage_invariant.bits>);
static_assert(!stagecut::axioms_of_one_kind<stagecut::monotone.bits | stagecut::isotone.bits>);
static_assert(!stagecut::axioms_of_one_kind<stagecut::hereditary.bits | stagecut::isotone.bits>);
static_assert(!stagecut::axioms_of_one_kind<stagecut::stage_invariant.bits | stagecut::isotone.bits>);
static_assert(!stagecut::axioms_of_one_kind<stagecut::monotone.bits | stagecut::hereditary.bits>);

TEST_CASE("an axiom makes a model of a function") {
  const auto cost = stagecut::monotone(5, [](std::size_t first, std::size_t last) { return last - first; });
  CHECK(cost.size() == 5);
  CHECK(cost(1, 4) == 3);
  CHECK(stagecut::promises<decltype(cost), stagecut::monotone>);

  const auto both = (stagecut::monotone | stagecut::monge)(2, [](std::size_t, std::size_t) { return 0; });
  CHECK(stagecut::promises<decltype(both), stagecut::monge>);
  CHECK(stagecut::promises<decltype(both), stagecut::right_monotone>);
}
