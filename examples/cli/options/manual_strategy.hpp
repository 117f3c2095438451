// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/cuts.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/frameworks/sapp_strategy.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/joint/even_recomputation.hpp>
#include <stagecut/joint/plan_recomputation.hpp>
#include <stagecut/joint/recompute_model.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "options/option_checks.hpp"
#include "output/screen.hpp"

/// A user's assignment and recomputation of layers, in a file in SAPP's format.
struct manual_strategy {
  std::string name;  // of the file, and in it
  stagecut::io::sapp_strategy read;

  /// Applies it to a chain with `before` layers before the ones it covers; later layers go to the last stage.
  [[nodiscard]] stagecut::recompute_strategy of(const stagecut::recompute_model& model, std::size_t before) const {
    stagecut::recompute_strategy result;
    std::vector<std::size_t> points = {before};
    result.choices.resize(before);
    for (std::size_t s = 0; s < read.layers.size(); ++s) {
      points.push_back(points.back() + read.layers[s]);
      // The strongest come first, as in plans.
      for (std::size_t k = read.counts[s].size(); k-- > 0;) {
        for (std::size_t n = 0; n < read.counts[s][k]; ++n) {
          result.choices.push_back(choice_of(model, result.choices.size(), k));
        }
      }
    }
    points.front() = 0;
    points.back() = model.layers.size();
    result.choices.resize(model.layers.size());
    result.cuts = stagecut::cuts(points, stagecut::empty_stages::allowed);
    return result;
  }

 private:
  /// The index of the choice of a layer that SAPP gives this number.
  [[nodiscard]] std::size_t choice_of(const stagecut::recompute_model& model, std::size_t layer,
                                      std::size_t called) const {
    constexpr const char* names[] = {"none", "select", "comm", "both", "full"};
    const auto& choices = model.types[model.layers[layer]].choices;
    for (std::size_t r = 0; r < choices.size(); ++r) {
      if (choices[r].name == names[called] || (called == 1 && choices[r].name == "selective")) return r;
    }
    throw CLI::ValidationError("--manual",
                               fmt::format("{} runs layers as {}, which they cannot be", shown(name), names[called]));
  }
};

/// Reads the strategies from a list of files.
[[nodiscard]] inline std::vector<manual_strategy> read_manuals(const std::string& files, std::size_t ranks,
                                                               std::size_t layers,
                                                               const stagecut::io::read_limits& limits) {
  std::vector<manual_strategy> result;
  if (files.empty()) return result;
  for (const std::string_view each : split(files, ',')) {
    const std::string file(each);
    for (auto& read : stagecut::io::read_sapp_strategies(stagecut::io::file_text(file, limits), file, ranks, layers, limits)) {
      result.push_back({read.name.empty() ? file : fmt::format("{}: {}", file, read.name), std::move(read)});
    }
  }
  return result;
}
