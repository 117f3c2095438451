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

#include "text/screen.hpp"

/// A way of one's own to deal layers out and to recompute them, in SAPP's words in a file.
class manual_strategy {
 public:
  manual_strategy(std::string file, const stagecut::asked_recomputation& asked, const stagecut::io::read_limits& limits)
      : file_(std::move(file)),
        asked_(asked),
        read_(stagecut::io::read_sapp_strategy(stagecut::io::file_text(file_, limits), file_,
                                               asked.request.order.ranks(), asked.chain.model.layers.size(), limits)) {}

  /// Says that it is of another number of chunks than the plan; empty: it is not.
  [[nodiscard]] std::string other_chunks() const {
    const stagecut::schedule& order = asked_.request.order;
    if (read_.layers.size() == order.stages()) return "";
    return fmt::format("has {} chunk{}, and the plan has {}", read_.chunks, read_.chunks == 1 ? "" : "s",
                       order.stages() / order.ranks());
  }

  /// @pre it has as many chunks as the plan
  [[nodiscard]] stagecut::recompute_strategy strategy() const {
    stagecut::recompute_strategy result;
    std::vector<std::size_t> points = {0};
    for (std::size_t s = 0; s < read_.layers.size(); ++s) {
      points.push_back(points.back() + read_.layers[s]);
      // The strongest come first, as in plans.
      for (std::size_t k = read_.counts[s].size(); k-- > 0;) {
        for (std::size_t n = 0; n < read_.counts[s][k]; ++n) {
          result.choices.push_back(choice_of(result.choices.size(), k));
        }
      }
    }
    result.cuts = stagecut::cuts(points, stagecut::empty_stages::allowed);
    return result;
  }

 private:
  /// The number of the choice of a layer that SAPP calls so.
  [[nodiscard]] std::size_t choice_of(std::size_t layer, std::size_t called) const {
    constexpr const char* names[] = {"none", "select", "comm", "both", "full"};
    const stagecut::recompute_model& model = asked_.chain.model;
    const auto& choices = model.types[model.layers[layer]].choices;
    for (std::size_t r = 0; r < choices.size(); ++r) {
      if (choices[r].name == names[called] || (called == 1 && choices[r].name == "selective")) return r;
    }
    throw CLI::ValidationError("--manual",
                               fmt::format("{} runs layers as {}, which they cannot be", shown(file_), names[called]));
  }

  std::string file_;
  const stagecut::asked_recomputation& asked_;
  stagecut::io::sapp_strategy read_;
};
