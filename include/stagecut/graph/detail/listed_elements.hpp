// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Of every stage a list of some of its elements, in no order.
class listed_elements {
 public:
  listed_elements(std::size_t stages, std::size_t elements) : rows_(stages), place_(elements, nowhere) {}

  [[nodiscard]] const std::vector<std::uint32_t>& operator[](std::size_t s) const noexcept { return rows_[s]; }

  /// Puts an element on the list of its stage, or takes it off.
  void set(std::size_t e, std::size_t stage, bool is_listed) {
    if (is_listed == (place_[e] != nowhere)) return;
    std::vector<std::uint32_t>& row = rows_[stage];
    if (is_listed) {
      place_[e] = static_cast<std::uint32_t>(row.size());
      row.push_back(static_cast<std::uint32_t>(e));
      return;
    }
    place_[row.back()] = place_[e];
    row[place_[e]] = row.back();
    row.pop_back();
    place_[e] = nowhere;
  }

 private:
  static constexpr auto nowhere = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::vector<std::uint32_t>> rows_;
  std::vector<std::uint32_t> place_;  // in the row
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
