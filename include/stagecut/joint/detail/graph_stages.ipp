// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/graph_stages.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/stage_mixtures.hpp>
#include <stagecut/joint/pipeline_states.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL bool graph_stages::is_whole() const {
  bool whole = true;
  for (std::size_t last = 1; last <= size(); ++last) {
    each_mixtures(last, [&](std::size_t, const detail::stage_mixtures* all) {
      for (std::size_t w = 0; w < choices_.tensor_parallel.size(); ++w) whole = whole && all[w].is_whole();
    });
  }
  return whole;
}

STAGECUT_DECL std::vector<std::size_t> graph_stages::mixture(std::size_t first, std::size_t last,
                                                             const stage_option& option) const {
  return mixture_of(layers_of(first, last), option);
}

STAGECUT_DECL graph_states graph_stages::points_of(const profile& model, std::size_t most) {
  state_options options;
  options.most_states = most;
  outcome<graph_states> found = states_of_graph(model, options);
  if (found) return *std::move(found);
  detail::fail(invalid_input(
      "edges", detail::joined({"there are more than ", most, " sets of layers that stages could end at"})));
}

STAGECUT_DECL bool graph_stages::may_be(std::size_t first, std::size_t last) const {
  if (!bonds_.may_be([&](std::size_t layer) { return points_.holds(first, last, layer); })) return false;
  return !choices_.allowed || choices_.allowed(first, last);
}

STAGECUT_DECL void graph_stages::keep() {
  std::size_t all = 0;
  for (std::size_t last = 1; last <= size(); ++last) all += points_.earlier(last);
  if (all * choices_.tensor_parallel.size() > most_kept) return;
  std::vector<std::vector<detail::stage_mixtures>> kept(size() + 1);
  for (std::size_t last = 1; last <= size(); ++last) kept[last] = mixtures_to(last);
  kept_ = std::move(kept);
}

STAGECUT_DECL std::vector<detail::stage_mixtures> graph_stages::mixtures_to(std::size_t last) const {
  const std::size_t ways = choices_.tensor_parallel.size();
  std::vector<detail::stage_mixtures> result(points_.earlier(last) * ways, detail::stage_mixtures(choices_.relaxed));
  std::vector<std::size_t> number(last);
  for (std::size_t i = points_.earlier(last); i-- > 0;) {
    const std::size_t first = points_.earlier(last, i);
    number[first] = i;
    const std::size_t rest = points_.next(first, last);
    const std::vector<std::size_t> more = points_.layers_of(first, rest);
    for (std::size_t w = 0; w < ways; ++w) {
      detail::stage_mixtures& here = result[i * ways + w];
      if (rest != last) here = result[number[rest] * ways + w];
      for (std::size_t k = more.size(); k-- > 0;) here.add(layers_.of(w, more[k]));
    }
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
