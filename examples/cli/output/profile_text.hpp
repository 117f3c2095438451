// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/profile.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "output/screen.hpp"
#include "output/table.hpp"
#include "options/memory_flags.hpp"
#include "options/quantity.hpp"

/// A time, or for a profile of weights a value in their unit.
inline std::string time_text(const stagecut::profile& model, double value) {
  return model.weights_only ? fmt::format("{:.6g}", value) : seconds_text(value);
}

/// A profile: the costs of its layers, grouped by kind.
inline std::string profile_text(const stagecut::profile& model) {
  struct sum {
    std::size_t count = 0;
    double forward = 0, backward = 0, parameters = 0, activations = 0;
  };
  std::vector<std::string> order;
  std::map<std::string, sum> kinds;
  double shared = 0;
  std::map<std::string, bool> seen;
  for (const auto& layer : model.layers) {
    sum& of = kinds[layer.kind];
    if (of.count++ == 0) order.push_back(layer.kind);
    of.forward += layer.forward, of.backward += layer.backward;
    of.parameters += layer.parameters, of.activations += layer.activations;
    for (const auto& tied : layer.tied) {
      if (!std::exchange(seen[tied.name], true)) shared += tied.bytes;
    }
  }
  const auto time = [&](double value) { return time_text(model, value); };
  table lines(0);
  const bool serves = model.inference;  // no backward pass, and memory other than activations
  const auto add = [&](const std::string& kind, const sum& of) {
    std::vector<std::string> cells = {kind, std::to_string(of.count), time(of.forward)};
    if (!serves) cells.push_back(time(of.backward));
    cells.insert(cells.end(), {bytes_text(of.parameters), bytes_text(of.activations)});
    lines.add(std::move(cells));
  };
  if (serves) lines.add({"kind", "layers", "forward", "parameters", "kept"});
  if (!serves) lines.add({"kind", "layers", "forward", "backward", "parameters", "activations"});
  sum all;
  for (const auto& kind : order) {
    const sum& of = kinds[kind];
    all.count += of.count, all.forward += of.forward, all.backward += of.backward;
    all.parameters += of.parameters, all.activations += of.activations;
    add(kind.empty() ? "-" : shown(kind), of);
  }
  add("all", all);
  const char* const one = serves ? ", to serve: one pass\n" : ", for one microbatch\n";
  std::string text = model.name.empty() ? "" : shown(model.name) + one;
  if (!model.edges.empty()) text += fmt::format("a graph of {} edges\n", model.edges.size());
  text += lines.text([](std::size_t) { return std::string(); });
  if (shared > 0) text += fmt::format("and {} of parameters that layers share\n", bytes_text(shared));
  if (const double constant = memory_flags::constant_in(model); constant != 0) {
    text += fmt::format("and {}{} on every device besides\n", constant < 0 ? "-" : "", bytes_text(std::abs(constant)));
  }
  return text;
}
