// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/program_matrix.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/joint/detail/option_columns.hpp>
#include <stagecut/joint/detail/option_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void program_matrix::take(const option_paths::live_options& live) {
  live_ = &live;
  columns_.take(live);
}

STAGECUT_DECL double program_matrix::cost(const program_variable& each) const {
  using kind = program_variable::kind;
  if (each.what == kind::path) return 1;
  if (each.what == kind::slack) return 0;
  return each.what == kind::option && (*live_)[each.rank][each.option] != 0 ? 0 : penalty;
}

STAGECUT_DECL double program_matrix::entry(const program_variable& each, std::uint32_t path) const {
  if (each.what == program_variable::kind::path) return 1;
  if (each.what != program_variable::kind::option) return 0;
  return -columns_.weigh(each.rank, each.option, paths_.counts(path)) / scale_;
}

STAGECUT_DECL void program_matrix::column(const program_variable& each, std::vector<double>& to) const {
  using kind = program_variable::kind;
  to.assign(fixed() + rows.size(), 0);
  if (each.what == kind::slack) to[each.rank] = -1;
  if (each.what == kind::artificial) to[each.rank] = 1;
  if (each.what == kind::option) columns_.column(each.rank, each.option, to);
  if (each.what == kind::slack || each.what == kind::artificial) return;
  for (std::size_t k = 0; k < rows.size(); ++k) to[fixed() + k] = entry(each, rows[k]);
}

STAGECUT_DECL void program_matrix::price(const double* multipliers,
                                         std::vector<double> option_columns::of_rank::*result) {
  weights_.assign(weights_.size(), 0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double by = multipliers[fixed() + k] / scale_;
    if (by == 0) continue;
    const std::vector<double>& counts = paths_.counts(rows[k]);
    for (std::size_t j = 0; j < weights_.size(); ++j) weights_[j] -= by * counts[j];
  }
  columns_.price(multipliers, weights_, result);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
