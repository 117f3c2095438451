// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/fit/fit_efficiencies.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/profile/efficiencies.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL void fit_efficiencies_fn::check(const std::vector<measured_time>& measured) {
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

STAGECUT_DECL void fit_efficiencies_fn::refuse(std::size_t i, const char* what, double value, const char* requirement) {
  detail::fail(argument_error("fit_efficiencies", detail::joined({"measured[", i, "].", what}), std::to_string(value),
                              requirement));
}

STAGECUT_DECL double fit_efficiencies_fn::mean_error(const std::vector<measured_time>& measured,
                                                     const std::vector<double>& predicted) {
  double sum = 0;
  double weights = 0;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    sum += measured[i].weight * std::abs(std::log(predicted[i] / measured[i].seconds));
    weights += measured[i].weight;
  }
  return sum / weights;
}

STAGECUT_DECL bool fit_efficiencies_fn::take(efficiency_fit& best, const transformer::efficiencies& tried,
                                             const problem& of) {
  std::vector<double> predicted = of.predict(tried);
  const double error = mean_error(of.measured, predicted);
  if (!(error < best.mean_error)) return false;
  best.reached = tried;
  best.mean_error = error;
  best.predicted = std::move(predicted);
  return true;
}

STAGECUT_DECL double fit_efficiencies_fn::within(const problem& of, std::size_t field, double value) {
  using transformer::efficiencies;
  const fitted_constant fitted = of.constants[field];
  const double start = of.start.*fitted;
  const bool share = start > least && start < most;
  const bool hidden = fitted == &efficiencies::hidden || fitted == &efficiencies::dispatch_hidden;  // at most all
  const double low = share ? least : start / 50;
  const double high = hidden ? 1 : share ? most : start * 50;
  return value < low ? low : value > high ? high : value;
}

STAGECUT_DECL auto fit_efficiencies_fn::solved(matrix a, vector b) -> vector {
  const std::size_t n = b.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j) {
      const double by = a[j][i] / a[i][i];
      for (std::size_t k = i; k < n; ++k) a[j][k] -= by * a[i][k];
      b[j] -= by * b[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) b[i] -= a[i][k] * b[k];
    b[i] /= a[i][i];
  }
  return b;
}

STAGECUT_DECL auto fit_efficiencies_fn::slopes_of(const efficiency_fit& at, const problem& of) -> matrix {
  constexpr double nudge = 1e-4;
  matrix made(at.predicted.size(), vector(of.constants.size(), 0.0));
  for (std::size_t f = 0; f < of.constants.size(); ++f) {
    if (!at.determined[f]) continue;
    transformer::efficiencies tried = at.reached;
    tried.*of.constants[f] *= 1 - nudge;
    const std::vector<double> later = of.predict(tried);
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i][f] = std::log(later[i] / at.predicted[i]) / std::log1p(-nudge);
    }
  }
  return made;
}

STAGECUT_DECL bool fit_efficiencies_fn::newton_step(efficiency_fit& best, const problem& of) {
  constexpr double smallest = 1e-6;  // smaller errors have no larger weight
  const matrix slopes = slopes_of(best, of);
  const std::size_t n = of.constants.size();
  matrix normal(n, vector(n, 0.0));
  vector downhill(n, 0.0);
  for (std::size_t i = 0; i < of.measured.size(); ++i) {
    const double error = std::log(best.predicted[i] / of.measured[i].seconds);
    const double weight = of.measured[i].weight / (std::abs(error) < smallest ? smallest : std::abs(error));
    for (std::size_t f = 0; f < n; ++f) {
      for (std::size_t g = 0; g < n; ++g) normal[f][g] += weight * slopes[i][f] * slopes[i][g];
      downhill[f] -= weight * slopes[i][f] * error;
    }
  }
  for (double damping = 1e-9; damping < 1e3; damping *= 30) {
    matrix damped = normal;
    for (std::size_t f = 0; f < n; ++f) damped[f][f] = normal[f][f] > 0 ? normal[f][f] * (1 + damping) : 1;
    const vector by = solved(damped, downhill);
    transformer::efficiencies tried = best.reached;
    for (std::size_t f = 0; f < n; ++f) {
      double& value = tried.*of.constants[f];
      if (best.determined[f]) value = within(of, f, value * std::exp(by[f]));
    }
    if (take(best, tried, of)) return true;
  }
  return false;
}

STAGECUT_DECL void fit_efficiencies_fn::descend(efficiency_fit& best, const problem& of, std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i) {
    const double before = best.mean_error;
    if (!newton_step(best, of) || best.mean_error > before * (1 - 1e-6)) return;
  }
}

STAGECUT_DECL void fit_efficiencies_fn::descend_from_afar(efficiency_fit& best, const problem& of) {
  const efficiency_fit first = best;
  descend(best, of);
  for (const double gemm : {0.35, 0.7}) {
    for (const double network : {0.15, 0.4, 0.8}) {
      efficiency_fit other = first;
      for (std::size_t f = 0; f < of.constants.size(); ++f) {
        if (!first.determined[f]) continue;
        if (of.constants[f] == &transformer::efficiencies::gemm) other.reached.gemm = gemm;
        if (of.constants[f] == &transformer::efficiencies::network) other.reached.network = network;
      }
      if (other.reached == first.reached) continue;
      other.predicted = of.predict(other.reached);
      other.mean_error = mean_error(of.measured, other.predicted);
      descend(other, of, 6);
      if (other.mean_error < best.mean_error) best = std::move(other);
    }
  }
  descend(best, of);
}

STAGECUT_DECL transformer::efficiencies fit_efficiencies_fn::moved(const efficiency_fit& from, std::size_t move,
                                                                   double step, const problem& of) {
  transformer::efficiencies made = from.reached;
  for (std::size_t f = 0; f < of.constants.size(); ++f, move /= 3) {
    if (move % 3 == 1 || !from.determined[f]) continue;
    double& value = made.*of.constants[f];
    value = within(of, f, value * (move % 3 == 2 ? 1 + step : 1 / (1 + step)));
  }
  return made;
}

STAGECUT_DECL void fit_efficiencies_fn::climb(efficiency_fit& best, double step, const problem& of) {
  const std::size_t n = of.constants.size();
  std::vector<std::size_t> moves;
  std::size_t all = 1;
  for (std::size_t f = 0; f < n; ++f) all *= n > 4 ? 1 : 3;
  for (std::size_t move = 0; move < all && n <= 4; ++move) moves.push_back(move);
  std::size_t still = 0;  // all digits 1
  for (std::size_t f = 0, digit = 1; f < n; ++f, digit *= 3) still += digit;
  for (std::size_t f = 0, digit = 1; f < n && n > 4; ++f, digit *= 3) {
    moves.push_back(still - digit);
    moves.push_back(still + digit);
  }
  for (bool better = true; better;) {
    const efficiency_fit from = best;
    for (const std::size_t move : moves) {
      const transformer::efficiencies tried = moved(from, move, step, of);
      if (!(tried == from.reached)) take(best, tried, of);
    }
    better = best.mean_error < from.mean_error * (n > 4 ? 1 - 1e-3 : 1);
  }
}

}  // namespace stagecut::inline STAGECUT_ABI
