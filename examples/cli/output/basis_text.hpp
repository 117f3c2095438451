// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/efficiencies.hpp>
#include <stagecut/profile/profile.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "output/computed_text.hpp"
#include "output/validated_runs.hpp"

/// The kind of model whose profile was computed: dense, experts, hybrid; or mixers without published runs.
inline std::string model_kind(const nlohmann::json& computed) {
  if (const auto mixers = computed_figure<std::string>(computed, "mixers", ""); !mixers.empty()) return mixers;
  if (computed_figure(computed, "hybrid", false)) return "hybrid";
  const bool experts = computed_figure(computed, "active_parameters", 0.0) < computed_figure(computed, "parameters", 0.0);
  return experts ? "experts" : "dense";
}

/// Whether a profile was computed with the usual constants of the cost model.
inline bool has_usual_constants(const nlohmann::json& computed) {
  const stagecut::transformer::efficiencies usual;
  const nlohmann::json given = computed.value("efficiency", nlohmann::json::object());
  return std::all_of(
      std::begin(stagecut::transformer::efficiency_names), std::end(stagecut::transformer::efficiency_names),
      [&](const auto& each) { return computed_figure(given, each.name, usual.*each.value) == usual.*each.value; });
}

/// Whether the constants were fitted to the runs that their errors are of.
inline std::string fitted_text(const validated_runs& of) {
  if (of.fitted == 0) return "the constants fitted to others";
  if (of.fitted == of.runs) return of.runs == 1 ? "the constants fitted to it" : "the constants fitted to them";
  return fmt::format("the constants fitted to {} of them", of.fitted);
}

/// What the times of a profile rest on: measured; computed, with the errors on published runs like it; computed and not
/// validated. Nothing if it was not computed.
inline std::string basis_text(const stagecut::profile& model) {
  const nlohmann::json of = computed_figures(model);
  if (of.empty()) return "";
  const double fit_error = computed_figure(of, "fit_error", 0.0);
  const std::string fit = fit_error > 0.5 ? fmt::format(", by constants that do not fit: {:.0f} % off at most", 100 * fit_error) : "";
  if (computed_figure(of, "measured", false)) return "times measured, the rest computed" + fit;
  std::string text = "times computed, not measured";
  if (of.contains("fit_error"))
    return text + fmt::format("; the constants fitted to measured iterations: {:.1f} % off at most", 100 * fit_error);
  if (model.inference) return text + "; serving is not validated";
  if (!has_usual_constants(of)) return text + "; with other constants than those of the published runs";
  if (computed_figure(of, "other_figures", false)) return text + "; not validated with these figures of the device";
  const std::string kind = model_kind(of);
  std::string precision = computed_figure<std::string>(of, "precision", "bf16");
  if (precision == "fp16") precision = "bf16";
  const std::string device = computed_figure<std::string>(of, "device", "");
  const auto* const found = std::find_if(std::begin(all_validated_runs), std::end(all_validated_runs), [&](const validated_runs& row) {
    return row.kind == kind && row.precision == precision && row.device == device;
  });
  if (found != std::end(all_validated_runs)) {
    const std::string runs = fmt::format("; {} published run{} of its kind on this device, {}: {:.1f} % off", found->runs,
                                         found->runs == 1 ? "" : "s", fitted_text(*found), found->median);
    return text + runs + (found->runs == 1 ? "" : fmt::format(" in the median, {:.0f} % at most", found->worst));
  }
  const std::string name = kind == "hybrid"    ? "hybrids of Mamba and experts"
                           : kind == "experts" ? "mixtures of experts"
                           : kind == "dense"   ? "dense models"
                                               : "models with " + shown(kind);
  return text + fmt::format("; not validated for {} in {} on {}", name, shown(precision), device.empty() ? "this device" : shown(device));
}
