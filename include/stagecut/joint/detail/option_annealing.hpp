// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/joint/detail/option_moves.hpp>
#include <stagecut/joint/detail/recent_paths.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Looks for plans of less makespan by simulated annealing: moves layers between stages and chooses other ways to run them.
///
/// A change is simulated only if no critical path of late says that it is too bad: most are not.
class option_annealing {
 public:
  option_annealing(const recompute_problem& problem, engine::search_clock& clock, std::uint64_t seed)
      : problem_(problem),
        clock_(clock),
        seed_(seed),
        moves_(problem),
        paths_(problem.order->stages() * engine::tick_kinds) {}

  chosen_options best{};        ///< found so far
  double makespan = 0;          ///< of it, in whole units
  std::size_t simulations = 0;  ///< so far

  /// Begins with a plan.
  void begin(chosen_options plan);

  /// Tries so many changes, at a temperature that falls from a share of the makespan.
  void run(std::size_t steps, double hottest);

 private:
  void restart();

  double simulate(const std::vector<double>& times, bool& is_new);

  /// Takes the change if it is good enough for the temperature.
  void judge(random_bits& dice, double temperature);

  void take(double here);

  struct old_time {
    std::size_t slot;
    double time;
  };

  static constexpr double mean_share = 0.15;  // breaks ties between plans of one makespan

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

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/option_annealing.ipp>
#endif
