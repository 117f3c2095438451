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
#include <stagecut/profile/accelerator.hpp>

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
                                             const std::vector<measured_time>& measured, const predictor& predict) {
  std::vector<double> predicted = predict(tried);
  const double error = mean_error(measured, predicted);
  if (!(error < best.mean_error)) return false;
  best.reached = tried;
  best.mean_error = error;
  best.predicted = std::move(predicted);
  return true;
}

STAGECUT_DECL auto fit_efficiencies_fn::solved(matrix a, vector b) -> vector {
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

STAGECUT_DECL auto fit_efficiencies_fn::slopes_of(const efficiency_fit& at, const predictor& predict)
    -> std::vector<vector> {
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

STAGECUT_DECL bool fit_efficiencies_fn::newton_step(efficiency_fit& best, const std::vector<measured_time>& measured,
                                                    const predictor& predict) {
  constexpr double smallest = 1e-6;  // smaller errors have no larger weight
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

STAGECUT_DECL void fit_efficiencies_fn::descend(efficiency_fit& best, const std::vector<measured_time>& measured,
                                                const predictor& predict, std::size_t steps) {
  for (std::size_t i = 0; i < steps; ++i) {
    const double before = best.mean_error;
    if (!newton_step(best, measured, predict) || best.mean_error > before * (1 - 1e-6)) return;
  }
}

STAGECUT_DECL void fit_efficiencies_fn::descend_from_afar(efficiency_fit& best,
                                                          const std::vector<measured_time>& measured,
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

STAGECUT_DECL transformer::efficiencies fit_efficiencies_fn::moved(const efficiency_fit& from, std::size_t move,
                                                                   double step) {
  transformer::efficiencies made = from.reached;
  for (std::size_t f = 0; f < fields.size(); ++f, move /= 3) {
    if (move % 3 == 1 || !from.determined[f]) continue;
    const double value = made.*fields[f] * (move % 3 == 2 ? 1 + step : 1 / (1 + step));
    made.*fields[f] = within(value);
  }
  return made;
}

STAGECUT_DECL void fit_efficiencies_fn::climb(efficiency_fit& best, double step,
                                              const std::vector<measured_time>& measured, const predictor& predict) {
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

}  // namespace stagecut::inline STAGECUT_ABI
