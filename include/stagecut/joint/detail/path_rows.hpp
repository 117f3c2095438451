// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>

#include <cstddef>
#include <vector>

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
  std::size_t add(const std::vector<double>& counts);

  /// Its length for these durations.
  [[nodiscard]] double length(std::size_t row, const std::vector<double>& times) const;

 private:
  std::size_t stages_;
  std::vector<double> messages_;
  std::vector<std::vector<double>> counts_{};
  std::vector<double> constants_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/path_rows.ipp>
#endif
