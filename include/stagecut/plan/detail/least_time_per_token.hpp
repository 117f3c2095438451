// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/cut_times.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/plan/detail/limits_of.hpp>
#include <stagecut/plan/detail/objective_cut.hpp>
#include <stagecut/plan/parts/stage_devices.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/sequence/minimize_total.hpp>
#include <stagecut/sequence/parts/chain_clock.hpp>
#include <stagecut/sequence/parts/stage_windows.hpp>

// The objective `time_per_token`.
namespace stagecut::inline STAGECUT_ABI::detail {

/// The contribution of stages to the time per token, in whole ticks: their items at the speed of their device, and the
/// message that they send. The tick is a power of two, so small that the total has about 2^50 ticks: sums are exact,
/// and cuts tie if times add up to the same.
class token_ticks {
 public:
  /// @param seconds  of each item, on a device of speed 1
  /// @param speeds   of each stage
  /// @param times    of messages
  /// @param links    whether messages take time
  /// @throws         invalid_input if the total time is not finite
  token_ticks(const std::vector<double>& seconds, const std::vector<double>& speeds, const cut_times& times, bool links)
      : times_(times), links_(links), items_(seconds.size()) {
    tick_ = tick_of(seconds, speeds);
    std::vector<double> of_rows;
    for (const double speed : speeds) {
      std::size_t row = 0;
      while (row < of_rows.size() && of_rows[row] != speed) ++row;
      row_of_.push_back(row);
      if (row < of_rows.size()) continue;
      of_rows.push_back(speed);
      std::vector<std::int64_t> sums{0};
      for (const double each : seconds) sums.push_back(sums.back() + ticks(each / speed));
      sums_.push_back(std::move(sums));
    }
  }

  /// Number of items n.
  [[nodiscard]] std::size_t size() const noexcept { return items_; }
  /// The items `[first, last)` on the device of a stage.
  [[nodiscard]] std::int64_t computing(std::size_t s, std::size_t first, std::size_t last) const noexcept {
    const std::vector<std::int64_t>& sums = sums_[row_of_[s]];
    return sums[last] - sums[first];
  }
  /// The same plus the message that it sends.
  [[nodiscard]] std::int64_t operator()(std::size_t s, std::size_t first, std::size_t last) const {
    return computing(s, first, last) + (links_ ? ticks(times_.sent(s, last)) : 0);
  }

 private:
  [[nodiscard]] std::int64_t ticks(double seconds) const { return static_cast<std::int64_t>(seconds / tick_ + 0.5); }

  /// No time per token exceeds 2^50 ticks.
  [[nodiscard]] double tick_of(const std::vector<double>& seconds, const std::vector<double>& speeds) const {
    double slowest = speeds[0];
    for (const double speed : speeds) slowest = std::min(slowest, speed);
    double most = 0;
    for (const double each : seconds) most += each / slowest;
    for (std::size_t s = 0; s + 1 < speeds.size() && links_; ++s) {
      double longest = 0;
      for (std::size_t cut = 1; cut < seconds.size(); ++cut) {
        const double here = times_.sent(s, cut);
        longest = std::max(longest, here);
      }
      most += longest;
    }
    if (!is_finite(most)) fail(invalid_input("model", "the time per token is out of range"));
    double tick = 0x1p-1022;
    while (tick * 0x1p50 < most) tick *= 2;
    return tick;
  }

  const cut_times& times_;
  bool links_;
  std::size_t items_;
  double tick_ = 1;
  std::vector<std::size_t> row_of_{};  // for each stage
  std::vector<std::vector<std::int64_t>> sums_{};
};

/// A constraint together with a limit of ticks on each stage.
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

/// Among the cuts with the least sum, one with the smallest bottleneck; many cuts may have that sum.
template <stage_constraint Constraint>
[[nodiscard]] cuts lightest_of_least(const token_ticks& ticks, cuts best, std::int64_t least, const Constraint& allowed,
                                     const search_options& limits) {
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
  std::int64_t low = least / static_cast<std::int64_t>(stages);  // the heaviest stage has at least this
  std::int64_t high = heaviest(best);
  while (low < high && !clock.look(0)) {
    const std::int64_t middle = low + (high - low) / 2;
    const auto found = minimize_total(ticks, stages, token_limit(ticks, allowed, middle));
    if (found && found->value == least) {
      best = found->cuts;
      high = heaviest(best);
    } else {
      low = middle + 1;
    }
  }
  return best;
}

/// The cut with the least time per token: exact up to rounding to ticks of about 2^-50 of the total. Ties go to the
/// smallest bottleneck, then to the lexicographically smallest cut.
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
  const cuts best = detail::lightest_of_least(ticks, found->cuts, found->value, allowed, limits_of(request));
  const auto seconds_of = [&](std::size_t s, std::size_t first, std::size_t last) -> double {
    return cost(first, last) / speeds[s] + (any ? times.sent(s, last) : 0);
  };
  double all = 0;
  for (std::size_t s = 0; s < stages; ++s) all += seconds_of(s, best[s], best[s + 1]);
  return detail::objective_cut_of(best, all, all, state::optimal, seconds_of);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
