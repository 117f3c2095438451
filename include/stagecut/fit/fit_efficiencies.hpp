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

/// A time that was measured, to fit a model of times to.
struct measured_time {
  double seconds = 0;  ///< above 0
  double weight = 1;   ///< of its error among those of the others; not negative

  /// Equal in both parts.
  friend bool operator==(const measured_time&, const measured_time&) = default;
};

/// What `fit_efficiencies` finds.
struct efficiency_fit {
  transformer::efficiencies reached{};  ///< those that fit best
  std::vector<double> predicted{};      ///< seconds of every time, with these
  double mean_error = 0;                ///< the weighted mean of |log(predicted / measured)|
  std::array<bool, 3> determined{};     ///< whether the times depend on `gemm`, `power`, `network` at all

  /// Seconds that were predicted, over those that were measured, less 1.
  [[nodiscard]] double error(std::size_t i, const std::vector<measured_time>& measured) const {
    return predicted[i] / measured[i].seconds - 1;
  }
};

/// See `fit_efficiencies`.
struct fit_efficiencies_fn {
  /// Seconds of every time, as a model has them with such efficiencies.
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

  /// The weighted mean of the errors' logarithms, whose signs are dropped.
  static double mean_error(const std::vector<measured_time>& measured, const std::vector<double>& predicted);

  /// Takes what was predicted with other efficiencies, if it fits better.
  static bool take(efficiency_fit& best, const transformer::efficiencies& tried,
                   const std::vector<measured_time>& measured, const predictor& predict);

  static double within(double value) { return value < least ? least : value > most ? most : value; }

  using vector = std::array<double, 3>;
  using matrix = std::array<vector, 3>;

  /// The solution of equations whose matrix is positive definite: elimination needs no pivots then.
  static vector solved(matrix a, vector b);

  /// How the logarithm of each time grows with that of each efficiency.
  static std::vector<vector> slopes_of(const efficiency_fit& at, const predictor& predict);

  /// Newton's step on the logarithms of the efficiencies, for squares of errors each weighed by what it is, so that they
  /// stand for sizes (iteratively reweighted least squares); damped until it helps.
  static bool newton_step(efficiency_fit& best, const std::vector<measured_time>& measured, const predictor& predict);

  /// Steps as long as they help by more than a millionth.
  static void descend(efficiency_fit& best, const std::vector<measured_time>& measured, const predictor& predict,
                      std::size_t steps = 50);

  /// Descends from other beginnings as well, a few steps each, and goes on from the best that was reached: where messages
  /// hide, there are several valleys.
  static void descend_from_afar(efficiency_fit& best, const std::vector<measured_time>& measured,
                                const predictor& predict);

  /// Efficiencies a step away: the digits of `move`, of base 3, say which of them go down, stay or go up.
  static transformer::efficiencies moved(const efficiency_fit& from, std::size_t move, double step);

  /// Moves the efficiencies by steps, in all directions, as long as that helps.
  static void climb(efficiency_fit& best, double step, const std::vector<measured_time>& measured,
                    const predictor& predict);
};

/// Fits the three numbers of `efficiencies` to times that were measured: the least weighted mean of
/// |log(predicted / measured)|, which one wild measurement does not move as squares would. What no time depends on stays
/// as it was.
///
/// Newton's steps with reweighted least squares, from `start` and from six other beginnings, then a pattern search around
/// what they reach, steps of a tenth down to a thousandth in all directions at once: the sizes of errors have edges. Times
/// that some efficiencies make without an error mostly tell these. Deterministic; some hundreds of calls of `predict`.
///
/// @param measured  the times, one at least with a weight
/// @param predict   as many times of a model, above 0
/// @param start     where to begin
/// @throws          argument_error for times that are not above 0, or nothing to fit to, and for a `predict` that returns
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
