// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/interval.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "options/option_checks.hpp"
#include "options/quantity.hpp"
#include "output/screen.hpp"

// Layers on the command line: by name, or by number from 0.

/// The layers of that name, or else the one of that number.
inline std::vector<std::size_t> layers_called(const stagecut::profile& model, std::string_view text) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (!text.empty() && model.layers[i].name == text) result.push_back(i);
  }
  const auto number = parse_count(text);
  if (result.empty() && number && *number < model.layers.size()) result.push_back(*number);
  return result;
}

/// Why a text does not name one layer, and what would.
inline std::string no_layer(const stagecut::profile& model, std::string_view text) {
  constexpr std::size_t most = 6;
  const auto called = layers_called(model, text);
  if (called.size() > 1) {
    std::string numbers;
    for (std::size_t i = 0; i < called.size() && i < most; ++i) {
      numbers += fmt::format("{}{}", i == 0 ? "" : ", ", called[i]);
    }
    return fmt::format("{} are {} layers: give the number, {}{}", shown(std::string(text)), called.size(), numbers,
                       called.size() > most ? " .." : "");
  }
  std::string names;
  const std::size_t n = model.layers.size();
  for (std::size_t i = 0; i < n && i < most; ++i) {
    const std::size_t at = n <= most || i + 1 < most ? i : n - 1;  // the first ones and the last
    if (model.layers[at].name.empty()) continue;
    names += fmt::format("{}{}", names.empty() ? "" : i == at ? ", " : " .. ", shown(model.layers[at].name));
  }
  return fmt::format("there is no layer {}: there are {}{}0 to {}", text.empty() ? "\"\"" : shown(std::string(text)),
                     names, names.empty() ? "" : ", or ", n - 1);
}

/// The layer that a text names.
/// @throws CLI::ValidationError naming the option
inline std::size_t parse_layer(const char* option, const stagecut::profile& model, std::string_view text) {
  const auto called = layers_called(model, text);
  if (called.size() != 1) throw CLI::ValidationError(option, no_layer(model, text));
  return called[0];
}

/// `NAME|INDEX,...`: the cuts directly after these layers.
inline std::vector<std::size_t> parse_cuts(const char* option, const stagecut::profile& model,
                                           const std::string& text) {
  std::vector<std::size_t> result;
  if (text.empty()) return result;
  for (const std::string_view each : split(text, ',')) {
    const std::size_t layer = parse_layer(option, model, each);
    if (layer + 1 == model.layers.size()) {
      throw CLI::ValidationError(option, fmt::format("{} is the last layer: there is no cut behind it", each));
    }
    result.push_back(layer + 1);
  }
  return result;
}

/// `FIRST..LAST,...`: these layers and all between them.
inline std::vector<stagecut::interval> parse_runs(const char* option, const stagecut::profile& model,
                                                  const std::string& text) {
  std::vector<stagecut::interval> result;
  if (text.empty()) return result;
  for (const std::string_view each : split(text, ',')) {
    // Names may contain dots: the text splits where both sides are layers.
    std::size_t dots = each.find("..");
    const std::size_t before = dots;
    if (dots == std::string_view::npos) {
      throw CLI::ValidationError(option, fmt::format("{} is not FIRST..LAST", shown(std::string(each))));
    }
    while (dots != std::string_view::npos && (layers_called(model, each.substr(0, dots)).size() != 1 ||
                                              layers_called(model, each.substr(dots + 2)).size() != 1)) {
      dots = each.find("..", dots + 1);
    }
    if (dots == std::string_view::npos) dots = before;
    const std::size_t first = parse_layer(option, model, each.substr(0, dots));
    const std::size_t last = parse_layer(option, model, each.substr(dots + 2));
    if (last < first) {
      throw CLI::ValidationError(option, fmt::format("{} ends before it begins", shown(std::string(each))));
    }
    result.push_back({first, last + 1});
  }
  return result;
}

/// Restrictions on cut points, as options of `plan`.
struct layer_flags {
  std::string together;
  std::string uncut;

  void add(CLI::App& command) {
    command.add_option("--keep-together", together, "Layers A to B in one stage: 0..2,layers.6..head")
        ->type_name("A..B");
    command.add_option("--forbid-cut", uncut, "No cut right behind the layers A and B")->type_name("A,B");
  }

  /// Rejects them if any was given.
  void refuse(const char* why) const {
    if (!together.empty()) throw CLI::ValidationError("--keep-together", why);
    if (!uncut.empty()) throw CLI::ValidationError("--forbid-cut", why);
  }

  /// Fills a request for that model.
  void ask(const stagecut::profile& model, stagecut::plan_request& request) const {
    request.kept_together = parse_runs("--keep-together", model, together);
    request.forbidden_cuts = parse_cuts("--forbid-cut", model, uncut);
  }
};
