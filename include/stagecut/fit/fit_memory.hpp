// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/fit/detail/check_peaks.hpp>
#include <stagecut/fit/detail/memory_unknowns.hpp>
#include <stagecut/fit/detail/nonnegative_squares.hpp>
#include <stagecut/profile/dry_runs.hpp>

#include <Eigen/Core>

namespace stagecut::inline STAGECUT_ABI {

/// How peaks are taken apart.
enum class memory_method {
  non_negative,  ///< all peaks at once, and no part is below 0
  /// As SAPP does it, to compare: ranks between the ends tell the constant, the parameters and the activations, of any
  /// sign; head and tail are what is left of their ranks' peaks without these, but with the constant, which so counts
  /// twice there. As many such ranks as parameters and choices: there is no constant.
  as_sapp
};

/// What `fit_memory` is asked for.
struct memory_fit_options {
  memory_method method = memory_method::non_negative;  ///< how peaks are taken apart
  /// Whether a rank holds bytes whatever it runs; false: the other parts have them. SAPP's way decides that itself.
  bool constant = true;
};

/// The memory of the parts of a model, and how far it can be trusted. All but `condition` and `worst` in bytes.
struct memory_fit {
  double constant = 0;                ///< of each rank, whatever it runs
  double parameters = 0;              ///< of a layer, with what the optimizer and gradients take
  std::vector<double> activations{};  ///< of a layer and a microbatch, of every choice of recomputation
  double head = 0;                    ///< of what comes before the body
  double tail = 0;                    ///< of what comes behind it
  bool constant_told = false;         ///< false: `constant` is 0, as it was left out
  bool head_told = false;             ///< false: `head` is 0, as no peak is of a rank with the head
  bool tail_told = false;             ///< likewise
  /// Of the equations, each column as long as 1: by how much errors of the peaks may grow in the parts, at most.
  double condition = 0;
  std::vector<double> predicted{};  ///< every peak, as the parts make it
  double root_mean_square = 0;      ///< of what peaks and predictions differ by
  double largest_residual = 0;      ///< the most that a peak and its prediction differ by
  std::size_t worst = 0;            ///< the peak that does, the first of them
  /// The most that a peak is above its prediction: keep as much of each device free, and all that was measured fits.
  double margin = 0;

