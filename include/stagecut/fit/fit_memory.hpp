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

/// How peaks are decomposed.
enum class memory_method {
  non_negative,  ///< all peaks at once, with no part below 0
  /// As SAPP does, for comparison: ranks between the ends determine the constant, the parameters and the activations, of
  /// any sign; head and tail are the rest of their ranks' peaks after subtracting these, except the constant, which thus
  /// counts twice there. If the number of such ranks equals the number of parameters and choices, there is no constant.
  as_sapp
};

/// Options of `fit_memory`.
struct memory_fit_options {
  memory_method method = memory_method::non_negative;  ///< how peaks are decomposed
  /// Whether each rank holds constant bytes; false: the other parts absorb them. SAPP's method decides this itself.
  bool constant = true;
};

/// The memory of the parts of a model, and the quality of the fit. In bytes, except `condition` and `worst`.
struct memory_fit {
  double constant = 0;                ///< of each rank, whatever it runs
  double parameters = 0;              ///< of a layer, with gradients and optimizer state
  std::vector<double> activations{};  ///< of a layer and a microbatch, for every choice of recomputation
  double head = 0;                    ///< of what comes before the body
  double tail = 0;                    ///< of what comes after the body
  bool constant_determined = false;   ///< false: `constant` is 0, since it was left out
  bool head_determined = false;       ///< false: `head` is 0, since no peak is of a rank with the head
  bool tail_determined = false;       ///< false: `tail` is 0, since no peak is of a rank with the tail
  /// Condition number of the equations with columns of length 1: a bound on the amplification of errors of the peaks.
  double condition = 0;
  std::vector<double> predicted{};  ///< every peak, computed from the parts
  double root_mean_square = 0;      ///< of the differences between peaks and predictions
  double largest_residual = 0;      ///< largest difference between a peak and its prediction
  std::size_t worst = 0;            ///< the first peak with this difference
  /// The largest excess of a peak over its prediction: with this reserve on each device, all measured runs fit.
  double margin = 0;

  /// The peak of a rank with these layers, head and tail; ignores its own `bytes`.
  /// @pre `of.kept` has as many numbers as `activations`
  [[nodiscard]] double bytes(const rank_peak& of) const;
};

namespace detail {

/// Sets a part of a fit.
STAGECUT_DECL void set_part(stagecut::memory_fit& of, const memory_unknown& unknown, double bytes);

/// The parts that fit the peaks best; rejects peaks that do not determine all of them.
template <class Solve>
[[nodiscard]] stagecut::memory_fit parts_of(const std::vector<rank_peak>& peaks,
                                            const std::vector<std::string>& choices,
                                            const std::vector<memory_unknown>& unknowns, const Solve& solve) {
  const memory_equations equations = equations_of(peaks, unknowns);
  const singular_values parts = singular_values_of(equations.columns);
  if (const auto undetermined = undetermined_groups(parts, unknowns); !undetermined.empty()) {
    const bool few = peaks.size() < unknowns.size();
    const std::string counts = joined({peaks.size(), " of them cannot determine ", unknowns.size(), " unknowns: "});
    fail(invalid_input("peaks", joined({few ? counts : "", undetermined_text(undetermined, choices)})));
  }
  double largest = 0;
  for (const rank_peak& peak : peaks) largest = peak.bytes > largest ? peak.bytes : largest;
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

/// Compares the predictions with the measurements.
STAGECUT_DECL void judge(stagecut::memory_fit& result, const std::vector<rank_peak>& peaks);

}  // namespace detail

/// See `fit_memory`.
struct fit_memory_fn {
  /// See `fit_memory`.
  [[nodiscard]] memory_fit operator()(const dry_runs& runs, const memory_fit_options& options = {}) const;
};

/// Decomposes the peak memory of ranks: `bytes = constant + parameters * layers + activations * kept + head + tail`.
///
/// @param runs     the peaks of one or several runs, in any order
/// @param options  the method, and whether there is a constant
/// @return         the non-negative parts with the least sum of squares of errors in bytes, and the quality of the fit
/// @throws         invalid_input with `choices` or `peaks` if there are none, with `choices` for a duplicate name, with
///                 `peak I` for bytes and kept numbers that are negative or not finite, for another number of these than
///                 choices, and for kept activations without layers; with `peaks` if these do not determine some parts:
///                 which, and which run would
///
/// Equations whose smallest singular value is below 10^-10 of the largest, with columns of length 1, do not determine all
/// parts. Exact except for rounding: peaks without errors give the parts to about 10^-15 times `condition`. The order of
/// the peaks may change the last bits. For n peaks and u unknowns O(n u^2) per solution, mostly one, at most a few for
/// each u.
///
/// Source: C. L. Lawson and R. J. Hanson, Solving Least Squares Problems, 1974, chapter 23 (non-negative least squares).
inline constexpr fit_memory_fn fit_memory{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/fit/detail/fit_memory.ipp>
#endif
