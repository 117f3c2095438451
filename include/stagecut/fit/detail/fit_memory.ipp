// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/fit/fit_memory.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include <stagecut/core/view.hpp>
#include <stagecut/fit/detail/check_peaks.hpp>
#include <stagecut/fit/detail/memory_unknowns.hpp>
#include <stagecut/fit/detail/nonnegative_squares.hpp>
#include <stagecut/profile/dry_runs.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL double memory_fit::bytes(const rank_peak& of) const {
  double sum = constant + parameters * static_cast<double>(of.layers);
  for (std::size_t c = 0; c < activations.size(); ++c) sum += activations[c] * of.kept[c];
  return sum + (of.has_head ? head : 0) + (of.has_tail ? tail : 0);
}

namespace detail {

STAGECUT_DECL void set_part(stagecut::memory_fit& of, const memory_unknown& unknown, double bytes) {
  switch (unknown.part) {
    case memory_part::constant: of.constant = bytes, of.constant_determined = true; break;
    case memory_part::parameters: of.parameters = bytes; break;
    case memory_part::activations: of.activations[unknown.choice] = bytes; break;
    case memory_part::head: of.head = bytes, of.head_determined = true; break;
    case memory_part::tail: of.tail = bytes, of.tail_determined = true; break;
  }
}

/// See `memory_method::as_sapp`.
[[nodiscard]] inline stagecut::memory_fit as_sapp_does(const dry_runs& runs) {
  std::vector<rank_peak> between;
  for (const rank_peak& peak : runs.peaks) {
    if (!peak.has_head && !peak.has_tail) between.push_back(peak);
  }
  const bool constant = between.size() > runs.choices.size() + 1;
  stagecut::memory_fit result =
      parts_of(between, runs.choices, memory_unknowns(runs.choices.size(), constant, false, false),
               [](const auto& a, const auto& b) { return least_squares_of(a, b); });
  const auto mean_left = [&](bool rank_peak::*end, bool rank_peak::*other, bool& told) {
    double sum = 0;
    double count = 0;
    for (const rank_peak& peak : runs.peaks) {
      if (!(peak.*end) || peak.*other) continue;
      rank_peak body = peak;
      body.*end = false;
      sum += peak.bytes - (result.bytes(body) - result.constant);
      ++count;
    }
    told = count > 0;
    return told ? sum / count : 0;
  };
  const double head = mean_left(&rank_peak::has_head, &rank_peak::has_tail, result.head_determined);
  result.tail = mean_left(&rank_peak::has_tail, &rank_peak::has_head, result.tail_determined);
  result.head = head;
  return result;
}

STAGECUT_DECL void judge(stagecut::memory_fit& result, const std::vector<rank_peak>& peaks) {
  double squares = 0;
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    result.predicted.push_back(result.bytes(peaks[i]));
    const double above = peaks[i].bytes - result.predicted[i];
    const double off = std::abs(above);
    if (off > result.largest_residual) result.largest_residual = off, result.worst = i;
    if (above > result.margin) result.margin = above;
  }
  if (!(result.largest_residual > 0)) return;
  for (std::size_t i = 0; i < peaks.size(); ++i) {
    const double share = (peaks[i].bytes - result.predicted[i]) / result.largest_residual;
    squares += share * share;
  }
  result.root_mean_square = result.largest_residual * std::sqrt(squares / static_cast<double>(peaks.size()));
}

}  // namespace detail

STAGECUT_DECL memory_fit fit_memory_fn::operator()(const dry_runs& runs, const memory_fit_options& options) const {
  detail::check_peaks(runs);
  memory_fit result;
  if (options.method == memory_method::as_sapp) {
    result = detail::as_sapp_does(runs);
  } else {
    bool head = false;
    bool tail = false;
    for (const rank_peak& peak : runs.peaks) head = head || peak.has_head, tail = tail || peak.has_tail;
    result = detail::parts_of(runs.peaks, runs.choices,
                              detail::memory_unknowns(runs.choices.size(), options.constant, head, tail),
                              [](const auto& a, const auto& b) { return detail::nonnegative_squares_of(a, b); });
  }
  detail::judge(result, runs.peaks);
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
