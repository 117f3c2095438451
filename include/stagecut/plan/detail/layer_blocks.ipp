// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/layer_blocks.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/profile/parts/each_tie.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL void join_groups(const profile& model, std::vector<bool>& with_last) {
  const std::vector<layer>& layers = model.layers;
  for (std::size_t i = 1; i < layers.size(); ++i) {
    if (!layers[i].group.empty() && layers[i].group == layers[i - 1].group) with_last[i] = true;
  }
}

STAGECUT_DECL void join_colocated(const profile& model, std::vector<bool>& with_last) {
  constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  std::vector<std::size_t> first;                    // the first layer with each name; nowhere: not colocated so far
  std::vector<std::size_t> reach(with_last.size());  // for the names that begin in a layer, the last layer
  detail::each_tie(model, [&](std::size_t i, const tied_parameters& tied, std::size_t name) {
    if (name == first.size()) first.push_back(nowhere);
    if (first[name] == nowhere && tied.where == tied_parameters::placement::colocated) first[name] = i;
    if (first[name] != nowhere && reach[first[name]] < i) reach[first[name]] = i;
  });
  std::size_t furthest = 0;
  for (std::size_t i = 0; i < with_last.size(); ++i) {
    if (i <= furthest && i > 0) with_last[i] = true;
    furthest = std::max(furthest, reach[i]);
  }
}

STAGECUT_DECL void join_wanted(std::string_view function, const std::vector<std::size_t>& forbidden_cuts,
                               const std::vector<interval>& kept_together, std::vector<bool>& with_last) {
  const std::size_t n = with_last.size();
  const auto refuse = [&](const char* what, std::size_t i, const std::string& value, const char* where) {
    fail(argument_error(function, joined({what, "[", i, "]"}), value, joined({"must be ", where, n, " layers"})));
  };
  for (std::size_t i = 0; i < forbidden_cuts.size(); ++i) {
    const std::size_t cut = forbidden_cuts[i];
    if (cut == 0 || cut >= n) refuse("forbidden_cuts", i, std::to_string(cut), "between two of ");
    with_last[cut] = true;
  }
  for (std::size_t i = 0; i < kept_together.size(); ++i) {
    const auto [first, last] = kept_together[i];
    if (first >= last || last > n) {
      const std::string text = joined({"[", first, ", ", last, ")"});
      refuse("kept_together", i, text, "some of ");
    }
    for (std::size_t j = first + 1; j < last; ++j) with_last[j] = true;
  }
}

STAGECUT_DECL cuts blocks_of(std::string_view function, const profile& model,
                             const std::vector<std::size_t>& forbidden_cuts,
                             const std::vector<interval>& kept_together) {
  std::vector<bool> with_last(model.layers.size());  // kept with the layer before
  join_groups(model, with_last);
  join_colocated(model, with_last);
  join_wanted(function, forbidden_cuts, kept_together, with_last);
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < with_last.size(); ++i) {
    if (!with_last[i]) points.push_back(i);
  }
  points.push_back(with_last.size());
  return cuts(std::move(points));
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
