// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/chain_ticks.hpp>
#include <stagecut/engine/cut_problem.hpp>
#include <stagecut/engine/cut_rules.hpp>
#include <stagecut/engine/cut_simulator.hpp>
#include <stagecut/engine/incumbent.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/makespan/cut_heuristic.hpp>
#include <stagecut/makespan/detail/tempering.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/makespan/parts/problem_access.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Improves the best cut with a given effort: by tempering, or by the request's heuristic.
class primal_heuristics {
 public:
  primal_heuristics(const engine::chain_ticks& chain, const makespan_request& request, const engine::cut_rules& rules,
                    engine::cut_simulator& simulator, engine::search_clock& clock, engine::incumbent& best)
      : chain_(chain), request_(request), rules_(rules), simulator_(simulator), clock_(clock), best_(best) {}

  /// Promising cuts, all allowed.
  std::vector<std::vector<std::size_t>> starts{};

  /// Starts anew, with ticks of another size.
  void restart() { tempering_.reset(); }

  /// Continues for about `effort` hundredths of a second.
  void operator()(std::size_t effort) {
    if (effort == 0 || chain_.stages < 2 || chain_.stages == chain_.items || best_.proved() || clock_.look()) return;
    const std::size_t simulations = effort * tries();
    if (request_.backends.heuristic) return ask(effort, simulations);
    if (chain_.stages > most_stages) return;
    if (!tempering_) {
      tempering_.emplace(chain_, request_.schedule, rules_, simulator_, clock_);
      std::vector<std::vector<std::size_t>> from = starts;
      from.push_back(best_.points());
      tempering_->begin(from);
    } else {
      tempering_->add(best_.points(), best_.makespan());
    }
    const double all = 4 * number_of_cuts();
    tempering_->run(static_cast<double>(simulations) < all ? simulations : static_cast<std::size_t>(all), best_);
  }

  /// The number of cuts of the chain, allowed or not; infinite beyond the range of a double.
  [[nodiscard]] double number_of_cuts() const { return engine::number_of_cuts(chain_.items, chain_.stages); }

 private:
  static constexpr std::size_t most_stages = 2048;  // the most that a simulation in lanes supports profitably

  /// The number of cuts simulated in about a hundredth of a second.
  [[nodiscard]] std::size_t tries() const {
    const std::size_t passes = 2 * chain_.stages * request_.schedule.microbatches * request_.schedule.slices;
    const std::size_t wanted = 30'000'000 / (passes * (chain_.has_messages ? 2 : 1) + 1);
    return wanted < 500 ? 500 : wanted > 16'000 ? 16'000 : wanted;
  }

  void ask(std::size_t effort, std::size_t simulations) {
    double seconds = std::numeric_limits<double>::infinity();
    if (const auto& limit = request_.search.time_limit) {
      const double left = *limit - clock_.state.seconds;
      seconds = static_cast<double>(effort) / 100 < left ? static_cast<double>(effort) / 100 : left;
    }
    std::vector<std::size_t> points = best_.points();
    const engine::cut_problem problem{chain_, request_.schedule, request_.transfers, rules_};
    const double end = detail::seconds_now() + seconds;
    const auto stop = [&] { return clock_.look() || detail::seconds_now() >= end; };
    const heuristic_call task{.problem = problem_access::problem(problem, simulator_),
                              .points = best_.points(),
                              .value = best_.makespan() * chain_.tick,
                              .goal = best_.certain_bound(),
                              .seconds = seconds,
                              .simulations = simulations,
                              .starts = starts,
                              .stop = stop};
    const bool found = request_.backends.heuristic(task, points);
    if (found && engine::is_cut(points, chain_.items) && engine::allowed_cut(request_.schedule, rules_, points)) {
      best_.offer(points, simulator_(points));
    }
    clock_.state.evaluations = simulator_.simulations;
  }

  const engine::chain_ticks& chain_;
  const makespan_request& request_;
  const engine::cut_rules& rules_;
  engine::cut_simulator& simulator_;
  engine::search_clock& clock_;
  engine::incumbent& best_;
  std::optional<tempering> tempering_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
