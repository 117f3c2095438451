// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
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

  static void check(const std::vector<measured_time>& measured) {
    double weights = 0;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const auto& [seconds, weight] = measured[i];
      if (!is_finite(seconds) || !(seconds > 0)) refuse(i, "seconds", seconds, "must be above 0");
      if (!is_finite(weight) || is_negative(weight)) refuse(i, "weight", weight, "must not be negative");
      weights += weight;
    }
    if (weights > 0) return;
    detail::fail(argument_error("fit_efficiencies", "measured", std::to_string(measured.size()),
                                "has no time with a weight above 0"));
  }

  [[noreturn]] static void refuse(std::size_t i, const char* what, double value, const char* requirement) {
    detail::fail(argument_error("fit_efficiencies", detail::joined({"measured[", i, "].", what}), std::to_string(value),
                                requirement));
  }

  /// The weighted mean of the errors' logarithms, whose signs are dropped.
  static double mean_error(const std::vector<measured_time>& measured, const std::vector<double>& predicted) {
    double sum = 0;
    double weights = 0;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      sum += measured[i].weight * std::abs(std::log(predicted[i] / measured[i].seconds));
      weights += measured[i].weight;
    }
    return sum / weights;
  }

  /// Takes what was predicted with other efficiencies, if it fits better.
  static bool take(efficiency_fit& best, const transformer::efficiencies& tried,
                   const std::vector<measured_time>& measured, const predictor& predict) {
    std::vector<double> predicted = predict(tried);
    const double error = mean_error(measured, predicted);
    if (!(error < best.mean_error)) return false;
    best.reached = tried;
    best.mean_error = error;
    best.predicted = std::move(predicted);
    return true;
  }

  static double within(double value) { return value < least ? least : value > most ? most : value; }

  using vector = std::array<double, 3>;
  using matrix = std::array<vector, 3>;

  /// The solution of equations whose matrix is positive definite: elimination needs no pivots then.
  static vector solved(matrix a, vector b) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = i + 1; j < 3; ++j) {
        const double by = a[j][i] / a[i][i];
        for (std::size_t k = i; k < 3; ++k) a[j][k] -= by * a[i][k];
        b[j] -= by * b[i];
      }
    }
    for (std::size_t i = 3; i-- > 0;) {
      for (std::size_t k = i + 1; k < 3; ++k) b[i] -= a[i][k] * b[k];
      b[i] /= a[i][i];
    }
    return b;
  }

  /// How the logarithm of each time grows with that of each efficiency.
  static std::vector<vector> slopes_of(const efficiency_fit& at, const predictor& predict) {
    constexpr double nudge = 1e-4;
    std::vector<vector> made(at.predicted.size(), vector{});
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (!at.determined[f]) continue;
      transformer::efficiencies tried = at.reached;
      tried.*fields[f] *= 1 - nudge;
      const std::vector<double> later = predict(tried);
      for (std::size_t i = 0; i < made.size(); ++i) {
        made[i][f] = std::log(later[i] / at.predicted[i]) / std::log1p(-nudge);
      }
    }
    return made;
  }

  /// Newton's step on the logarithms of the efficiencies, for squares of errors each weighed by what it is, so that they
  /// stand for sizes (iteratively reweighted least squares); damped until it helps.
  static bool newton_step(efficiency_fit& best, const std::vector<measured_time>& measured, const predictor& predict) {
    constexpr double smallest = 1e-6;  // errors below it weigh no more
    const std::vector<vector> slopes = slopes_of(best, predict);
    matrix normal{};
    vector downhill{};
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const double error = std::log(best.predicted[i] / measured[i].seconds);
      const double weight = measured[i].weight / (std::abs(error) < smallest ? smallest : std::abs(error));
      for (std::size_t f = 0; f < 3; ++f) {
        for (std::size_t g = 0; g < 3; ++g) normal[f][g] += weight * slopes[i][f] * slopes[i][g];
        downhill[f] -= weight * slopes[i][f] * error;
      }
    }
    for (double damping = 1e-9; damping < 1e3; damping *= 30) {
      matrix damped = normal;
      for (std::size_t f = 0; f < 3; ++f) damped[f][f] = normal[f][f] > 0 ? normal[f][f] * (1 + damping) : 1;
      const vector by = solved(damped, downhill);
      transformer::efficiencies tried = best.reached;
      for (std::size_t f = 0; f < fields.size(); ++f) {
        if (best.determined[f]) tried.*fields[f] = within(tried.*fields[f] * std::exp(by[f]));
      }
      if (take(best, tried, measured, predict)) return true;
    }
    return false;
  }

  /// Steps as long as they help by more than a millionth.
  static void descend(efficiency_fit& best, const std::vector<measured_time>& measured, const predictor& predict,
                      std::size_t steps = 50) {
    for (std::size_t i = 0; i < steps; ++i) {
      const double before = best.mean_error;
      if (!newton_step(best, measured, predict) || best.mean_error > before * (1 - 1e-6)) return;
    }
  }

  /// Descends from other beginnings as well, a few steps each, and goes on from the best that was reached: where messages
  /// hide, there are several valleys.
  static void descend_from_afar(efficiency_fit& best, const std::vector<measured_time>& measured,
                                const predictor& predict) {
    const efficiency_fit first = best;
    descend(best, measured, predict);
    for (const double gemm : {0.35, 0.7}) {
      for (const double network : {0.15, 0.4, 0.8}) {
        efficiency_fit other = first;
        if (first.determined[0]) other.reached.gemm = gemm;
        if (first.determined[2]) other.reached.network = network;
        other.predicted = predict(other.reached);
        other.mean_error = mean_error(measured, other.predicted);
        descend(other, measured, predict, 6);
        if (other.mean_error < best.mean_error) best = std::move(other);
      }
    }
    descend(best, measured, predict);
  }

  /// Efficiencies a step away: the digits of `move`, of base 3, say which of them go down, stay or go up.
  static transformer::efficiencies moved(const efficiency_fit& from, std::size_t move, double step) {
    transformer::efficiencies made = from.reached;
    for (std::size_t f = 0; f < fields.size(); ++f, move /= 3) {
      if (move % 3 == 1 || !from.determined[f]) continue;
      const double value = made.*fields[f] * (move % 3 == 2 ? 1 + step : 1 / (1 + step));
      made.*fields[f] = within(value);
    }
    return made;
  }

  /// Moves the efficiencies by steps, in all directions, as long as that helps.
  static void climb(efficiency_fit& best, double step, const std::vector<measured_time>& measured,
                    const predictor& predict) {
    constexpr std::size_t directions = 27;
    for (bool better = true; better;) {
      better = false;
      const efficiency_fit from = best;
      for (std::size_t move = 0; move < directions; ++move) {
        const transformer::efficiencies tried = moved(from, move, step);
        if (tried == from.reached) continue;
        better = take(best, tried, measured, predict) || better;
      }
    }
  }
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
