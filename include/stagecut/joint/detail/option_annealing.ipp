// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/option_annealing.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/joint/detail/option_moves.hpp>
#include <stagecut/joint/detail/recent_paths.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void option_annealing::begin(chosen_options plan) {
  now_ = std::move(plan);
  times_ = problem_.times_of(now_.options);
  paths_.measure(times_);
  bool is_new = false;
  const double here = simulate(times_, is_new);
  if (best.options.empty() || here < makespan) best = now_, makespan = here;
  length_ = here;
}

STAGECUT_DECL void option_annealing::run(std::size_t steps, double hottest) {
  if (problem_.graph->ranks.empty()) return;
  restart();
  random_bits dice(seed_, 1, ++rounds_);
  double temperature = hottest * makespan;
  const double cooling = 1 - 4.0 / static_cast<double>(steps);  // to 2 % at the end
  for (std::size_t i = 0; i < steps; ++i) {
    if (clock_.over()) return;
    ++clock_.state.nodes;
    temperature *= cooling;
    if (moves_.propose(now_, dice)) judge(dice, temperature);
  }
}

STAGECUT_DECL void option_annealing::restart() {
  now_ = best;
  times_ = problem_.times_of(now_.options);
  length_ = makespan;
  paths_.measure(times_);
}

STAGECUT_DECL double option_annealing::simulate(const std::vector<double>& times, bool& is_new) {
  ++simulations;
  const double here = problem_.makespan(times);
  // A path that is as long as the plan takes is known already.
  is_new = recent_paths::longest(paths_.now) < here;
  if (!is_new) return here;
  problem_.simulator->count_critical(counts_);
  paths_.add(counts_, times);
  return here;
}

STAGECUT_DECL void option_annealing::judge(random_bits& dice, double temperature) {
  const double limit =
      length_ + mean_share * recent_paths::mean(paths_.now) + temperature * minus_logarithms[dice.below(1024)];
  lengths_ = paths_.now;
  old_times_.clear();
  for (const option_change& each : moves_.changes()) {
    const rank_options& here = problem_.graph->ranks[each.rank];
    for (std::size_t j = 0; j < here.width(); ++j) {
      const std::size_t slot = here.stage(j / here.kinds()) * engine::tick_kinds + j % here.kinds();
      const double by = here.times(j)[each.option] - times_[slot];
      if (by == 0) continue;
      old_times_.push_back({slot, times_[slot]});
      times_[slot] += by;
      paths_.change(slot, by, lengths_);
    }
  }
  const double mean = mean_share * recent_paths::mean(lengths_);
  bool is_new = false;  // whether a path has come, which has its length for this plan
  if (recent_paths::longest(lengths_) + mean <= limit) {
    lengths_.swap(paths_.now);
    const double here = simulate(times_, is_new);
    if (here + mean <= limit) return take(here);
    lengths_.swap(paths_.now);
  } else {
    lengths_ = paths_.now;
  }
  for (std::size_t i = old_times_.size(); i-- > 0;) times_[old_times_[i].slot] = old_times_[i].time;
  if (is_new) paths_.measure(times_);
}

STAGECUT_DECL void option_annealing::take(double here) {
  for (const option_change& each : moves_.changes()) now_.options[each.rank] = each.option;
  if (!moves_.counts().empty()) now_.counts = moves_.counts();
  length_ = here;
  if (here >= makespan) return;
  makespan = here;
  best = now_;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