  /// The peak of a rank that holds such layers, head and tail; its own `bytes` are not read.
  /// @pre `of.kept` has as many numbers as `activations`
  [[nodiscard]] double bytes(const rank_peak& of) const {
    double sum = constant + parameters * static_cast<double>(of.layers);
    for (std::size_t c = 0; c < activations.size(); ++c) sum += activations[c] * of.kept[c];
    return sum + (of.has_head ? head : 0) + (of.has_tail ? tail : 0);
  }
};

namespace detail {

/// Sets a part of a fit.
inline void set_part(stagecut::memory_fit& of, const memory_unknown& unknown, double bytes) {
  switch (unknown.part) {
    case memory_part::constant: of.constant = bytes, of.constant_told = true; break;
    case memory_part::parameters: of.parameters = bytes; break;
    case memory_part::activations: of.activations[unknown.choice] = bytes; break;
    case memory_part::head: of.head = bytes, of.head_told = true; break;
    case memory_part::tail: of.tail = bytes, of.tail_told = true; break;
  }
}

/// The parts that fit the peaks best; refuses peaks that do not tell all of them.
template <class Solve>
[[nodiscard]] stagecut::memory_fit parts_of(const std::vector<rank_peak>& peaks,
                                            const std::vector<std::string>& choices,
                                            const std::vector<memory_unknown>& unknowns, const Solve& solve) {
  const memory_equations equations = equations_of(peaks, unknowns);
  const singular_values parts = singular_values_of(equations.columns);
  if (const auto untold = untold_groups(parts, unknowns); !untold.empty()) {
    const bool few = peaks.size() < unknowns.size();
    const std::string counts = joined({peaks.size(), " of them cannot tell ", unknowns.size(), " unknowns: "});
    fail(invalid_input("peaks", joined({few ? counts : "", untold_text(untold, choices)})));
  }
  double largest = 0;
  for (const rank_peak& each : peaks) largest = each.bytes > largest ? each.bytes : largest;
  stagecut::memory_fit result;
  result.activations.assign(choices.size(), 0);
  result.condition = parts.condition();
  Eigen::VectorXd wanted = Eigen::VectorXd::Zero(equations.columns.rows());
  for (std::size_t i = 0; i < peaks.size() && largest > 0; ++i) {
    wanted[static_cast<Eigen::Index>(i)] = peaks[i].bytes / largest;
  }
  const Eigen::VectorXd found = solve(equations.columns, wanted);
  for (std::size_t j = 0; j < unknowns.size(); ++j) {
    const auto column = static_cast<Eigen::Index>(j);
    set_part(result, unknowns[j], found[column] / equations.lengths[column] * largest);
  }
  return result;
}

/// See `memory_method::as_sapp`.
[[nodiscard]] inline stagecut::memory_fit as_sapp_does(const dry_runs& runs) {
  std::vector<rank_peak> between;
  for (const rank_peak& each : runs.peaks) {
    if (!each.has_head && !each.has_tail) between.push_back(each);
  }
  const bool constant = between.size() > runs.choices.size() + 1;
  stagecut::memory_fit result =
      parts_of(between, runs.choices, memory_unknowns(runs.choices.size(), constant, false, false),
               [](const auto& a, const auto& b) { return least_squares_of(a, b); });
  const auto mean_left = [&](bool rank_peak::*end, bool rank_peak::*other, bool& told) {
    double sum = 0;
    double count = 0;
    for (const rank_peak& each : runs.peaks) {
      if (!(each.*end) || each.*other) continue;
      rank_peak body = each;
      body.*end = false;
      sum += each.bytes - (result.bytes(body) - result.constant);
      ++count;
    }
    told = count > 0;
    return told ? sum / count : 0;
  };
  const double head = mean_left(&rank_peak::has_head, &rank_peak::has_tail, result.head_told);
  result.tail = mean_left(&rank_peak::has_tail, &rank_peak::has_head, result.tail_told);
  result.head = head;
  return result;
}

/// Compares the predictions with what was measured.
inline void judge(stagecut::memory_fit& result, const std::vector<rank_peak>& peaks) {
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

/// See `fit_memory`.
struct fit_memory_fn {
  /// See `fit_memory`.
  [[nodiscard]] memory_fit operator()(const dry_runs& runs, const memory_fit_options& options = {}) const {
    detail::check_peaks(runs);
    memory_fit result;
    if (options.method == memory_method::as_sapp) {
      result = detail::as_sapp_does(runs);
    } else {
      bool head = false;
      bool tail = false;
      for (const rank_peak& each : runs.peaks) head = head || each.has_head, tail = tail || each.has_tail;
      result = detail::parts_of(runs.peaks, runs.choices,
                                detail::memory_unknowns(runs.choices.size(), options.constant, head, tail),
                                [](const auto& a, const auto& b) { return detail::nonnegative_squares_of(a, b); });
    }
    detail::judge(result, runs.peaks);
    return result;
  }
};

/// Takes the peak memory of ranks apart: `bytes = constant + parameters * layers + activations * kept + head + tail`.
///
/// @param runs     the peaks of one run or more, in any order
/// @param options  how, and whether there is a constant
/// @return         the parts with the least sum of squares of errors in bytes, none of them negative, and how far they can
///                 be trusted
/// @throws         invalid_input with `choices` or `peaks` where there is none, with `choices` for a name that is there twice, with `peak I` for bytes and kept numbers
///                 that are negative or not finite, as many of these as there are not choices, and kept activations of no
///                 layer; with `peaks` where these do not tell some parts: which, and what run would
///
/// Equations whose smallest singular value is below 10^-10 of the largest, columns being as long as 1, tell not all.
/// Exact but for rounding: peaks without errors give the parts to about 10^-15 times `condition`. The order of the
/// peaks may change the last bits. For n peaks and u unknowns O(n u^2) a solution, mostly one, at most a few for each u.
///
/// Source: C. L. Lawson and R. J. Hanson, Solving Least Squares Problems, 1974, chapter 23 (non-negative least squares).
inline constexpr fit_memory_fn fit_memory{};

}  // namespace stagecut::inline STAGECUT_ABI
