// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/fit/detail/singular_values.hpp>
#include <stagecut/profile/dry_runs.hpp>

#include <Eigen/Core>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The parts of a rank's memory.
enum class memory_part { constant, parameters, activations, head, tail };

/// An unknown number of bytes that dry runs should determine.
struct memory_unknown {
  memory_part part = memory_part::constant;
  std::size_t choice = 0;  // for activations

  /// Its multiplicity on the rank.
  [[nodiscard]] double times(const rank_peak& of) const;
  [[nodiscard]] std::string name(view<const std::string> choices) const;
};

/// The unknowns of a model.
[[nodiscard]] STAGECUT_DECL std::vector<memory_unknown> memory_unknowns(std::size_t choices, bool constant, bool head,
                                                                        bool tail);

/// A row for every peak, a column for every unknown, and the factor by which each column was divided to have length 1.
struct memory_equations {
  Eigen::MatrixXd columns{};
  Eigen::VectorXd lengths{};  // 1 for a column of zeros
};

[[nodiscard]] STAGECUT_DECL memory_equations equations_of(view<const rank_peak> peaks,
                                                          view<const memory_unknown> unknowns);

/// The unknowns that equations do not determine: each group is minimal, and only sums of its members are known.
[[nodiscard]] STAGECUT_DECL std::vector<std::vector<memory_unknown>> undetermined_groups(
    const singular_values& of, view<const memory_unknown> unknowns);

/// `the constant and the parameters of a layer cannot be told apart`
[[nodiscard]] STAGECUT_DECL std::string undetermined_text(view<const memory_unknown> undetermined,
                                                          view<const std::string> choices);

/// All groups, and a remedy for each: `A and B cannot be distinguished: add RUN; C stand in no peak: add RUN`.
[[nodiscard]] STAGECUT_DECL std::string undetermined_text(const std::vector<std::vector<memory_unknown>>& groups,
                                                          view<const std::string> choices);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/fit/detail/memory_unknowns.ipp>
#endif
