// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

// Pipeline models of two items.
namespace small {

/// Knows no more than it has to.
struct least {
  [[nodiscard]] std::size_t size() const { return 2; }
  [[nodiscard]] double forward(std::size_t, std::size_t) const { return 1; }
  [[nodiscard]] int backward(std::size_t, std::size_t) const { return 2; }
};

/// Knows memory, too.
struct heavy : least {
  [[nodiscard]] double memory(std::size_t, std::size_t, std::size_t, std::size_t held) const {
    return static_cast<double>(held);
  }
};

}  // namespace small
