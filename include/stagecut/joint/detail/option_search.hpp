// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/critical_path_pool.hpp>
#include <stagecut/engine/node_queue.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/joint/detail/in_flight_filter.hpp>
#include <stagecut/joint/detail/option_disjunction.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/option_program.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Branch and bound over sets of options. See docs/recomputation.md, "Bounds" and "Branching".
class option_search {
 public:
  using live_options = option_paths::live_options;

  /// @param step   divides all times: a better plan is better by at least this
  /// @param share  of the makespan; smaller differences are ignored: 0 unless times were rounded
  option_search(const recompute_problem& problem, engine::search_clock& clock, double step, double share = 0)
      : problem_(problem),
        graph_(*problem.graph),
        clock_(clock),
        least_step_(step),
        share_(share),
        paths_(graph_),
        filter_(problem) {}

  std::vector<std::uint32_t> best{};  ///< options of the best plan
  double makespan = 0;                ///< of `best`, in integer units
  double bound = 0;                   ///< no plan takes less, in the same units
  std::size_t simulations = 0;        ///< so far
  std::size_t looked_at = 0;          ///< sets of options so far

  /// A set takes as long as this number of moves of a plan.
  static constexpr std::size_t nodes_of_set = 5000;

  /// Starts with a plan.
  void begin(std::vector<std::uint32_t> plan);

  /// Takes a plan found elsewhere.
  void better(const std::vector<std::uint32_t>& plan) { offer(plan); }

  /// Searches until the best plan is proved, or the clock stops it. Returns whether it is proved. May be called again.
  bool run();

 private:
  struct node {
    live_options live;
    double bound;
    option_program::basis basis;
  };

  double simulate(const std::vector<double>& times);

  /// The smallest improvement of a better plan.
  [[nodiscard]] double step() const { return least_step_ < share_ * makespan ? share_ * makespan : least_step_; }

  [[nodiscard]] bool is_closed(double of) const { return of > makespan - step(); }

  /// A lower bound of a sum of nonnegative numbers, given its rounded value.
  [[nodiscard]] static double surely(double sum) { return sum * (1 - 0x1p-40); }

  /// Bounds the live options by the mean of paths that the program favours, and drops those that no better plan has.
  bool combine(node& here);

  /// Computes the durations of the program's mix of options.
  void mix();

  /// Takes a plan if it is the best so far.
  void offer(const std::vector<std::uint32_t>& plan);

  /// Bounds a set of options as well as possible; false: it contains nothing better.
  bool evaluate(node& here);

  /// Adds the parts of a set: no undecided rank above the limit, or some rank the first one above it.
  void split(node& here);

  /// Splits the options of one rank, where each rank's mix lies within one part.
  void split_rank(node& here);

  static constexpr std::size_t most_rounds = 2000;
  static constexpr std::size_t few_rounds = 8;
  static constexpr std::size_t most_rows = 200;

  const recompute_problem& problem_;
  const option_graph& graph_;
  engine::search_clock& clock_;
  double least_step_;
  double share_;
  engine::critical_path_pool rows_{};
  option_paths paths_;
  in_flight_filter filter_;
  std::unique_ptr<option_program> program_{};
  engine::node_queue<node> open_{};
  std::vector<double> counts_{};
  std::vector<double> weights_{};
  std::vector<double> times_{};
  std::vector<std::uint32_t> plan_{};
  std::uint32_t first_row_ = 0;
  std::uint32_t last_row_ = 0;
  std::size_t dropped_ = 0;
};

inline void option_search::begin(std::vector<std::uint32_t> plan) {
  best = std::move(plan);
  makespan = simulate(problem_.times_of(best));
  first_row_ = static_cast<std::uint32_t>(rows_.size() - 1);
}

inline bool option_search::run() {
  if (!program_) {
    program_ = std::make_unique<option_program>(problem_, rows_, makespan);
    open_.push({option_paths::all_live(graph_), 0, {}});
  }
  while (!open_.empty()) {
    const double here = open_.least();
    bound = std::max(bound, here);
    if (bound > makespan - step()) break;
    if (clock_.look()) return false;
    node next = open_.pop();
    ++looked_at;
    clock_.state.nodes += nodes_of_set;
    if (evaluate(next)) split(next);
  }
  bound = makespan;
  return true;
}

inline double option_search::simulate(const std::vector<double>& times) {
  ++simulations;
  const double here = problem_.makespan(times);
  problem_.simulator->count_critical(counts_);
  last_row_ = static_cast<std::uint32_t>(rows_.add(counts_).row);
  return here;
}

