// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <stagecut/joint/detail/in_flight_filter.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/option_program.hpp>
#include <stagecut/joint/detail/path_rows.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>
#include <stagecut/makespan/detail/search_clock.hpp>
#include <stagecut/makespan/detail/tick_rows.hpp>

namespace stagecut::inline v0::detail {

/// Branch and bound over sets of options. See docs/recomputation.md, "Bounds" and "Branching".
class option_search {
 public:
  using live_options = option_paths::live_options;

  /// @param step  divides all times: a better plan is better by that at least
  option_search(const recompute_problem& problem, search_clock& clock, double step)
      : problem_(problem),
        graph_(*problem.graph),
        clock_(clock),
        step_(step),
        rows_(problem.order->stages(), problem.messages),
        paths_(graph_),
        filter_(problem) {}

  std::vector<std::uint32_t> best{};  ///< options of the best plan
  double makespan = 0;                ///< of it, in whole units
  double bound = 0;                   ///< no plan has less, likewise
  std::size_t simulations = 0;        ///< so far
  std::size_t looked_at = 0;          ///< sets of options so far

  /// Begins with a plan.
  void begin(std::vector<std::uint32_t> plan) {
    best = std::move(plan);
    makespan = simulate(problem_.times_of(best));
    first_row_ = static_cast<std::uint32_t>(rows_.size() - 1);
  }

  /// Takes a plan that others have found.
  void better(const std::vector<std::uint32_t>& plan) { offer(plan); }

  /// Looks until the best plan is proved, or the clock says stop. Returns whether it is proved. May be called again.
  bool run() {
    if (!program_) {
      program_ = std::make_unique<option_program>(problem_, rows_, makespan);
      open_.push_back({option_paths::all_live(graph_), 0, {}});
    }
    while (!open_.empty()) {
      std::size_t least = 0;
      for (std::size_t i = 1; i < open_.size(); ++i) least = open_[i].bound < open_[least].bound ? i : least;
      const double here = open_[least].bound;
      bound = bound < here ? here : bound;
      if (bound > makespan - step_) break;
      if (clock_.look()) return false;
      node next = std::move(open_[least]);
      std::swap(open_[least], open_.back());
      open_.pop_back();
      ++looked_at;
      ++clock_.state.nodes;
      expand(next);
    }
    bound = makespan;
    return true;
  }

 private:
  struct node {
    live_options live;
    double bound;
    option_program::basis basis;
  };

  double simulate(const std::vector<double>& times) {
    ++simulations;
    const double here = problem_.makespan(times);
    problem_.simulator->count_critical(counts_);
    last_row_ = static_cast<std::uint32_t>(rows_.add(counts_));
    return here;
  }

  [[nodiscard]] bool is_closed(double of) const { return of > makespan - step_; }

  /// What a sum of numbers that are not negative is at least, though it was rounded.
  [[nodiscard]] static double surely(double sum) { return sum * (1 - 0x1p-40); }

  /// Bounds what is live by the mean of paths that the program likes, and drops what no better plan has.
  bool combine(node& here) {
    const std::vector<std::uint32_t>& rows = program_->rows();
    const std::vector<double> multipliers = program_->multipliers();
    weights_.assign(problem_.order->stages() * tick_kinds, 0);
    double constant = 0;
    for (std::size_t k = 0; k < multipliers.size(); ++k) {
      if (multipliers[k] == 0) continue;
      const std::vector<double>& counts = rows_.counts(rows[k]);
      for (std::size_t j = 0; j < counts.size(); ++j) weights_[j] += multipliers[k] * counts[j];
      constant += multipliers[k] * rows_.constant(rows[k]);
    }
    paths_.price(here.live, weights_);
    const double least = paths_.least();
    if (least >= no_time) return false;
    const double sure = surely(least + constant);
    here.bound = here.bound < sure ? sure : here.bound;
    if (is_closed(here.bound)) return false;
    paths_.path(plan_);
    dropped_ = paths_.drop_above((makespan - step_) * (1 + 0x1p-40) - constant, here.live);
    return true;
  }

  /// The durations of the program's mix of options.
  void mix() {
    times_ = problem_.no_passes();
    program_->each_share([&](std::size_t r, std::size_t o, double share) {
      const rank_options& rank = graph_.ranks[r];
      for (std::size_t j = 0; j < rank.width(); ++j) {
        times_[rank.stage(j / rank.kinds()) * tick_kinds + j % rank.kinds()] += share * rank.times(j)[o];
      }
    });
  }

  /// Takes a plan if it is the best so far.
  void offer(const std::vector<std::uint32_t>& plan) {
    const double here = simulate(problem_.times_of(plan));
    if (here >= makespan) return;
    makespan = here;
    best = plan;
    clock_.tell();
  }

