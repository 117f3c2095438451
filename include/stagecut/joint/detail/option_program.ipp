// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/option_program.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/joint/detail/option_columns.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/program_basis.hpp>
#include <stagecut/joint/detail/program_matrix.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void option_program::begin(const live_options& live, const basis& from) {
  matrix_.rows = from.rows;
  basics_ = from.variables;
  matrix_.take(live);
  invert();
}

STAGECUT_DECL void option_program::begin(const live_options& live, const std::vector<std::uint32_t>& plan,
                                         std::uint32_t row) {
  matrix_.rows = {row};
  basics_.clear();
  for (std::uint32_t r = 0; r < plan.size(); ++r) basics_.push_back({variable::kind::option, r, plan[r]});
  for (auto t = static_cast<std::uint32_t>(plan.size()); t < fixed_; ++t) {
    basics_.push_back({variable::kind::artificial, t, 0});
  }
  basics_.push_back({variable::kind::path, 0, 0});
  matrix_.take(live);
  invert();
}

STAGECUT_DECL void option_program::change(const live_options& live) {
  matrix_.take(live);
  set_values();
}

STAGECUT_DECL double option_program::value() const noexcept {
  for (std::size_t i = 0; i < basics_.size(); ++i) {
    if (basics_[i].what == variable::kind::path) return values_[i] * matrix_.scale();
  }
  return 0;
}

STAGECUT_DECL void option_program::solve(std::size_t most_steps) {
  for (std::size_t step = 0; step < most_steps; ++step) {
    if (step % 100 == 99) invert();
    const std::size_t below = most_negative();
    if (!(below < basics_.size() ? dual_step(below) : primal_step())) return;
    ++steps;
  }
}

STAGECUT_DECL std::vector<double> option_program::multipliers() const {
  std::vector<double> result(matrix_.rows.size());
  double sum = 0;
  for (std::size_t k = 0; k < result.size(); ++k) {
    result[k] = duals_[fixed_ + k] > 0 ? duals_[fixed_ + k] : 0;
    sum += result[k];
  }
  for (double& each : result) each = sum > 0 ? each / sum : 0;
  return result;
}

STAGECUT_DECL std::size_t option_program::most_negative() const {
  std::size_t worst = values_.size();
  double least = -nothing;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i] < least && basics_[i].what != variable::kind::path) least = values_[i], worst = i;
  }
  return worst;
}

STAGECUT_DECL bool option_program::primal_step() {
  variable best{};
  double least = -nothing;
  for (std::uint32_t r = 0; r < matrix_.columns().size(); ++r) {
    const option_columns::of_rank& here = matrix_.columns()[r];
    for (std::size_t c = 0; c < here.ids.size(); ++c) {
      if (here.reduced[c] < least) least = here.reduced[c], best = {variable::kind::option, r, here.ids[c]};
    }
  }
  for (std::size_t k = 0; k < matrix_.rows.size(); ++k) {
    if (duals_[fixed_ + k] < least) least = duals_[fixed_ + k], best = slack_of(k);
  }
  if (!(least < -nothing)) return false;
  enter(best);
  std::size_t leaving = basics_.size();
  double ratio = 0;
  for (std::size_t i = 0; i < basics_.size(); ++i) {
    if (!(entering_[i] > nothing)) continue;
    const double here = (values_[i] > 0 ? values_[i] : 0) / entering_[i];
    const bool first = leaving == basics_.size();
    if (!first && (here > ratio + 1e-12 || (here > ratio - 1e-12 && entering_[i] <= entering_[leaving]))) continue;
    ratio = first || here < ratio ? here : ratio;
    leaving = i;
  }
  if (leaving == basics_.size() || basics_[leaving].what == variable::kind::path) return false;
  matrix_.price(inverse_.row(leaving), &option_columns::of_rank::row);
  pivot(leaving, best, least);
  return true;
}

STAGECUT_DECL bool option_program::dual_step(std::size_t leaving) {
  const double* const row = inverse_.row(leaving);
  matrix_.price(row, &option_columns::of_rank::row);
  variable best{};
  double ratio = 1e300;
  double steepest = 0;
  double reduced = 0;
  const auto better = [&](double cost, double alpha) {
    if (!(alpha < -nothing)) return false;
    const double here = (cost > 0 ? cost : 0) / -alpha;
    if (here > ratio + 1e-12 || (here > ratio - 1e-12 && -alpha <= steepest)) return false;
    ratio = std::min(ratio, here);
    steepest = -alpha;
    reduced = cost;
    return true;
  };
  for (std::uint32_t r = 0; r < matrix_.columns().size(); ++r) {
    const option_columns::of_rank& here = matrix_.columns()[r];
    for (std::size_t c = 0; c < here.ids.size(); ++c) {
      if (better(here.reduced[c], here.row[c])) best = {variable::kind::option, r, here.ids[c]};
    }
  }
  for (std::size_t k = 0; k < matrix_.rows.size(); ++k) {
    if (better(duals_[fixed_ + k], -row[fixed_ + k])) best = slack_of(k);
  }
  if (!(steepest > 0)) return false;
  enter(best);
  if (!(entering_[leaving] < -nothing)) return false;
  pivot(leaving, best, reduced);
  return true;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
