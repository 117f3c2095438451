// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/forbidden_cuts.hpp>

#include <doctest/doctest.h>

#include <memory>

#include "placed_answers.hpp"

namespace {

struct narrow {
  using axioms = stagecut::axioms<stagecut::hereditary>;
  bool operator()(std::size_t, std::size_t first, std::size_t last) const { return last - first <= 2; }
};

struct told {
  bool operator()(std::size_t, std::size_t first, std::size_t last) const { return last - first == 2; }
  [[nodiscard]] static bool hopeless(std::size_t, std::size_t first, std::size_t last) { return last - first > 2; }
};

constexpr auto silent = [](std::size_t, std::size_t first, std::size_t last) { return last - first == 2; };

static_assert(stagecut::stage_constraint<narrow>);
static_assert(stagecut::stage_constraint<told>);
static_assert(stagecut::stage_constraint<decltype(silent)>);
static_assert(!stagecut::stage_constraint<int>);

}  // namespace

TEST_CASE("what is forbidden for good is known by promise, by being told, or not") {
  CHECK(stagecut::detail::hopeless(narrow{}, 0, 0, 3, false));
  CHECK_FALSE(stagecut::detail::hopeless(narrow{}, 0, 0, 2, true));
  CHECK(stagecut::detail::hopeless(told{}, 0, 0, 3, false));
  CHECK_FALSE(stagecut::detail::hopeless(told{}, 0, 0, 1, false));
  CHECK_FALSE(stagecut::detail::hopeless(silent, 0, 0, 3, false));
}

TEST_CASE("a reference says what the constraint says") {
  const narrow hereditary{};
  const stagecut::detail::constraint_ref same(hereditary);
  CHECK(stagecut::promises<decltype(same), stagecut::hereditary> == stagecut::promises<narrow, stagecut::hereditary>);
  const told telling{};
  const stagecut::detail::constraint_ref other(telling);
  for (std::size_t last = 1; last < 5; ++last) {
    CHECK(same(0, 0, last) == hereditary(0, 0, last));
    CHECK(other(0, 0, last) == telling(0, 0, last));
    CHECK(other.hopeless(0, 0, last) == (last > 2));
  }
}

TEST_CASE("without a constraint every stage may be") {
  using stagecut::detail::no_constraint;
  CHECK(no_constraint{}(3, 0, 100));
  static_assert(stagecut::promises<no_constraint, stagecut::hereditary>);
  static_assert(stagecut::promises<no_constraint, stagecut::stage_invariant>);
}

TEST_CASE("placed a reference is what it refers to") {
  struct owner {
    stagecut::forbidden_cuts uncut{5, {2, 3}};
    stagecut::detail::constraint_ref<stagecut::forbidden_cuts> constraint{uncut};
  };
  CHECK(says_the_same_placed([] { return std::make_unique<owner>(); }, 5, 1));
  copied_arrays memory;
  CHECK(stagecut::detail::placed(stagecut::detail::no_constraint{}, memory)(0, 1, 2));
}
