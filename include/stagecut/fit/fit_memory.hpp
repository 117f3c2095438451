// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/fit/detail/memory_unknowns.hpp>
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
  [[nodiscard]] double bytes(const rank_peak& of) const;
};

namespace detail {

/// Sets a part of a fit.
STAGECUT_DECL void set_part(stagecut::memory_fit& of, const memory_unknown& unknown, double bytes);

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

/// Compares the predictions with what was measured.
STAGECUT_DECL void judge(stagecut::memory_fit& result, const std::vector<rank_peak>& peaks);

}  // namespace detail

/// See `fit_memory`.
struct fit_memory_fn {
  /// See `fit_memory`.
  [[nodiscard]] memory_fit operator()(const dry_runs& runs, const memory_fit_options& options = {}) const;
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

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/fit/detail/fit_memory.ipp>
#endif
