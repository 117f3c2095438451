// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/frameworks/megatron_layout.hpp>
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/io/json/parse_json.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/profile/profile.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "options/layer_flags.hpp"
#include "options/option_checks.hpp"
#include "options/quantity.hpp"
#include "output/file_notes.hpp"
#include "output/screen.hpp"

/// Reads a plan in which only `cuts` may have been edited: derives the layers of its stages from that.
inline stagecut::plan edited_plan(const std::string& file, const stagecut::io::read_limits& limits) {
  const std::string text = stagecut::io::file_text(file, limits);
  auto parsed = stagecut::io::parse_json(text, file, limits);
  const auto is_list = [&](const char* name) { return parsed.is_object() && parsed.contains(name) && parsed[name].is_array(); };
  const auto read = [&](const std::string& from) {
    stagecut::plan made = stagecut::io::parse_json_plan(from, file, limits);
    say_file_notes(text, file, made);
    return made;
  };
  if (!is_list("cuts") || !is_list("stages") || parsed["cuts"].size() != parsed["stages"].size() + 1) return read(text);
  for (std::size_t s = 0; s < parsed["stages"].size(); ++s) {
    if (!parsed["stages"][s].is_object()) continue;
    parsed["stages"][s]["first"] = parsed["cuts"][s];
    parsed["stages"][s]["last"] = parsed["cuts"][s + 1];
  }
  return read(parsed.dump());
}

/// Rejects a plan that a cut does not fully describe: stages on several devices, and divided layers.
/// @throws CLI::ValidationError
inline void refuse_more_than_cut(const stagecut::plan& made) {
  for (std::size_t s = 0; s < made.stages.size(); ++s) {
    const stagecut::planned_stage& each = made.stages[s];
    if (each.replicas * each.tensor_parallel == 1) continue;
    throw CLI::ValidationError(
        "--plan",
        fmt::format("stage {} has {} replica{} of {} device{}, and a cut has one device a stage: "
                    "replicas, degrees, the GPU and links would not be kept; show, simulate and "
                    "explain read the plan itself",
                    s, each.replicas, each.replicas == 1 ? "" : "s", each.tensor_parallel, each.tensor_parallel == 1 ? "" : "s"));
  }
}

/// A user's cut, as options of `plan`: by the first layers of its stages, by their sizes, by a Megatron-LM layout, or
/// by a plan.
struct cut_flags {
  std::string cuts, balance, layout, plan;
  bool no_search = false;

  void add(CLI::App& command) {
    const auto option = [&](const char* name, std::string& into, const char* type, const char* says) {
      command.add_option(name, into, says)->type_name(type)->group(rare_options);
    };
    option("--cuts", cuts, "LIST", "Your cut, to compare: first layers, 0,4,8,12");
    option("--balance", balance, "LIST", "Your cut: layers, or decoders, of each stage");
    option("--layout", layout, "LAYOUT", "Your cut, as Megatron-LM has it: Et*4|t*4|L, M-M*|M-");
    option("--plan", plan, "FILE", "Your cut: a plan file, which may be edited");
    command.add_flag("--no-search", no_search, "Write your cut, and search for none")->group(rare_options);
  }

  /// The option that gives one; empty: none.
  [[nodiscard]] const char* given() const {
    const char* found = "";
    for (const auto& [name, text] : {std::pair("--cuts", &cuts), std::pair("--balance", &balance),
                                     std::pair("--layout", &layout), std::pair("--plan", &plan)}) {
      if (text->empty()) continue;
      if (*found != '\0')
        throw CLI::ValidationError(name, fmt::format("gives a cut, and {} does: give one of both", found));
      found = name;
    }
    if (no_search && *found == '\0') {
      throw CLI::ValidationError("--no-search", "goes with a cut of your own: --cuts, --balance, --layout or --plan");
    }
    return found;
  }

  /// Rejects a user's cut.
  void refuse(const char* why) const {
    if (const char* const option = given(); *option != '\0') throw CLI::ValidationError(option, why);
  }

