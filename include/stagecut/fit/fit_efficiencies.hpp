// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/profile/efficiencies.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A measured time, to which a time model is fitted.
struct measured_time {
  double seconds = 0;  ///< above 0
  double weight = 1;   ///< weight of its error; not negative

  /// Equal in both parts.
  friend bool operator==(const measured_time&, const measured_time&) = default;
};

/// The result of `fit_efficiencies`.
struct efficiency_fit {
  transformer::efficiencies reached{};  ///< the best efficiencies found
  std::vector<double> predicted{};      ///< every time in seconds, with these
  double mean_error = 0;                ///< the weighted mean of |log(predicted / measured)|
  std::vector<bool> determined{};       ///< of each fitted constant, whether the times depend on it at all

  /// The relative error: predicted over measured seconds, minus 1.
  [[nodiscard]] double error(std::size_t i, const std::vector<measured_time>& measured) const {
    return predicted[i] / measured[i].seconds - 1;
  }
};

/// A constant of the cost model.
using fitted_constant = double transformer::efficiencies::*;

/// See `fit_efficiencies`.
struct fit_efficiencies_fn {
  /// The seconds of every time that a model predicts with given efficiencies.
  using predictor = function_ref<std::vector<double>(const transformer::efficiencies&)>;

  /// See `fit_efficiencies`.
  [[nodiscard]] efficiency_fit operator()(const std::vector<measured_time>& measured, const predictor& predict,
                                          const transformer::efficiencies& start = {},
                                          const std::vector<fitted_constant>& constants = {
                                              &transformer::efficiencies::gemm, &transformer::efficiencies::power,
                                              &transformer::efficiencies::network}) const;

 private:
  static constexpr double least = 0.02;  // of a constant, relative to 1 or to its start if that is larger or smaller
  static constexpr double most = 1.5;

  /// What is fitted to what.
  struct problem {
    const std::vector<measured_time>& measured;
    const predictor& predict;
    const transformer::efficiencies& start;
    const std::vector<fitted_constant>& constants;
  };

  static void check(const std::vector<measured_time>& measured);

  [[noreturn]] static void refuse(std::size_t i, const char* what, double value, const char* requirement);

  /// The weighted mean of the absolute values of the logarithmic errors.
  static double mean_error(const std::vector<measured_time>& measured, const std::vector<double>& predicted);

  /// Accepts other efficiencies and their predictions if they fit better.
  static bool take(efficiency_fit& best, const transformer::efficiencies& tried, const problem& of);

  // Shares are from `least` to `most`, or to 1 if they are of hidden messages; other constants, such as seconds, within a
  // factor of 50 of their start.
  static double within(const problem& of, std::size_t field, double value);

  using vector = std::vector<double>;
  using matrix = std::vector<vector>;

  /// Solves equations with a positive definite matrix: elimination needs no pivots.
  static vector solved(matrix a, vector b);

  /// The derivative of the logarithm of each time by the logarithm of each efficiency.
  static matrix slopes_of(const efficiency_fit& at, const problem& of);

  /// A Newton step on the logarithms of the efficiencies. Squared errors are weighted by the reciprocals of their sizes,
  /// so that they act as absolute errors (iteratively reweighted least squares); damped until it improves the fit.
  static bool newton_step(efficiency_fit& best, const problem& of);

  /// Repeats steps while they improve the fit by more than a millionth.
  static void descend(efficiency_fit& best, const problem& of, std::size_t steps = 50);

  /// Descends also from other starting points, a few steps each, and continues from the best: hidden messages create
  /// several local minima.
  static void descend_from_afar(efficiency_fit& best, const problem& of);

  /// Efficiencies one step away: the base-3 digits of `move` say which of them decrease, stay or increase.
  static transformer::efficiencies moved(const efficiency_fit& from, std::size_t move, double step, const problem& of);

  /// Moves the efficiencies by steps while that improves the fit: up to four in all directions at once, more one by one and
  /// while it improves by a thousandth.
  static void climb(efficiency_fit& best, double step, const problem& of);
};

/// Fits constants of the cost model, the three first by default, to measured times: minimizes the weighted mean of
/// |log(predicted / measured)|, which is less sensitive to outliers than squares. Efficiencies that affect no time keep
/// their values.
///
/// Takes Newton steps with reweighted least squares from `start` and six other starting points, then a pattern search
/// around the result with steps from a tenth down to a thousandth in all directions at once, since absolute errors have
/// kinks. Usually recovers efficiencies that reproduce the times exactly. Deterministic; some hundreds of calls of
/// `predict`.
///
/// @param measured  the times, at least one with a positive weight
/// @param predict   the model's times, in the same number, above 0
/// @param start     the first starting point; constants that are not fitted keep its values
/// @param constants  those to fit
/// @throws          argument_error for times that are not above 0, for nothing to fit, and for a `predict` that returns
///                  another number of times
inline constexpr fit_efficiencies_fn fit_efficiencies{};

inline efficiency_fit fit_efficiencies_fn::operator()(const std::vector<measured_time>& measured,
                                                      const predictor& predict, const transformer::efficiencies& start,
                                                      const std::vector<fitted_constant>& constants) const {
  check(measured);
  const problem of{measured, predict, start, constants};
  efficiency_fit best;
  best.reached = start;
  best.predicted = predict(start);
  if (best.predicted.size() != measured.size()) {
    detail::fail(argument_error("fit_efficiencies", "predict(start).size()", std::to_string(best.predicted.size()),
                                detail::joined({"must be the number of measured times, ", measured.size()})));
  }
  best.mean_error = mean_error(measured, best.predicted);
  for (const fitted_constant field : constants) {
    transformer::efficiencies other = start;
    other.*field *= 0.9;
    best.determined.push_back(predict(other) != best.predicted);
  }
  descend_from_afar(best, of);
  for (const double by : {0.1, 0.03, 0.01, 0.003, 0.001}) climb(best, by, of);
  descend(best, of);
  return best;
}

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/fit/detail/fit_efficiencies.ipp>
#endif
