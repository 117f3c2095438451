// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/path_rows.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/engine/tick_rows.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL std::size_t path_rows::add(const std::vector<double>& counts) {
  for (std::size_t k = counts_.size(); k-- > 0;) {
    if (counts_[k] == counts) return k;
  }
  double constant = 0;
  for (std::size_t s = 0; s < stages_; ++s)
    constant += counts[s * engine::tick_kinds + engine::tick_message] * messages_[s];
  counts_.push_back(counts);
  constants_.push_back(constant);
  return counts_.size() - 1;
}

STAGECUT_DECL double path_rows::length(std::size_t row, const std::vector<double>& times) const {
  double sum = 0;
  for (std::size_t j = 0; j < times.size(); ++j) sum += counts_[row][j] * times[j];
  return sum;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
