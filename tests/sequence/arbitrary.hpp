// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <random>
#include <vector>

/// Any intervals at all, some of them forbidden.
struct arbitrary {
  std::size_t items;
  std::vector<bool> allowed;

  arbitrary(std::mt19937_64& random, std::size_t n, std::size_t k, unsigned per_cent) : items(n) {
    for (std::size_t i = 0; i < k * (n + 1) * (n + 1); ++i) allowed.push_back(random() % 100 < per_cent);
  }
  bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return allowed[(stage * (items + 1) + first) * (items + 1) + last];
  }
};
