// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/outcome.hpp>
#include <stagecut/search/constrained_cost.hpp>
#include <stagecut/testing/check_constraint.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>

using stagecut::testing::check_constraint;

namespace {

/// At most two items; but for a lie.
struct narrow {
  using axioms = stagecut::axioms<stagecut::hereditary>;
  bool lie = false;
  bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return last - first <= 2 || (lie && stage == 1 && first == 2 && last == 6);
  }
};

/// Never the same of two stages; or so it says.
struct of_stages {
  using axioms = stagecut::axioms<stagecut::stage_invariant>;
  std::size_t other;
  bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return last - first == (stage == other ? 3U : 2U);
  }
};

/// Exactly two items, which it gives up as soon as there are `wide`.
struct two {
  std::size_t wide;
  bool operator()(std::size_t, std::size_t first, std::size_t last) const { return last - first == 2; }
  [[nodiscard]] bool hopeless(std::size_t, std::size_t first, std::size_t last) const { return last - first >= wide; }
};

/// Exactly two items; nothing fits unless there are `needed` stages or more.
struct pairs {
  std::size_t needed;
  bool operator()(std::size_t, std::size_t first, std::size_t last) const { return last - first == 2; }
  [[nodiscard]] std::optional<stagecut::reason> obstacle(std::size_t, std::size_t stages) const {
    if (stages >= needed) return std::nullopt;
    return stagecut::reason{stagecut::reason::cause::constraint};
  }
};

}  // namespace

TEST_CASE("honest constraints pass") {
  CHECK(check_constraint(narrow{}, 8, 3));
  CHECK(check_constraint(of_stages{9}, 8, 3));
  CHECK(check_constraint(two{3}, 8, 3));
  CHECK(check_constraint(pairs{4}, 8, 5));
  CHECK(
      check_constraint([](std::size_t, std::size_t first, std::size_t last) { return (last - first) % 2 == 1; }, 8, 3));
  CHECK(check_constraint(narrow{}, 0, 1));
  CHECK(check_constraint(narrow{}, 100'000, 3, 1000).checks > 1000);
}

TEST_CASE("each lie is found where it is told") {
  CHECK(check_constraint(narrow{true}, 8, 1));
  CHECK(check_constraint(narrow{true}, 8, 3).text() == "hereditary does not hold at [2, 6) and [3, 6), stage 1");
  CHECK(check_constraint(of_stages{2}, 8, 3).broken == "stage_invariant");
  CHECK(check_constraint(of_stages{2}, 8, 3).stage == 2);
  CHECK(check_constraint(two{1}, 8, 3).text() == "hopeless does not hold at [0, 1) and [0, 2), stage 0");
  CHECK(check_constraint(pairs{5}, 8, 5).text() == "obstacle does not hold at [0, 8) and [0, 8), stage 3");
  int asked = 0;
  CHECK(check_constraint([&asked](std::size_t, std::size_t, std::size_t) { return ++asked % 2 == 0; }, 8, 1).broken ==
        "pure");
}
