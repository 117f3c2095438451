// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/option_program.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/engine/simplex.hpp>
#include <stagecut/joint/detail/option_columns.hpp>
#include <stagecut/joint/detail/option_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void program_matrix::take(const option_paths::live_options& live) {
  live_ = &live;
  columns_.take(live);
}

STAGECUT_DECL double program_matrix::cost(const engine::program_variable& each) const {
  using kind = engine::program_variable::kind;
  if (each.what == kind::objective) return 1;
  if (each.what == kind::slack) return 0;
  return each.what == kind::column && (*live_)[each.block][each.column] != 0 ? 0 : penalty;
}

STAGECUT_DECL double program_matrix::entry(const engine::program_variable& each, std::uint32_t path) const {
  if (each.what == engine::program_variable::kind::objective) return 1;
  if (each.what != engine::program_variable::kind::column) return 0;
  return -columns_.weigh(each.block, each.column, paths_.counts(path)) / scale_;
}

STAGECUT_DECL void program_matrix::column(const engine::program_variable& each, std::vector<double>& to) const {
  using kind = engine::program_variable::kind;
  to.assign(fixed() + rows.size(), 0);
  if (each.what == kind::slack) to[each.block] = -1;
  if (each.what == kind::artificial) to[each.block] = 1;
  if (each.what == kind::column) columns_.column(each.block, each.column, to);
  if (each.what == kind::slack || each.what == kind::artificial) return;
  for (std::size_t k = 0; k < rows.size(); ++k) to[fixed() + k] = entry(each, rows[k]);
}

STAGECUT_DECL void program_matrix::price(const double* multipliers, std::vector<double> block::*result) {
  weights_.assign(weights_.size(), 0);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double by = multipliers[fixed() + k] / scale_;
    if (by == 0) continue;
    const std::vector<double>& counts = paths_.counts(rows[k]);
    for (std::size_t j = 0; j < weights_.size(); ++j) weights_[j] -= by * counts[j];
  }
  columns_.price(multipliers, weights_, result);
}

STAGECUT_DECL void option_program::begin(const live_options& live, basis from) {
  matrix_.take(live);
  simplex::begin(std::move(from));
}

STAGECUT_DECL void option_program::begin(const live_options& live, const std::vector<std::uint32_t>& plan,
                                         std::uint32_t row) {
  basis from{{row}, {}};
  for (std::uint32_t r = 0; r < plan.size(); ++r) from.variables.push_back({variable::kind::column, r, plan[r]});
  for (auto t = static_cast<std::uint32_t>(plan.size()); t < matrix_.fixed(); ++t) {
    from.variables.push_back({variable::kind::artificial, t, 0});
  }
  from.variables.push_back({variable::kind::objective, 0, 0});
  begin(live, std::move(from));
}

STAGECUT_DECL void option_program::change(const live_options& live) {
  matrix_.take(live);
  set_values();
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
