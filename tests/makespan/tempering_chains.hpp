// SPDX-License-Identifier: BSL-1.0
#pragma once

#include "random_chains.hpp"

#include <cstddef>

// Chains on which tempering is tried.
namespace chains {

/// A chain with two stages or more.
[[nodiscard]] inline chain some_chain(dice& random, std::size_t most_items, const ingredients& with = {}) {
  for (;;) {
    const auto order = random_order(random, any_kind(random), {most_items, 4, 8});
    if (order.stages() > 1) return random_chain(random, order, most_items, with);
  }
}

/// A chain of many items whose cuts are not enumerated, and its first cut.
/// @{
[[nodiscard]] inline chain long_chain(dice& random) {
  for (;;) {
    const auto order = random_order(random, any_kind(random), {16, 4, 8});
    if (order.stages() < 4) continue;
    chain of = random_chain(random, order, 60, {true, true, false, false});
    if (of.model.size() > 40) return of;
  }
}
[[nodiscard]] inline points first_cut(const chain& of) {
  points result;
  for (std::size_t s = 0; s < of.request.schedule.stages(); ++s) result.push_back(s);
  result.push_back(of.model.size());
  return result;
}
/// @}

}  // namespace chains
