// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/fit/fit_efficiencies.hpp>
#include <stagecut/io/json/measured_file.hpp>
#include <stagecut/plan/plan_chain.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "output/table.hpp"
#include "options/quantity.hpp"

// Fits profiles to measurements.

/// Computes a profile for given efficiencies.
using profile_maker = std::function<stagecut::profile(const stagecut::transformer::efficiencies&)>;

/// The result of a fit.
struct calibration_result {
  stagecut::transformer::efficiencies reached{};
  std::string text{};
  double worst = 0;  ///< the largest relative error of a fitted time
};

/// The layer of that name.
/// @throws stagecut::invalid_input if there is none
inline std::size_t measured_place(const stagecut::profile& model, const std::string& name, const std::string& source) {
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (model.layers[i].name == name) return i;
  }
  throw stagecut::invalid_input(source, fmt::format("the model has no layer {}", shown(name)));
}

/// Seconds of an iteration with the measured number of each layer.
inline double predicted_iteration(const stagecut::profile& model, const stagecut::io::measured_iteration& of,
                                  const std::string& source) {
  const auto* const entry = stagecut::find_schedule(of.schedule);
  if (entry == nullptr)
    throw stagecut::invalid_input(source, fmt::format("there is no schedule {}", shown(of.schedule)));
  stagecut::plan_request request{
      .devices = of.devices, .microbatches = of.microbatches, .stages_per_rank = of.stages_per_rank};
  request.schedule = entry->kind;
  request.by = stagecut::measure::layers;
  try {
    const auto made = stagecut::plan_chain(model, request);
    if (made && made->makespan) return *made->makespan;
  } catch (const stagecut::argument_error& error) {
    const std::string what = error.what();
    throw stagecut::invalid_input(source, "an iteration: " + what.substr(what.find(": ") + 2));
  }
  throw stagecut::invalid_input(
      source, fmt::format("an iteration of {} on {} devices cannot be predicted", of.schedule, of.devices));
}

/// Fits efficiencies to measurements; with a table of the residuals.
inline calibration_result calibrate(const profile_maker& make, const stagecut::io::measured_file& measured,
                                    const stagecut::transformer::efficiencies& start, const std::string& source,
                                    const std::vector<stagecut::fitted_constant>& constants) {
  std::vector<stagecut::measured_time> times;
  std::vector<std::string> names;
  for (const auto& each : measured.layers) {
    if (each.forward) times.push_back({*each.forward}), names.push_back(each.name + ", forward");
    if (each.backward) times.push_back({*each.backward}), names.push_back(each.name + ", backward");
  }
  for (const auto& iteration : measured.iterations) {
    times.push_back({iteration.seconds});
    names.push_back(
        fmt::format("{} of {} microbatches on {}", iteration.schedule, iteration.microbatches, iteration.devices));
  }
  const auto predict = [&](const stagecut::transformer::efficiencies& reached) {
    const stagecut::profile model = make(reached);
    std::vector<double> seconds;
    for (const auto& each : measured.layers) {
      const stagecut::layer& layer = model.layers[measured_place(model, each.name, source)];
      if (each.forward) seconds.push_back(layer.forward);
      if (each.backward) seconds.push_back(layer.backward);
    }
    for (const auto& iteration : measured.iterations) seconds.push_back(predicted_iteration(model, iteration, source));
    for (const double each : seconds) {
      if (!(each > 0)) throw stagecut::invalid_input(source, "has a time of a pass that the model does not have");
    }
    return seconds;
  };
  // On one device only the product of gemm and power counts: the power limit keeps its start value.
  using stagecut::transformer::efficiencies;
  const auto both = [&](stagecut::fitted_constant field) {
    return std::find(constants.begin(), constants.end(), field) != constants.end();
  };
  const bool held_power = both(&efficiencies::gemm) && both(&efficiencies::power);
  efficiencies less = start;
  less.power *= 0.9;
  const bool limited = held_power && predict(less) != predict(start);
  const auto held = [&](efficiencies reached) {
    if (held_power) reached.power = start.power;
    return predict(reached);
  };
  const stagecut::efficiency_fit found = stagecut::fit_efficiencies(times, held, start, constants);
  table lines(0);
  lines.add({"measured", "seconds", "fitted", "error"});
  for (std::size_t i = 0; i < times.size(); ++i) {
    lines.add({names[i], seconds_text(times[i].seconds), seconds_text(found.predicted[i]),
               fmt::format("{:+.1f} %", 100 * found.error(i, times))});
  }
  std::string text = lines.text([](std::size_t) { return std::string(); });
  bool unlikely = false;
  std::size_t determined = 0;
  for (std::size_t f = 0; f < constants.size(); ++f) {
    const char* const name = stagecut::name_of(stagecut::transformer::efficiency_names, constants[f]);
    const double value = found.reached.*constants[f];
    const char* why = found.determined[f] ? "" : " (nothing measured depends on it)";
    if (limited && constants[f] == &efficiencies::power) why = " (kept: on one device it cannot be distinguished from gemm)";
    text += fmt::format("{}{} {:.4g}{}", f == 0 ? "" : ", ", name, value, why);
    const bool share = constants[f] == &efficiencies::gemm || constants[f] == &efficiencies::network ||
                       constants[f] == &efficiencies::link;
    const double change = value / (efficiencies{}.*constants[f]);
    unlikely = unlikely || (share ? value < 0.2 || value > 1.1 : change < 0.25 || change > 4);
    determined += found.determined[f] ? 1 : 0;
  }
  if (times.size() < determined) {
    text += fmt::format("\n{} for {}: others would fit as well",
                        times.size() == 1 ? "one time" : fmt::format("{} times", times.size()),
                        determined == 2 ? "two efficiencies" : fmt::format("{} efficiencies", determined));
  }
  double worst = 0;
  for (std::size_t i = 0; i < times.size(); ++i) worst = std::max(worst, std::abs(found.error(i, times)));
  if (worst > 0.5 || unlikely) {
    text += fmt::format("\n{}: are these seconds of a microbatch, of this training on this device?",
                        worst > 0.5 ? "this does not fit well" : "devices hardly reach that much, or that little");
  }
  return {found.reached, std::move(text), worst};
}
