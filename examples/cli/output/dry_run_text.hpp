// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/fit/next_dry_run.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// Dry runs in SAPP's terms.

/// The settings of a run, one number per rank.
struct sapp_settings {
  std::vector<long long> offset;                ///< layers above an even share
  std::vector<std::size_t> full, select, comm;  ///< layers with this recomputation, or a stronger one
};

/// The settings of a run.
inline sapp_settings sapp_settings_of(const stagecut::dry_run& run, const std::vector<std::string>& choices,
                                      std::size_t layers) {
  sapp_settings result;
  const std::size_t share = layers / run.layers.size();
  for (std::size_t r = 0; r < run.layers.size(); ++r) {
    std::size_t full = 0, select = 0, comm = 0;
    for (std::size_t c = 0; c < choices.size(); ++c) {
      const std::size_t count = run.counts[r][c];
      const std::string_view name = choices[c];
      full += name == "full" ? count : 0;
      select += name == "select" || name == "both" || name == "full" ? count : 0;
      comm += name == "comm" || name == "both" || name == "full" ? count : 0;
    }
    result.offset.push_back(static_cast<long long>(run.layers[r]) - static_cast<long long>(share));
    result.full.push_back(full);
    result.select.push_back(select);
    result.comm.push_back(comm);
  }
  return result;
}

/// The proposed runs, for a person, to be pasted run by run.
inline std::string dry_runs_text(const stagecut::dry_run_design& design, const std::vector<std::string>& choices,
                                 std::size_t layers, std::size_t before) {
  std::string text;
  for (std::size_t i = 0; i < design.runs.size(); ++i) {
    const sapp_settings of = sapp_settings_of(design.runs[i], choices, layers);
    text += fmt::format("run {}: {} layers\n", before + i, fmt::join(design.runs[i].layers, ", "));
    text += fmt::format("offset: [{}]\nrecompute: [{}]\nselect_recompute: [{}]\nselect_comm_recompute: [{}]\n",
                        fmt::join(of.offset, ", "), fmt::join(of.full, ", "), fmt::join(of.select, ", "),
                        fmt::join(of.comm, ", "));
  }
  text += design.least_runs == 1 ? "1 run determines all parts"
                                 : fmt::format("{} runs determine all parts", design.least_runs);
  if (!design.constant_determined)
    text += " but the constant, which no run would determine: stagecut fit memory --no-constant";
  return text + fmt::format("\ncondition: errors of peaks grow {:.3g} times in the parts at most\n", design.condition);
}

/// The same as a file for `stagecut fit memory` and for SAPP, without the measurements.
inline std::string dry_runs_yaml(const stagecut::dry_run_design& design, const std::vector<std::string>& choices,
                                 std::size_t layers) {
  std::vector<sapp_settings> all;
  for (const stagecut::dry_run& run : design.runs) all.push_back(sapp_settings_of(run, choices, layers));
  const auto lists = [&](const char* indent, const char* name, auto part) {
    std::string text = fmt::format("{}{}:\n", indent, name);
    for (const sapp_settings& settings : all)
      text += fmt::format("{}  - [{}]\n", indent, fmt::join(settings.*part, ", "));
    return text;
  };
  return fmt::format("pipeline_config:\n  pipeline_num: {}\n  num_layer: {}\n", design.runs.front().layers.size(),
                     layers) +
         lists("  ", "offset", &sapp_settings::offset) + "recompute_config:\n" +
         lists("  ", "recompute", &sapp_settings::full) + lists("  ", "select_recompute", &sapp_settings::select) +
         lists("  ", "select_comm_recompute", &sapp_settings::comm);
}
