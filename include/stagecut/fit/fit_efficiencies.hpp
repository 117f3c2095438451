// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/profile/accelerator.hpp>

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
  std::array<bool, 3> determined{};     ///< whether the times depend on `gemm`, `power`, `network` at all

  /// The relative error: predicted over measured seconds, minus 1.
  [[nodiscard]] double error(std::size_t i, const std::vector<measured_time>& measured) const {
    return predicted[i] / measured[i].seconds - 1;
  }
};

/// See `fit_efficiencies`.
struct fit_efficiencies_fn {
  /// The seconds of every time that a model predicts with given efficiencies.
  using predictor = function_ref<std::vector<double>(const transformer::efficiencies&)>;

  /// See `fit_efficiencies`.
  [[nodiscard]] efficiency_fit operator()(const std::vector<measured_time>& measured, const predictor& predict,
                                          const transformer::efficiencies& start = {}) const;

 private:
  using field = double transformer::efficiencies::*;
  static constexpr std::array<field, 3> fields = {&transformer::efficiencies::gemm, &transformer::efficiencies::power,
                                                  &transformer::efficiencies::network};
  static constexpr double least = 0.02;
  static constexpr double most = 1.5;

  static void check(const std::vector<measured_time>& measured);

  [[noreturn]] static void refuse(std::size_t i, const char* what, double value, const char* requirement);

  /// The weighted mean of the absolute values of the logarithmic errors.
  static double mean_error(const std::vector<measured_time>& measured, const std::vector<double>& predicted);

  /// Accepts other efficiencies and their predictions if they fit better.
  static bool take(efficiency_fit& best, const transformer::efficiencies& tried,
                   const std::vector<measured_time>& measured, const predictor& predict);

  static double within(double value) { return value < least ? least : value > most ? most : value; }

  using vector = std::array<double, 3>;
  using matrix = std::array<vector, 3>;

  /// Solves equations with a positive definite matrix: elimination needs no pivots.
  static vector solved(matrix a, vector b);

  /// The derivative of the logarithm of each time by the logarithm of each efficiency.
  static std::vector<vector> slopes_of(const efficiency_fit& at, const predictor& predict);

  /// A Newton step on the logarithms of the efficiencies. Squared errors are weighted by the reciprocals of their sizes,
  /// so that they act as absolute errors (iteratively reweighted least squares); damped until it improves the fit.
  static bool newton_step(efficiency_fit& best, const std::vector<measured_time>& measured, const predictor& predict);

  /// Repeats steps while they improve the fit by more than a millionth.
  static void descend(efficiency_fit& best, const std::vector<measured_time>& measured, const predictor& predict,
                      std::size_t steps = 50);

  /// Descends also from other starting points, a few steps each, and continues from the best: hidden messages create
  /// several local minima.
  static void descend_from_afar(efficiency_fit& best, const std::vector<measured_time>& measured,
                                const predictor& predict);

  /// Efficiencies one step away: the base-3 digits of `move` say which of them decrease, stay or increase.
  static transformer::efficiencies moved(const efficiency_fit& from, std::size_t move, double step);

  /// Moves the efficiencies by steps in all directions while that improves the fit.
  static void climb(efficiency_fit& best, double step, const std::vector<measured_time>& measured,
                    const predictor& predict);
};

/// Fits the three numbers of `efficiencies` to measured times: minimizes the weighted mean of
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
/// @param start     the first starting point
/// @throws          argument_error for times that are not above 0, for nothing to fit, and for a `predict` that returns
///                  another number of times
inline constexpr fit_efficiencies_fn fit_efficiencies{};

inline efficiency_fit fit_efficiencies_fn::operator()(const std::vector<measured_time>& measured,
                                                      const predictor& predict,
                                                      const transformer::efficiencies& start) const {
  check(measured);
  efficiency_fit best;
  best.reached = start;
  best.predicted = predict(start);
  if (best.predicted.size() != measured.size()) {
    detail::fail(argument_error("fit_efficiencies", "predict(start).size()", std::to_string(best.predicted.size()),
                                detail::joined({"must be the number of measured times, ", measured.size()})));
  }
  best.mean_error = mean_error(measured, best.predicted);
  for (std::size_t f = 0; f < fields.size(); ++f) {
    transformer::efficiencies other = start;
    other.*fields[f] *= 0.9;
    best.determined[f] = predict(other) != best.predicted;
  }
  descend_from_afar(best, measured, predict);
  for (const double by : {0.1, 0.03, 0.01, 0.003, 0.001}) climb(best, by, measured, predict);
  descend(best, measured, predict);
  return best;
}

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/fit/detail/fit_efficiencies.ipp>
#endif
