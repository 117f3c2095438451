// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The latest message on every link from one rank to another, by its task; 0: none yet.
class link_fronts {
 public:
  explicit link_fronts(std::size_t ranks) : links_(ranks) {}

  /// O(links of the sending rank), which are few.
  [[nodiscard]] std::uint32_t& at(std::size_t from, std::size_t to) {
    for (link& each : links_[from]) {
      if (each.to == to) return each.front;
    }
    return links_[from].emplace_back(link{to, 0}).front;
  }

 private:
  struct link {
    std::size_t to = 0;
    std::uint32_t front = 0;
  };
  std::vector<std::vector<link>> links_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