inline bool option_search::combine(node& here) {
  const std::vector<std::uint32_t>& rows = program_->rows();
  const std::vector<double> multipliers = program_->multipliers();
  weights_.assign(problem_.order->stages() * engine::tick_kinds, 0);
  double constant = 0;  // time of messages
  const std::vector<double> messages = problem_.no_passes();
  for (std::size_t k = 0; k < multipliers.size(); ++k) {
    if (multipliers[k] == 0) continue;
    const std::vector<double>& counts = rows_.counts(rows[k]);
    for (std::size_t j = 0; j < counts.size(); ++j) weights_[j] += multipliers[k] * counts[j];
    constant += multipliers[k] * rows_.length(rows[k], messages);
  }
  paths_.price(here.live, weights_);
  const double least = paths_.least();
  if (least >= no_time) return false;
  const double sure = surely(least + constant);
  here.bound = std::max(here.bound, sure);
  if (is_closed(here.bound)) return false;
  paths_.path(plan_);
  dropped_ = paths_.drop_above((makespan - step()) * (1 + 0x1p-40) - constant, here.live);
  return true;
}

inline void option_search::mix() {
  times_ = problem_.no_passes();
  program_->each_share([&](std::size_t r, std::size_t o, double share) {
    const rank_options& rank = graph_.ranks[r];
    for (std::size_t j = 0; j < rank.width(); ++j) {
      times_[rank.stage(j / rank.kinds()) * engine::tick_kinds + j % rank.kinds()] += share * rank.times(j)[o];
    }
  });
}

inline void option_search::offer(const std::vector<std::uint32_t>& plan) {
  const double here = simulate(problem_.times_of(plan));
  if (here >= makespan) return;
  makespan = here;
  best = plan;
  clock_.tell();
}

inline bool option_search::evaluate(node& here) {
  if (filter_.applies()) filter_.drop_above((makespan - step()) * (1 + 0x1p-40), here.live);
  for (const std::vector<char>& rank : here.live) {
    bool any = false;
    for (const char each : rank) any = any || each != 0;
    if (!any) return false;
  }
  if (here.basis.rows.empty()) {
    program_->begin(here.live, best, first_row_);
  } else {
    program_->begin(here.live, here.basis);
  }
  std::vector<double> history;
  for (std::size_t round = 0; round < most_rounds; ++round) {
    program_->solve(400);
    if (!combine(here)) return false;
    if (dropped_ != 0) program_->change(here.live);
    offer(plan_);
    if (is_closed(here.bound)) return false;
    const double value = program_->value();
    mix();
    const double mixed = simulate(times_);
    program_->add_row(last_row_);
    if (mixed <= value * (1 + 1e-7) && dropped_ == 0) break;
    history.push_back(here.bound);
    if (history.size() > few_rounds) {
      const double gain = here.bound - history[history.size() - 1 - few_rounds];
      if (gain < (looked_at == 1 ? 0.002 : 0.03) * (makespan - here.bound)) break;
    }
    program_->drop_loose(most_rows);
    if (clock_.look()) break;
  }
  program_->solve(400);
  if (!combine(here)) return false;
  offer(plan_);
  here.basis = program_->keep();
  return !is_closed(here.bound);
}

inline void option_search::split(node& here) {
  const disjunction by = disjunction_choice(graph_, here.live, *program_).best();
  if (by.score <= 0) return split_rank(here);
  node below{here.live, here.bound, here.basis};
  for (std::size_t r = 0; r < graph_.ranks.size(); ++r) {
    if (side_of(graph_.ranks[r], here.live[r], by) != 0) continue;
    const double* const times = graph_.ranks[r].times(by.slot);
    node above{below.live, here.bound, here.basis};
    for (std::size_t o = 0; o < graph_.ranks[r].size(); ++o) {
      (times[o] > by.limit ? below : above).live[r][o] = 0;
    }
    open_.push(std::move(above));
  }
  open_.push(std::move(below));
}

inline void option_search::split_rank(node& here) {
  std::size_t widest = 0;
  std::size_t most = 0;
  for (std::size_t r = 0; r < here.live.size(); ++r) {
    std::size_t count = 0;
    for (const char each : here.live[r]) count += each != 0 ? 1U : 0U;
    if (count > most) most = count, widest = r;
  }
  if (most < 2) return;  // the plan was offered
  node second{here.live, here.bound, here.basis};
  std::size_t seen = 0;
  for (std::size_t o = 0; o < here.live[widest].size(); ++o) {
    if (here.live[widest][o] == 0) continue;
    (seen++ < most / 2 ? second : here).live[widest][o] = 0;
  }
  open_.push(std::move(second));
  open_.push(std::move(here));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
