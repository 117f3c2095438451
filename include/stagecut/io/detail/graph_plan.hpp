// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/check_profile.hpp>
#include <stagecut/io/detail/plan_fault.hpp>
#include <stagecut/io/detail/plan_parts.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>

// Shared by the writers of graphs: a check of the plan, the edges of its profile, and colours of its stages.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// Rejects a plan whose parts contradict each other.
/// @throws argument_error
inline void check_graph_plan(std::string_view function, const plan& made) {
  const auto refuse = [&](std::string_view pointer, std::string_view what, std::string_view problem) {
    fail(argument_error(joined({"io::", function}), joined({"plan#", pointer}), what, problem));
  };
  if (const plan_fault fault = find_plan_fault(made)) refuse(fault.pointer, fault.what, fault.problem);
  check_profile(made.profile, [&](std::string_view pointer, std::string_view what, std::string_view problem) {
    refuse(joined({"/profile", pointer}), what, problem);
  });
}

/// The edges of a profile; for a chain, from each layer to the next.
[[nodiscard]] inline std::vector<profile_edge> all_edges(const profile& model) {
  if (!model.edges.empty()) return model.edges;
  std::vector<profile_edge> result;
  for (std::size_t i = 1; i < model.layers.size(); ++i) result.push_back({i - 1, i});
  return result;
}

/// Unique names of layers: their own if all have one and all are different; else their numbers.
[[nodiscard]] inline std::vector<std::string> unique_names(const profile& model) {
  std::vector<std::string> names;
  std::set<std::string_view> known;
  bool unique = true;
  for (const auto& layer : model.layers) {
    names.push_back(layer.name);
    unique = unique && !layer.name.empty() && known.insert(layer.name).second;
  }
  for (std::size_t i = 0; !unique && i < names.size(); ++i) names[i] = std::to_string(i);
  return names;
}

/// A light colour for a stage; adjacent stages differ.
[[nodiscard]] inline std::string_view stage_colour(std::size_t stage) noexcept {
  constexpr std::array<std::string_view, 12> colours = {"#a6c8f0", "#f6c48e", "#b5dfa6", "#f2b3c3",
                                                        "#c9bdea", "#e9dc8f", "#a5dcd9", "#e3b79c",
                                                        "#d3d8de", "#e6a7e0", "#c6e57f", "#9fb6c9"};
  return colours[stage % colours.size()];
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
