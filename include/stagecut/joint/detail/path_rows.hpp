// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/makespan/detail/tick_rows.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Critical paths of plans that were simulated, mixed or not. No plan is shorter than its sum over any of them, and none
/// than its sum over any mean of them: docs/recomputation.md, "Bounds".
class path_rows {
 public:
  /// @param messages  behind every stage, the same in all plans
  path_rows(std::size_t stages, std::vector<double> messages) : stages_(stages), messages_(std::move(messages)) {}

  [[nodiscard]] std::size_t size() const noexcept { return counts_.size(); }
  /// How often the path passes through each stage and kind: `[stage * tick_kinds + kind]`.
  [[nodiscard]] const std::vector<double>& counts(std::size_t row) const noexcept { return counts_[row]; }
  /// What messages add to it.
  [[nodiscard]] double constant(std::size_t row) const noexcept { return constants_[row]; }

  /// The row of a path, which is added if it is new.
  std::size_t add(const std::vector<double>& counts) {
    for (std::size_t k = counts_.size(); k-- > 0;) {
      if (counts_[k] == counts) return k;
    }
    double constant = 0;
    for (std::size_t s = 0; s < stages_; ++s) constant += counts[s * tick_kinds + tick_message] * messages_[s];
    counts_.push_back(counts);
    constants_.push_back(constant);
    return counts_.size() - 1;
  }

  /// Its length for these durations.
  [[nodiscard]] double length(std::size_t row, const std::vector<double>& times) const {
    double sum = 0;
    for (std::size_t j = 0; j < times.size(); ++j) sum += counts_[row][j] * times[j];
    return sum;
  }

 private:
  std::size_t stages_;
  std::vector<double> messages_;
  std::vector<std::vector<double>> counts_{};
  std::vector<double> constants_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
