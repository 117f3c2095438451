// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/placed.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

#include "../core/copied_arrays.hpp"

/// What a constraint says of every interval of a chain, as each of some stages.
template <class Constraint>
std::vector<bool> every_answer(const Constraint& allowed, std::size_t items, std::size_t stages) {
  std::vector<bool> answers;
  for (std::size_t s = 0; s < stages; ++s) {
    for (std::size_t first = 0; first <= items; ++first) {
      for (std::size_t last = first; last <= items; ++last) answers.push_back(allowed(s, first, last));
    }
  }
  return answers;
}

/// Whether it says the same when it is placed and all that made it is gone: `make()` returns a pointer to what owns it, with
/// a member `constraint`.
template <class Make>
bool says_the_same_placed(const Make& make, std::size_t items, std::size_t stages) {
  auto owner = make();
  copied_arrays memory;
  const auto placed = stagecut::detail::placed(owner->constraint, memory);
  static_assert(std::is_trivially_copyable_v<decltype(placed)>);
  const auto expected = every_answer(owner->constraint, items, stages);
  owner.reset();
  return every_answer(placed, items, stages) == expected;
}
