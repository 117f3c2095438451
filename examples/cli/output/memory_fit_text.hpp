// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/fit/fit_memory.hpp>
#include <stagecut/io/frameworks/sapp_init.hpp>
#include <stagecut/profile/dry_runs.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include "output/table.hpp"
#include "options/quantity.hpp"

// The result of a memory fit, for a person.

/// Bytes, possibly below 0.
inline std::string signed_bytes_text(double bytes) {
  const double whole = std::round(bytes);
  return whole < 0 ? "-" + bytes_text(-whole) : bytes_text(whole);
}

/// The quality of a fit: lines of text.
inline std::string fit_quality_text(const stagecut::dry_runs& runs, const stagecut::memory_fit& found) {
  const stagecut::rank_peak& worst = runs.peaks[found.worst];
  const bool exact = std::round(found.largest_residual) < 1;
  std::string text = "predictions are off the peaks by ";
  text += exact ? "less than a byte\n"
                : fmt::format("{} at most, on rank {} of run {}, root mean square {}\n",
                              bytes_text(std::round(found.largest_residual)), worst.rank, worst.run,
                              bytes_text(std::round(found.root_mean_square)));
  if (std::round(found.margin) >= 1) {
    text += fmt::format("margin: keep {} of each device free\n", bytes_text(std::round(found.margin)));
  }
  return text + fmt::format("condition: errors of peaks grow {:.3g} times in the parts at most\n", found.condition);
}

/// The parts of the memory of a model.
inline std::string memory_fit_text(const stagecut::dry_runs& runs, const stagecut::memory_fit& found,
                                   const std::optional<stagecut::io::sapp_times>& times) {
  table lines(0);
  lines.add({"part", "memory", ""});
  const auto add = [&](const std::string& part, double bytes, bool known, const char* otherwise) {
    lines.add({part, known ? signed_bytes_text(bytes) : "-", known ? "" : otherwise});
  };
  add("constant of a rank", found.constant, found.constant_determined, "left out");
  add("parameters of a layer", found.parameters, true, "");
  for (std::size_t c = 0; c < runs.choices.size(); ++c) {
    add("activations of a layer, " + runs.choices[c], found.activations[c], true, "");
  }
  add("head", found.head, found.head_determined, "no peak is of a rank with it");
  add("tail", found.tail, found.tail_determined, "no peak is of a rank with it");
  std::string text = lines.text([](std::size_t) { return std::string(); });
  if (times) {
    text += fmt::format("forward passes: head {}, a layer {}, tail {}\n", seconds_text(times->head),
                        seconds_text(times->body), seconds_text(times->tail));
  }
  return text + fit_quality_text(runs, found);
}
