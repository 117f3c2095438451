// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/inference_figures.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_verification.hpp>
#include <stagecut/profile/profile.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string>

#include "output/basis_text.hpp"
#include "output/computed_text.hpp"

/// The predicted throughput of a plan.
struct predicted_rates {
  double tokens = 0;  ///< per second, over all devices
  std::size_t gpus = 1;
  std::optional<double> utilisation;  ///< MFU, of the data sheet's dense peak, times the speeds; unset: no training
  std::string basis;                  ///< the basis of the times
};

/// The devices of a plan, times the GPUs per device in its profile.
inline std::size_t gpus_of(const stagecut::plan& made) {
  std::size_t devices = 0;
  std::set<std::size_t> counted;  // ranks: several stages of one count once
  for (const auto& stage : made.stages) {
    if (counted.insert(stage.device).second) devices += stage.replicas * stage.tensor_parallel;
  }
  return devices * gpus_of_stage(made.profile);
}

/// The dense peak of all devices of a plan, each scaled by its speed, as a multiple of one GPU's.
inline double speed_of(const stagecut::plan& made) {
  double sum = 0;
  std::set<std::size_t> counted;  // ranks: several stages of one count once
  for (const auto& stage : made.stages) {
    const double speed = stage.device < made.speeds.size() ? made.speeds[stage.device] : 1;
    if (counted.insert(stage.device).second) sum += speed * static_cast<double>(stage.replicas * stage.tensor_parallel);
  }
  return sum * static_cast<double>(gpus_of_stage(made.profile));
}

/// Samples per iteration, over all replicas.
inline double samples_of(const stagecut::plan& made) {
  const nlohmann::json of = computed_figures(made.profile);
  const std::size_t own = made.own_microbatches && !made.stages.empty() ? made.stages[0].replicas : 1;
  return computed_figure(of, "microbatch", 1.0) * computed_figure(of, "data_parallel", 1.0) *
         static_cast<double>(own * made.schedule.microbatches);
}

/// Its rates; nothing if its profile was not computed from a configuration, so that tokens are unknown, or if there is
/// no prediction.
inline std::optional<predicted_rates> rates_of(const stagecut::plan& made) {
  const nlohmann::json of = computed_figures(made.profile);
  const double sequence = computed_figure(of, "sequence", 0.0);
  if (!(sequence > 0) || made.stages.empty() || !made.edges.empty()) return std::nullopt;
  predicted_rates result{0, gpus_of(made), std::nullopt, basis_text(made.profile)};
  if (made.profile.inference) {
    const double heaviest = stagecut::inference_figures_of(made).heaviest;
    if (!(heaviest > 0)) return std::nullopt;
    const double each = computes_prompts(made.profile) ? sequence : 1;
    result.tokens = each * computed_figure(of, "concurrent", 1.0) / heaviest;
    return result;
  }
  if (!made.makespan || !(*made.makespan > 0)) return std::nullopt;
  result.tokens = sequence * samples_of(made) / *made.makespan;
  const double flops = computed_figure(of, "flops", 0.0), peak = computed_figure(of, "peak", 0.0);
  if (flops > 0 && peak > 0) result.utilisation = flops * result.tokens / (speed_of(made) * peak);
  if (result.utilisation && *result.utilisation > 1)
    result.basis += "; no GPU exceeds its peak: times and peak contradict each other";
  return result;
}

/// As text: `8123 tokens/s, 1015 for each of 8 GPUs, MFU 44.6 %`.
inline std::string rates_text(const predicted_rates& rates) {
  const std::string utilisation =
      rates.utilisation ? fmt::format(", MFU {:.1f} %", 100 * *rates.utilisation) : std::string();
  const auto rate = [](double value) { return value < 1e5 ? fmt::format("{:.5g}", value) : fmt::format("{:.0f}", value); };
  return fmt::format("{} tokens/s, {} for each of {} GPU{}{}", rate(rates.tokens),
                     rate(rates.tokens / static_cast<double>(rates.gpus)), rates.gpus, rates.gpus == 1 ? "" : "s",
                     utilisation);
}

/// The same with the basis of the times in parentheses; empty if there are no rates.
inline std::string rates_text(const stagecut::plan& made) {
  const std::optional<predicted_rates> rates = rates_of(made);
  return rates ? fmt::format("{} ({})", rates_text(*rates), rates->basis) : std::string();
}

/// As a member of a plan's JSON; null where there are none.
inline nlohmann::ordered_json rates_json(const stagecut::plan& made) {
  const std::optional<predicted_rates> rates = rates_of(made);
  if (!rates) return nullptr;
  nlohmann::ordered_json result = {{"tokens_per_second", rates->tokens},
                                   {"tokens_per_second_per_gpu", rates->tokens / static_cast<double>(rates->gpus)},
                                   {"gpus", rates->gpus}};
  if (rates->utilisation) result["mfu"] = *rates->utilisation;
  result["basis"] = rates->basis;
  return result;
}

/// Whether a plan's `predicted` matches its profile; nothing if it has none.
inline std::optional<stagecut::plan_check> rates_check(const stagecut::profile& model, stagecut::plan made) {
  const auto others = nlohmann::json::parse(made.unknown_fields, nullptr, false);
  if (!others.is_object() || !others.contains("predicted")) return std::nullopt;
  stagecut::plan_check check;
  check.name = "predicted";
  made.profile = model;
  const nlohmann::ordered_json rates = rates_json(made);
  if (rates.is_null()) {
    check.result = stagecut::check_result::not_checked;
    check.why = "the profile does not give the number of tokens";
    return check;
  }
  const nlohmann::json& stored = others["predicted"];
  for (const char* const name : {"tokens_per_second", "tokens_per_second_per_gpu", "gpus", "mfu"}) {
    if (!stored.is_object() || (!stored.contains(name) && !rates.contains(name))) continue;
    const double claimed = computed_figure(stored, name, 0.0),
                 real = rates.contains(name) ? rates[name].get<double>() : 0;
    if (!check.claimed) check.claimed = claimed, check.recomputed = real;
    if (std::abs(claimed - real) <= 1e-6 * std::abs(real)) continue;
    check.result = stagecut::check_result::broken;
    check.claimed = claimed, check.recomputed = real;
    check.place = name;
    break;
  }
  return check;
}