  /// The given cut of a model; unset if none was given.
  [[nodiscard]] std::optional<stagecut::cuts> of(const stagecut::profile& model,
                                                 const stagecut::io::read_limits& limits) const {
    const char* const option = given();
    if (*option == '\0') return std::nullopt;
    if (!model.edges.empty()) throw CLI::ValidationError(option, "is for a chain, and this is a graph");
    if (!cuts.empty()) return of_points(model);
    if (!balance.empty()) return of_sizes(model);
    if (!layout.empty()) return stagecut::io::read_megatron_layout(layout, "--layout", model);
    return of_plan(model, limits);
  }

 private:
  /// From first layers, by number or name; 0 and the end of the last stage may be omitted, or given.
  [[nodiscard]] stagecut::cuts of_points(const stagecut::profile& model) const {
    const std::size_t n = model.layers.size();
    std::vector<std::size_t> points = {0};
    for (const std::string_view cut : split(cuts, ',')) {
      const bool end = parse_count(cut) == n && layers_called(model, cut).empty();
      const std::size_t point = end ? n : parse_layer("--cuts", model, cut);
      if (point == 0 && points.size() == 1) continue;
      if (point <= points.back()) {
        throw CLI::ValidationError("--cuts",
                                   fmt::format("{} does not follow {}", shown(std::string(cut)), points.back()));
      }
      points.push_back(point);
    }
    if (points.back() != n) points.push_back(n);
    return stagecut::cuts(std::move(points));
  }

  /// From numbers of layers, or of decoders: layers before the first decoder are on the first stage, and layers after
  /// the last one on the last.
  [[nodiscard]] stagecut::cuts of_sizes(const stagecut::profile& model) const {
    const auto sizes = parse_list<std::size_t>("--balance", balance, "4,4,4,4");
    const std::size_t all = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    std::vector<std::size_t> decoders;
    const auto is_decoder = [](const stagecut::layer& layer) { return layer.kind == "decoder"; };
    const bool hybrid = std::none_of(model.layers.begin(), model.layers.end(), is_decoder);
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
      const stagecut::layer& each = model.layers[i];
      const bool part = hybrid && stagecut::find_name(stagecut::pattern_kinds, each.kind) != nullptr;
      if (part || is_decoder(each)) decoders.push_back(i);
    }
    const std::size_t n = model.layers.size();
    if (all != n && all != decoders.size()) {
      throw CLI::ValidationError("--balance", fmt::format("{} are {} layers: the model has {}{}", balance, all, n,
                                                          decoders.empty() ? "" : fmt::format(", {} of them decoders", decoders.size())));
    }
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      if (sizes[s] == 0) throw CLI::ValidationError("--balance", fmt::format("stage {} is empty: every stage has a layer", s));
    }
    std::vector<std::size_t> points = {0};
    std::size_t before = 0;
    for (std::size_t s = 0; s + 1 < sizes.size(); ++s) {
      before += sizes[s];
      points.push_back(all == n ? before : decoders[before]);
    }
    points.push_back(n);
    return stagecut::cuts(std::move(points));
  }

  [[nodiscard]] stagecut::cuts of_plan(const stagecut::profile& model, const stagecut::io::read_limits& limits) const {
    const stagecut::plan made = edited_plan(plan, limits);
    if (!made.assignment.empty()) throw CLI::ValidationError("--plan", "its stages are no intervals of a chain");
    if (made.cuts.items() != model.layers.size()) {
      throw CLI::ValidationError(
          "--plan", fmt::format("is of {} layers, and the model has {}", made.cuts.items(), model.layers.size()));
    }
    for (std::size_t s = 0; s < made.cuts.stages(); ++s) {
      if (made.cuts[s] == made.cuts[s + 1]) throw CLI::ValidationError("--plan", fmt::format("stage {} is empty", s));
    }
    return made.cuts;
  }
};
