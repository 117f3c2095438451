// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/detail/gallop.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/layered_graph.hpp>
#include <stagecut/makespan/detail/cut_search.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/makespan/parts/cut_space.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Adds to an answer all cuts within the fraction of its makespan that was asked for, in ticks of the longest of them.
inline void collect_cuts_within(engine::chain_ticks& chain, const makespan_request& request,
                                engine::cut_simulator& simulator, cut_space& space, makespan_cut& result) {
  if (request.most_within == 0) return;
  const double factor = 1 + *request.within;
  const double longest = result.makespan * factor;
  const bool rescaled = longest > chain.most();
  if (rescaled) chain.scale(longest);
  const std::vector<std::size_t> own(result.cuts.points().begin(), result.cuts.points().end());
  const double least = simulator(own);
  const double wanted = chain.error() > 0 ? (longest + chain.error()) / chain.tick + 1 : least * factor;
  constexpr double beyond = 0x1p52;  // any makespan in ticks
  double most = wanted < beyond ? static_cast<double>(static_cast<std::int64_t>(wanted)) : beyond;
  // Cuts are told by their makespans before rounding, which may be in another order than ticks are.
  const bool rounded = chain.error() > 0;
  std::optional<engine::cut_simulator> before_rounding;
  if (rounded) before_rounding.emplace(chain, request.order, request.transfers);
  const auto told = [&](view<const std::size_t> points, double value) {
    return rounded ? before_rounding->unrounded(points) : value * chain.tick;
  };
  std::vector<std::pair<double, std::vector<std::size_t>>> all{{told(own, least), own}};
  bool dropped = false;
  const auto keep = [&](view<const std::size_t> points, double value) {
    std::pair<double, std::vector<std::size_t>> here{told(points, value), {points.begin(), points.end()}};
    if (rounded && here.first > longest) return most;
    const std::size_t place = detail::gallop(0, all.size(), 0, [&](std::size_t i) { return !(all[i] < here); });
    if (place == all.size() || all[place] != here) {
      all.insert(all.begin() + static_cast<std::ptrdiff_t>(place), std::move(here));
    }
    if (all.size() > request.most_within) {
      all.pop_back();
      dropped = true;
      const double last = (all.back().first + chain.error()) / chain.tick;
      const double enough = rounded ? static_cast<double>(static_cast<std::int64_t>(last)) + 1 : last;
      most = std::min(most, enough);
    }
    return most;
  };
  if ((!rescaled && space.holds(most)) || space.build(most)) {
    engine::layered_graph graph = space.within(most);
    const auto left = space.search()(graph, most, ~std::size_t{0} / 2, true, keep);
    result.all_within = left == cut_search::result::none && !dropped;
  }
  for (const auto& [value, points] : all) result.within.push_back({cuts(points), value});
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