  /// Bounds a set of options as well as it can; false: nothing better is in it.
  bool evaluate(node& here) {
    if (filter_.applies()) filter_.drop_above((makespan - step_) * (1 + 0x1p-40), here.live);
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

  void expand(node& here) {
    if (!evaluate(here)) return;
    split(here);
  }

  /// A duration of one stage of all ranks, and the value above which a rank is the first.
  struct disjunction {
    std::size_t slot = 0;  // of a rank's durations
    double limit = 0;
    double score = 0;
  };

  /// Whether a rank has options on both sides.
  [[nodiscard]] int side_of(const live_options& live, std::size_t r, const disjunction& by) const {
    const rank_options& rank = graph_.ranks[r];
    bool below = false;
    bool above = false;
    if (by.slot >= rank.width()) return 0;
    const double* const times = rank.times(by.slot);
    for (std::size_t o = 0; o < rank.size(); ++o) {
      if (live[r][o] == 0) continue;
      (times[o] > by.limit ? above : below) = true;
    }
    return below && above ? 0 : above ? 1 : -1;
  }

  /// The disjunction that the mix of options is farthest from keeping.
  [[nodiscard]] disjunction choose(const live_options& live) const {
    std::vector<double> mean(graph_.ranks.size());
    disjunction best_one;
    std::size_t width = 0;
    for (const rank_options& each : graph_.ranks) width = width < each.width() ? each.width() : width;
    for (std::size_t slot = 0; slot < width; ++slot) {
      mean.assign(mean.size(), 0);
      program_->each_share([&](std::size_t r, std::size_t o, double share) {
        if (slot < graph_.ranks[r].width()) mean[r] += share * graph_.ranks[r].times(slot)[o];
      });
      for (std::size_t r = 0; r < mean.size(); ++r) {
        if (slot >= graph_.ranks[r].width()) continue;
        const double* const times = graph_.ranks[r].times(slot);
        double below = -1;
        double above = no_time;
        for (std::size_t o = 0; o < graph_.ranks[r].size(); ++o) {
          if (live[r][o] == 0) continue;
          if (times[o] <= mean[r] && times[o] > below) below = times[o];
          if (times[o] > mean[r] && times[o] < above) above = times[o];
        }
        if (below < 0 || above >= no_time) continue;
        const double near = mean[r] - below < above - mean[r] ? mean[r] - below : above - mean[r];
        const double weight = slot % graph_.ranks[r].kinds() == tick_f ? 5 : 1;
        // The rank whose mean is largest counts most: the others are below anyway.
        if (near * weight > best_one.score && is_largest(mean, live, slot, r, below)) {
          best_one = {slot, below, near * weight};
        }
      }
    }
    return best_one;
  }

  /// Whether no undecided rank has a larger mean.
  [[nodiscard]] bool is_largest(const std::vector<double>& mean, const live_options& live, std::size_t slot,
                                std::size_t r, double limit) const {
    for (std::size_t q = 0; q < mean.size(); ++q) {
      if (mean[q] > mean[r] && side_of(live, q, {slot, limit, 0}) == 0) return false;
    }
    return true;
  }

  /// Opens the parts of a set: no undecided rank above the limit, or the first one that is.
  void split(node& here) {
    const disjunction by = choose(here.live);
    if (by.score <= 0) return split_rank(here);
    node below{here.live, here.bound, here.basis};
    for (std::size_t r = 0; r < graph_.ranks.size(); ++r) {
      if (side_of(here.live, r, by) != 0) continue;
      const double* const times = graph_.ranks[r].times(by.slot);
      node above{below.live, here.bound, here.basis};
      for (std::size_t o = 0; o < graph_.ranks[r].size(); ++o) {
        (times[o] > by.limit ? below : above).live[r][o] = 0;
      }
      open_.push_back(std::move(above));
    }
    open_.push_back(std::move(below));
  }

  /// Splits the options of one rank, where every rank has its mix in one of them.
  void split_rank(node& here) {
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
    open_.push_back(std::move(second));
    open_.push_back(std::move(here));
  }

  static constexpr std::size_t most_rounds = 2000;
  static constexpr std::size_t few_rounds = 8;
  static constexpr std::size_t most_rows = 200;

  const recompute_problem& problem_;
  const option_graph& graph_;
  search_clock& clock_;
  double step_;
  path_rows rows_;
  option_paths paths_;
  in_flight_filter filter_;
  std::unique_ptr<option_program> program_{};
  std::vector<node> open_{};
  std::vector<double> counts_{};
  std::vector<double> weights_{};
  std::vector<double> times_{};
  std::vector<std::uint32_t> plan_{};
  std::uint32_t first_row_ = 0;
  std::uint32_t last_row_ = 0;
  std::size_t dropped_ = 0;
};

}  // namespace stagecut::inline v0::detail
