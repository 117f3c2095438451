// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/axioms.hpp>

#include <doctest/doctest.h>

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

TEST_CASE("an axiom makes a model of a function") {
  const auto cost = stagecut::monotone(5, [](std::size_t first, std::size_t last) { return last - first; });
  CHECK(cost.size() == 5);
  CHECK(cost(1, 4) == 3);
  CHECK(stagecut::promises<decltype(cost), stagecut::monotone>);

  const auto both = (stagecut::monotone | stagecut::monge)(2, [](std::size_t, std::size_t) { return 0; });
  CHECK(stagecut::promises<decltype(both), stagecut::monge>);
  CHECK(stagecut::promises<decltype(both), stagecut::right_monotone>);
}
