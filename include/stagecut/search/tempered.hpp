// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/cut_problem.hpp>
#include <stagecut/makespan/cut_heuristic.hpp>
#include <stagecut/makespan/parts/problem_access.hpp>
#include <stagecut/search/detail/expects_policy.hpp>
#include <stagecut/search/detail/one_search.hpp>
#include <stagecut/search/detail/problem_print.hpp>
#include <stagecut/search/detail/system.hpp>
#include <stagecut/search/detail/tempered_chains.hpp>
#include <stagecut/search/tempering_options.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// A `cut_heuristic`, see `tempered`. Keeps its chains, and continues them when called again for the same problem.
template <class Policy>
class tempered_heuristic {
 public:
  /// See `tempered`.
  tempered_heuristic(const Policy& policy, const tempering_options& options) : policy_(policy), options_(options) {}

  /// See `cut_heuristic`. False: there is no better cut, or none was found; or the problem has too many stages and items.
  [[nodiscard]] bool operator()(const heuristic_call& task, view<std::size_t> points) {
    const detail::one_search::turn turn(asked_, "search::tempered");
    const double began = stagecut::detail::seconds_now();
    if (!can_improve(task) || points.size() != task.points.size()) return false;
    const double tick = problem_of(task).chain.tick;
    detail::timed_cut known{{task.points.begin(), task.points.end()}, task.value / tick};
    continue_from(task, known);
    if (!chains_->fits()) return false;
    const bool found = search(task, began, known);
    for (std::size_t i = 0; found && i < points.size(); ++i) points[i] = known.points[i];
    return found;
  }

 private:
  static constexpr std::size_t most_stages = 2048;

  [[nodiscard]] static const stagecut::engine::cut_problem& problem_of(const heuristic_call& task) {
    return stagecut::detail::problem_access::of(task.problem);
  }

  /// Whether any cut point can move.
  [[nodiscard]] static bool can_improve(const heuristic_call& task) {
    const std::size_t stages = task.problem.stages();
    const std::size_t items = task.problem.items();
    return stages > 1 && stages < items && stages <= most_stages && items <= 0x7FFFFFFF &&
           task.points.size() == stages + 1 && stagecut::engine::is_cut(task.points, items);
  }

  /// Keeps the chains if the problem is the same as before, else starts anew.
  void continue_from(const heuristic_call& task, const detail::timed_cut& known) {
    const detail::problem_print print(problem_of(task));
    if (chains_ != nullptr && print_ == print) {
      if (chains_->fits()) chains_->add(known);
      return;
    }
    chains_.reset();  // frees its memory first
    chains_ = std::make_unique<detail::tempered_chains<Policy>>(options_, problem_of(task), known, task.starts);
    print_ = print;
  }

  /// Runs the chains until the goal, the time or the simulations are reached. Returns whether `best` improved.
  bool search(const heuristic_call& task, double began, detail::timed_cut& known) {
    const bool timed = stagecut::is_finite(task.seconds);
    const double most = most_rounds(task, timed);
    std::size_t rounds = 4;  // between two checks of what was found
    bool found = false;
    double now = stagecut::detail::seconds_now();
    for (double done = 0; done < most && known.makespan * problem_of(task).chain.tick > task.goal;) {
      if (timed && done > 0 && now - began >= task.seconds) break;
      if (chains_->run(policy_, rounds, problem_of(task), known)) found = true;
      done += static_cast<double>(rounds);
      if (!timed) continue;
      const double before = now;
      now = stagecut::detail::seconds_now();
      if (64 * (now - before) < task.seconds && now - before < 0.02) rounds *= 2;
    }
    return found;
  }

  /// Limits the rounds, so that no cut is simulated many times.
  [[nodiscard]] double most_rounds(const heuristic_call& task, bool timed) const {
    const double all =
        4 * stagecut::engine::number_of_cuts(problem_of(task).chain.items, problem_of(task).chain.stages);
    const auto asked = static_cast<double>(task.simulations);
    return (timed || all < asked ? all : asked) / static_cast<double>(chains_->round_size()) + 1;
  }

