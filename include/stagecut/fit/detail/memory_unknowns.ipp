// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/fit/detail/memory_unknowns.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <Eigen/Core>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/fit/detail/singular_values.hpp>
#include <stagecut/profile/dry_runs.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL double memory_unknown::times(const rank_peak& of) const {
  switch (part) {
    case memory_part::constant: return 1;
    case memory_part::parameters: return static_cast<double>(of.layers);
    case memory_part::activations: return of.kept[choice];
    case memory_part::head: return of.has_head ? 1 : 0;
    case memory_part::tail: return of.has_tail ? 1 : 0;
  }
  return 0;
}

STAGECUT_DECL std::string memory_unknown::name(view<const std::string> choices) const {
  switch (part) {
    case memory_part::constant: return "the constant";
    case memory_part::parameters: return "the parameters of a layer";
    case memory_part::activations: return "the activations of " + in_quotes(choices[choice]);
    case memory_part::head: return "the head";
    case memory_part::tail: return "the tail";
  }
  return "?";
}

STAGECUT_DECL std::vector<memory_unknown> memory_unknowns(std::size_t choices, bool constant, bool head, bool tail) {
  std::vector<memory_unknown> result;
  if (constant) result.push_back({memory_part::constant});
  result.push_back({memory_part::parameters});
  for (std::size_t c = 0; c < choices; ++c) result.push_back({memory_part::activations, c});
  if (head) result.push_back({memory_part::head});
  if (tail) result.push_back({memory_part::tail});
  return result;
}

STAGECUT_DECL memory_equations equations_of(view<const rank_peak> peaks, view<const memory_unknown> unknowns) {
  const auto rows = static_cast<Eigen::Index>(peaks.size());
  const auto count = static_cast<Eigen::Index>(unknowns.size());
  memory_equations made{Eigen::MatrixXd(rows, count), Eigen::VectorXd(count)};
  for (Eigen::Index j = 0; j < count; ++j) {
    for (Eigen::Index i = 0; i < rows; ++i) {
      made.columns(i, j) = unknowns[static_cast<std::size_t>(j)].times(peaks[static_cast<std::size_t>(i)]);
    }
    const double length = made.columns.col(j).stableNorm();
    made.lengths[j] = length > 0 ? length : 1;
    made.columns.col(j) /= made.lengths[j];
  }
  return made;
}

STAGECUT_DECL std::vector<std::vector<memory_unknown>> undetermined_groups(const singular_values& of,
                                                                           view<const memory_unknown> unknowns) {
  constexpr double nothing = 1e-6;
  const auto n = static_cast<Eigen::Index>(unknowns.size());
  // Projection onto the undetermined subspace: two unknowns with a nonzero entry belong to one sum.
  Eigen::MatrixXd onto = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index j = 0; j < n; ++j) {
    if (of.vanishes(j)) onto += of.right.col(j) * of.right.col(j).transpose();
  }
  std::vector<std::size_t> group(unknowns.size(), 0);  // from 1; 0: none
  const auto join = [&](const auto& self, Eigen::Index i, std::size_t which) -> void {
    group[static_cast<std::size_t>(i)] = which;
    for (Eigen::Index j = 0; j < n; ++j) {
      const bool together = onto(i, j) > nothing || onto(i, j) < -nothing;
      if (together && group[static_cast<std::size_t>(j)] == 0) self(self, j, which);
    }
  };
  std::vector<std::vector<memory_unknown>> groups;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    if (group[i] == 0 && onto(row, row) > nothing) {
      groups.emplace_back();
      join(join, row, groups.size());
    }
    if (group[i] > 0) groups[group[i] - 1].push_back(unknowns[i]);
  }
  return groups;
}

STAGECUT_DECL std::string undetermined_text(view<const memory_unknown> undetermined, view<const std::string> choices) {
  std::string text;
  for (std::size_t j = 0; j < undetermined.size(); ++j) {
    if (j > 0) text += j + 1 < undetermined.size() ? ", " : " and ";
    text += undetermined[j].name(choices);
  }
  return text + (undetermined.size() > 1 ? " cannot be distinguished" : " stand in no peak");
}

/// The run that would determine such unknowns.
[[nodiscard]] inline std::string distinguishing_run(view<const memory_unknown> undetermined,
                                                    view<const std::string> choices) {
  const memory_unknown* of[5] = {};
  std::size_t activations = 0;
  for (const memory_unknown& each : undetermined) {
    of[static_cast<std::size_t>(each.part)] = &each;
    activations += each.part == memory_part::activations ? 1 : 0;
  }
  const auto& [constant, parameters, kept, head, tail] = of;
  const std::string choice = kept == nullptr ? "" : in_quotes(choices[kept->choice]);
  if (undetermined.size() == 1) {
    if (kept != nullptr) return "a run in which some rank runs layers as " + choice;
    return "a run in which some rank holds layers";
  }
  if (constant != nullptr && parameters != nullptr) return "a run in which some rank holds another number of layers";
  const std::string end = head != nullptr ? (tail != nullptr ? "head or tail" : "the head") : "the tail";
  const bool at_end = head != nullptr || tail != nullptr;
  if (at_end && constant != nullptr && kept != nullptr) {
    return joined({"the peak of a rank without ", end, " that runs another number of layers as ", choice});
  }
  if (at_end && constant != nullptr) return "the peak of a rank without " + end;
  if (at_end && kept != nullptr) return joined({"the peak of a rank without ", end, " that runs layers as ", choice});
  if (at_end && parameters != nullptr) return "the peak of a rank without " + end + " that holds layers";
  if (at_end) return "a run in which no rank holds both head and tail";
  if (parameters != nullptr) return "a run in which some rank keeps another number of microbatches";
  if (activations == 1) return "a run in which some rank runs another number of layers as " + choice;
  return "a run in which some rank runs another share of its layers as " + choice;
}

STAGECUT_DECL std::string undetermined_text(const std::vector<std::vector<memory_unknown>>& groups,
                                            view<const std::string> choices) {
  std::string text;
  for (const auto& group : groups) {
    text += joined({text.empty() ? "" : "; ", undetermined_text(view(group), choices), ": add ",
                    distinguishing_run(group, choices)});
  }
  return text;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
