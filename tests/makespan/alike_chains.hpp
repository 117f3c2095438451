// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "random_chains.hpp"

namespace chains {

/// A chain like a transformer: all items alike but the first and the last, with a limit of memory in two of three.
[[nodiscard]] inline chain alike_chain(dice& random, const schedule& order, std::size_t most_items) {
  const std::size_t n = random.from(order.stages(), std::max(order.stages(), most_items));
  std::vector<double> lists[6];
  const auto list = [&](std::vector<double>& to, std::size_t most) {
    to.assign(n, static_cast<double>(random.from(1, most)));
    to.front() = static_cast<double>(random.below(2 * most));
    to.back() = static_cast<double>(random.below(3 * most));
  };
  list(lists[0], 40);
  for (const double each : lists[0]) lists[1].push_back(2 * each);
  for (std::size_t i = 0; i < n && splits(order); ++i) lists[2].push_back(lists[0][i]);
  list(lists[4], 9);
  list(lists[5], 5);
  chain result{layers(lists[0], lists[1], lists[2], {}, lists[4], lists[5]), {}, {}, {}};
  result.request.schedule = order;
  result.request.search.time_limit.reset();
  if (order.slices == 1 && !random.once_in(3)) {
    const auto average = static_cast<std::size_t>(result.model.memory(0, 0, n, 1 + order.microbatches / 3));
    result.request.memory_limit = static_cast<double>(random.from(average / order.ranks(), 2 * average + 1));
  }
  return result;
}

}  // namespace chains
