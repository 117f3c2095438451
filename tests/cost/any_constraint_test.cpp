// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/parts/any_constraint.hpp>

#include <doctest/doctest.h>

#include <cstddef>

using stagecut::detail::any_constraint;

namespace {

// One that is hereditary, one that is not and knows nothing, one that knows what is hopeless.
struct few {
  using axioms = stagecut::axioms<stagecut::hereditary>;
  bool operator()(std::size_t, std::size_t first, std::size_t last) const { return last - first <= 3; }
};
struct even {
  bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return (last - first + stage) % 2 == 0;
  }
};
struct even_up_to_six : even {
  static bool hopeless(std::size_t, std::size_t first, std::size_t last) { return last - first > 6; }
};

/// Whether both say the same of all stages of ten items, also as algorithms ask.
template <class Constraint>
void check_same(const Constraint& constraint) {
  const any_constraint any(constraint);
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t first = 0; first < 10; ++first) {
      for (std::size_t last = first + 1; last <= 10; ++last) {
        const bool may = constraint(s, first, last);
        CHECK(any(s, first, last) == may);
        CHECK(stagecut::detail::hopeless(any, s, first, last, may) ==
              stagecut::detail::hopeless(constraint, s, first, last, may));
      }
    }
  }
}

}  // namespace

TEST_CASE("a constraint behind pointers says what the constraint says, and what is hopeless") {
  static_assert(stagecut::stage_constraint<any_constraint>);
  static_assert(!stagecut::promises<any_constraint, stagecut::hereditary>);
  check_same(few{});
  check_same(even{});
  check_same(even_up_to_six{});
  const few three;
  const even pairs;
  CHECK(stagecut::detail::hopeless(any_constraint(three), 0, 0, 4, false));
  CHECK_FALSE(stagecut::detail::hopeless(any_constraint(pairs), 0, 0, 3, false));
}
