// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/tempering.hpp>
#include <stagecut/joint/detail/option_moves.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The most recent critical paths, each a lower bound of every plan, with their lengths in the current plan.
class recent_paths {
 public:
  static constexpr std::size_t places = 64;
  using lengths = std::array<double, places>;

  /// @param slots  durations of a plan
  explicit recent_paths(std::size_t slots);

  lengths now{};  ///< in the current plan

  /// Adds a path in place of the oldest one.
  void add(const std::vector<double>& counts, const std::vector<double>& times);

  /// Updates lengths for a change of one duration.
  void change(std::size_t slot, double by, lengths& of) const;

  /// Recomputes the lengths for a new plan.
  void measure(const std::vector<double>& times);

  [[nodiscard]] static double longest(const lengths& of);
  [[nodiscard]] static double mean(const lengths& of);

 private:
  std::vector<lengths> counts_;
  std::size_t next_ = 0;
};

inline recent_paths::recent_paths(std::size_t slots) : counts_(slots) {
  for (auto& count : counts_) count.fill(0);
  now.fill(0);
}

inline void recent_paths::add(const std::vector<double>& counts, const std::vector<double>& times) {
  double length = 0;
  for (std::size_t j = 0; j < counts.size(); ++j) length += counts[j] * times[j];
  for (std::size_t j = 0; j < counts.size(); ++j) counts_[j][next_] = counts[j];
  now[next_] = length;
  next_ = (next_ + 1) % places;
}

inline void recent_paths::change(std::size_t slot, double by, lengths& of) const {
  const lengths& here = counts_[slot];
  for (std::size_t k = 0; k < places; ++k) of[k] += by * here[k];
}

inline void recent_paths::measure(const std::vector<double>& times) {
  now.fill(0);
  for (std::size_t j = 0; j < times.size(); ++j) {
    if (times[j] != 0) change(j, times[j], now);
  }
}

inline double recent_paths::longest(const lengths& of) {
  double most = 0;
  for (const double each : of) most = std::max(most, each);
  return most;
}

inline double recent_paths::mean(const lengths& of) {
  double sum = 0;
  for (const double each : of) sum += each;
  return sum / static_cast<double>(places);
}

/// Searches for plans with a smaller makespan by simulated annealing: moves layers between stages and changes how they
/// run.
///
/// A move is simulated only if no recent critical path shows that it is too bad: most moves are not.
class option_annealing {
 public:
  option_annealing(const recompute_problem& problem, engine::search_clock& clock, std::uint64_t seed)
      : problem_(problem),
        clock_(clock),
        seed_(seed),
        moves_(problem),
        paths_(problem.order->stages() * engine::tick_kinds) {}

  chosen_options best{};        ///< the best so far
  double makespan = 0;          ///< of `best`, in integer units
  std::size_t simulations = 0;  ///< so far

  /// Starts from a plan.
  void begin(chosen_options plan);

  /// Tries `steps` moves, at a temperature that falls from a share of the makespan.
  void run(std::size_t steps, double hottest);

 private:
  void restart();

  double simulate(const std::vector<double>& times, bool& is_new);

  /// Accepts the move if it is good enough for the temperature.
  void judge(random_bits& dice, double temperature);

  void take(double here);

  struct old_time {
    std::size_t slot;
    double time;
  };

  static constexpr double mean_share = 0.15;  // breaks ties between plans with equal makespans

  const recompute_problem& problem_;
  engine::search_clock& clock_;
  std::uint64_t seed_;
  std::uint64_t rounds_ = 0;
  option_moves moves_;
  recent_paths paths_;
  chosen_options now_{};
  double length_ = 0;
  std::vector<double> times_{};
  std::vector<double> counts_{};
  std::vector<old_time> old_times_{};
  recent_paths::lengths lengths_{};
};

inline void option_annealing::begin(chosen_options plan) {
  now_ = std::move(plan);
  times_ = problem_.times_of(now_.options);
  paths_.measure(times_);
  bool is_new = false;
  const double here = simulate(times_, is_new);
  if (best.options.empty() || here < makespan) best = now_, makespan = here;
  length_ = here;
}

inline void option_annealing::run(std::size_t steps, double hottest) {
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

inline void option_annealing::restart() {
  now_ = best;
  times_ = problem_.times_of(now_.options);
  length_ = makespan;
  paths_.measure(times_);
}

inline double option_annealing::simulate(const std::vector<double>& times, bool& is_new) {
  ++simulations;
  const double here = problem_.makespan(times);
  // A path as long as the makespan is already known.
  is_new = recent_paths::longest(paths_.now) < here;
  if (!is_new) return here;
  problem_.simulator->count_critical(counts_);
  paths_.add(counts_, times);
  return here;
}

inline void option_annealing::judge(random_bits& dice, double temperature) {
  const double limit = length_ + mean_share * recent_paths::mean(paths_.now) + temperature * engine::metropolis(dice);
  lengths_ = paths_.now;
  old_times_.clear();
  for (const option_change& change : moves_.changes()) {
    const rank_options& here = problem_.graph->ranks[change.rank];
    for (std::size_t j = 0; j < here.width(); ++j) {
      const std::size_t slot = here.stage(j / here.kinds()) * engine::tick_kinds + j % here.kinds();
      const double by = here.times(j)[change.option] - times_[slot];
      if (by == 0) continue;
      old_times_.push_back({slot, times_[slot]});
      times_[slot] += by;
      paths_.change(slot, by, lengths_);
    }
  }
  const double mean = mean_share * recent_paths::mean(lengths_);
  bool is_new = false;  // whether there is a new path, whose length is that in this plan
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

inline void option_annealing::take(double here) {
  for (const option_change& change : moves_.changes()) now_.options[change.rank] = change.option;
  if (!moves_.counts().empty()) now_.counts = moves_.counts();
  length_ = here;
  if (here >= makespan) return;
  makespan = here;
  best = now_;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