  Policy policy_;
  tempering_options options_;
  detail::one_search asked_{};
  std::optional<detail::problem_print> print_{};
  std::unique_ptr<detail::tempered_chains<Policy>> chains_{};
};

/// See `tempered`.
struct tempered_fn : detail::expects_policy {
  using detail::expects_policy::operator();

  /// See `tempered`.
  template <detail::thrust_policy Policy>
  [[nodiscard]] tempered_heuristic<Policy> operator()(const Policy& policy,
                                                      const tempering_options& options = {}) const {
    if (options.chains % 8 != 0 || (options.chains > 64 && options.chains % 64 != 0)) {
      refuse("chains", std::to_string(options.chains), "must be a multiple of 8, above 64 of 64");
    }
    if (options.chains > most_chains) refuse("chains", std::to_string(options.chains), "must be at most 2^24");
    if (!(options.coldest >= 1e-12)) refuse("coldest", std::to_string(options.coldest), "must be at least 1e-12");
    if (!(options.hottest >= options.coldest && options.hottest <= 1)) {
      refuse("hottest", std::to_string(options.hottest), "must be from coldest to 1");
    }
    if (options.seed >> 63U != 0) refuse("seed", std::to_string(options.seed), "must be below 2^63");
    if (options.steps == 0 || options.steps > most_steps) {
      refuse("steps", std::to_string(options.steps), "must be from 1 to 10000");
    }
    return {policy, options};
  }

 private:
  static constexpr std::size_t most_chains = std::size_t{1} << 24U;
  static constexpr std::size_t most_steps = 10'000;

  [[noreturn]] static void refuse(const char* what, const std::string& value, const char* why) {
    stagecut::detail::fail(argument_error("search::tempered", what, value, why));
  }
};

/// Creates a heuristic that finds better cuts by parallel tempering, for a search for the smallest makespan.
///
///     auto heuristic = search::tempered(thrust::device);
///     request.backends.heuristic = std::ref(heuristic);
///
/// Chains make random moves of cut points, each at a temperature that sets how often it accepts worse cuts. Ladders of
/// up to 64 chains exchange their temperatures: cold chains polish what hot ones find. They start from the best known
/// cut and other good ones, `heuristic_call::starts` or cuts into nearly even stages; after ten thousand rounds without a
/// better cut, ladders restart in turn from the best one.
///
/// Chains use allowed stages only. If sums of memory limit the stages of a rank together, chains may pass through cuts
/// that exceed the limit, at a penalty; other rules of ranks, and sums whose tables have more than 2^22 entries, are
/// checked for found cuts only. The result is allowed and better, as simulated in ticks.
///
/// @param policy   of Thrust, kept as a copy: on hosts, chains are simulated in lanes, 8 at once, and in parallel:
///                 groups of 8 if there is one ladder, else ladders, which need not wait for each other; on a device
///                 each chain has a thread
/// @param options  the number of chains, and their temperatures
/// @return         a `tempered_heuristic`, to be kept as long as a request refers to it
/// @throws         argument_error for options that are out of range; the heuristic: argument_error if two searches use
///                 it at once, on a device `device_error`
///
/// Ends when the goal is met, or after `heuristic_call::seconds`, checked after some rounds. If these are infinite it ends
/// after about `heuristic_call::simulations`; then the same calls find bitwise the same cuts on every system, for any
/// number of threads, if `chains` is set. If there are few cuts it simulates at most about four times their number.
///
/// A round, after which temperatures are exchanged, simulates `chains * steps` cuts. Host memory: tables of rules, at
/// most 34 MB, and O(chains * stages). OpenMP threads that spin while they wait for each other slow it down if other
/// programs use the same cores; several ladders, or OMP_WAIT_POLICY=passive, help.
///
/// Source: parallel tempering (Geyer, Interface 1991); as `minimize_makespan` does on one thread.
inline constexpr tempered_fn tempered{};

}  // namespace stagecut::inline STAGECUT_ABI::search
