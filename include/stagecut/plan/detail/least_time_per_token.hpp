// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/cut_times.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/plan/detail/limits_of.hpp>
#include <stagecut/plan/detail/objective_cut.hpp>
#include <stagecut/plan/detail/stage_devices.hpp>
#include <stagecut/plan/detail/token_ticks.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/sequence/chain_limits.hpp>
#include <stagecut/sequence/detail/stage_windows.hpp>
#include <stagecut/sequence/minimize_total.hpp>

// The objective `time_per_token`.
namespace stagecut::inline STAGECUT_ABI::detail {

/// A constraint, and stages of at most so many ticks.
template <stage_constraint Constraint>
class token_limit {
 public:
  token_limit(const token_ticks& ticks, const Constraint& allowed, std::int64_t most)
      : ticks_(ticks), allowed_(allowed), most_(most) {}
  [[nodiscard]] bool operator()(std::size_t s, std::size_t first, std::size_t last) const {
    return ticks_(s, first, last) <= most_ && allowed_(s, first, last);
  }
  [[nodiscard]] bool hopeless(std::size_t s, std::size_t first, std::size_t last) const {
    return ticks_.computing(s, first, last) > most_ ||
           detail::hopeless(allowed_, s, first, last, allowed_(s, first, last));
  }

 private:
  const token_ticks& ticks_;
  const Constraint& allowed_;
  std::int64_t most_;
};

/// Among the cuts with the least sum, one whose heaviest stage is as light as can be; the sum may be had in many ways.
template <stage_constraint Constraint>
[[nodiscard]] cuts lightest_of_least(const token_ticks& ticks, cuts best, std::int64_t least, const Constraint& allowed,
                                     const chain_limits& limits) {
  const std::size_t stages = best.stages();
  const auto heaviest = [&](const cuts& of) {
    std::int64_t most = 0;
    for (std::size_t s = 0; s < stages; ++s) {
      const std::int64_t here = ticks(s, of[s], of[s + 1]);
      most = std::max(most, here);
    }
    return most;
  };
  chain_clock clock(limits);
  std::int64_t low = least / static_cast<std::int64_t>(stages);  // no stage is the heaviest with less
  std::int64_t high = heaviest(best);
  while (low < high && !clock.look(0)) {
    const std::int64_t middle = low + (high - low) / 2;
    const auto found = minimize_total(ticks, stages, token_limit(ticks, allowed, middle));
    if (found && found->cost == least) {
      best = found->cuts;
      high = heaviest(best);
    } else {
      low = middle + 1;
    }
  }
  return best;
}

/// The cut into stages by which a token of a request waits least: exact but for rounding to ticks of about 2^-50 of the
/// whole. Of those that tie the one whose heaviest stage is lightest, then the lexicographically smallest.
///
/// @param blocks  the layers of each item of the chain
template <stage_constraint Constraint>
[[nodiscard]] outcome<objective_cut> least_time_per_token(const known_prefixes<double>& cost, const profile& model,
                                                          const cuts& blocks, const plan_request& request,
                                                          const Constraint& allowed) {
  const std::size_t stages = request.devices;
  const std::vector<std::size_t> rank_of = loop_placement(request.devices, 1);
  std::vector<link_speed> links = links_of(request, rank_of);
  if (stages == 1) links.clear();
  const bool any = !links.empty();
  std::vector<double> speeds = speeds_of_stages(request, rank_of);
  if (speeds.empty()) speeds.assign(stages, 1);
  std::vector<double> seconds;
  std::vector<double> bytes;
  for (std::size_t b = 0; b < cost.size(); ++b) {
    seconds.push_back(cost(b, b + 1));
    bytes.push_back(model.layers[blocks[b + 1] - 1].output);
  }
  if (!any) links.push_back({});
  const cut_times times(std::move(bytes), std::move(links));
  const token_ticks ticks(seconds, speeds, times, any);
  const auto found = minimize_total(ticks, stages, allowed);
  if (!found) return outcome<objective_cut>::infeasible(found.why());
  const cuts best = detail::lightest_of_least(ticks, found->cuts, found->cost, allowed, limits_of(request));
  const auto seconds_of = [&](std::size_t s, std::size_t first, std::size_t last) -> double {
    return cost(first, last) / speeds[s] + (any ? times.sent(s, last) : 0);
  };
  double all = 0;
  for (std::size_t s = 0; s < stages; ++s) all += seconds_of(s, best[s], best[s + 1]);
  return detail::objective_cut_of(best, all, all, state::optimal, seconds_of);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
