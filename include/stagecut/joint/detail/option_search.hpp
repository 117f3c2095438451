// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/critical_path_pool.hpp>
#include <stagecut/engine/node_queue.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/joint/detail/in_flight_filter.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/option_program.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Branch and bound over sets of options. See docs/recomputation.md, "Bounds" and "Branching".
class option_search {
 public:
  using live_options = option_paths::live_options;

  /// @param step   divides all times: a better plan is better by that at least
  /// @param share  of the makespan, below which nothing is told apart: 0 unless times were rounded
  option_search(const recompute_problem& problem, engine::search_clock& clock, double step, double share = 0)
      : problem_(problem),
        graph_(*problem.graph),
        clock_(clock),
        least_step_(step),
        share_(share),
        paths_(graph_),
        filter_(problem) {}

  std::vector<std::uint32_t> best{};  ///< options of the best plan
  double makespan = 0;                ///< of it, in whole units
  double bound = 0;                   ///< no plan has less, likewise
  std::size_t simulations = 0;        ///< so far
  std::size_t looked_at = 0;          ///< sets of options so far

  /// A set takes as long as so many changes of a plan.
  static constexpr std::size_t nodes_of_set = 5000;

  /// Begins with a plan.
  void begin(std::vector<std::uint32_t> plan);

  /// Takes a plan that others have found.
  void better(const std::vector<std::uint32_t>& plan) { offer(plan); }

  /// Looks until the best plan is proved, or the clock says stop. Returns whether it is proved. May be called again.
  bool run();

 private:
  struct node {
    live_options live;
    double bound;
    option_program::basis basis;
  };

  double simulate(const std::vector<double>& times);

  /// By how much a better plan is better at least.
  [[nodiscard]] double step() const { return least_step_ < share_ * makespan ? share_ * makespan : least_step_; }

  [[nodiscard]] bool is_closed(double of) const { return of > makespan - step(); }

  /// What a sum of numbers that are not negative is at least, though it was rounded.
  [[nodiscard]] static double surely(double sum) { return sum * (1 - 0x1p-40); }

  /// Bounds what is live by the mean of paths that the program likes, and drops what no better plan has.
  bool combine(node& here);

  /// The durations of the program's mix of options.
  void mix();

  /// Takes a plan if it is the best so far.
  void offer(const std::vector<std::uint32_t>& plan);

  /// Bounds a set of options as well as it can; false: nothing better is in it.
  bool evaluate(node& here);

  /// Opens the parts of a set: no undecided rank above the limit, or the first one that is.
  void split(node& here);

  /// Splits the options of one rank, where every rank has its mix in one of them.
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

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/option_search.ipp>
#endif
