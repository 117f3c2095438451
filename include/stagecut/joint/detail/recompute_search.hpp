// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/engine/times_simulator.hpp>
#include <stagecut/joint/detail/build_options.hpp>
#include <stagecut/joint/detail/choice_curves.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/recompute_problem.hpp>
#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/even_recomputation.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Finds a plan of least makespan: options of few layers a stage, annealing among them, then all options that a better
/// plan may have, and branch and bound with more annealing in turn.
class recompute_search {
 public:
  /// @param messages     behind every stage at least, in the user's unit
  /// @param bounds_hold  whether no plan is left out, so that bounds are of all
  recompute_search(const recompute_model& model, const recompute_request& request, const std::vector<double>& messages,
                   bool splits, bool has_messages, bool bounds_hold);

  /// What was found.
  enum class found : std::uint8_t { plan, nothing, none_exists };

  /// @param own  a plan of one's own that keeps to the request, from which there is annealing as well; nothing: none
  found run(const recompute_strategy* own);

  /// Of the best plan.
  /// @{
  [[nodiscard]] const std::vector<std::uint32_t>& counts() const noexcept { return best_.counts; }
  /// How many layers of every type a stage runs by every choice: `[type][choice]`.
  [[nodiscard]] std::vector<std::vector<std::size_t>> ways_of(std::size_t stage) const;
  [[nodiscard]] double makespan() const noexcept { return makespan_ * unit_.unit; }
  /// @}
  [[nodiscard]] double bound() const noexcept { return bound_ * unit_.unit; }
  [[nodiscard]] double bound_of_work() const { return least_work() * unit_.unit; }
  [[nodiscard]] double error() const noexcept { return unit_.error; }
  [[nodiscard]] bool proved() const noexcept { return proved_; }
  [[nodiscard]] engine::search_clock& clock() noexcept { return clock_; }
  [[nodiscard]] std::size_t simulations() const noexcept { return simulations_; }

 private:
  static constexpr std::size_t first_ways = 4;
  static constexpr std::size_t rounds_of_way = 3;

  [[nodiscard]] std::size_t stages() const noexcept { return request_.order.stages(); }
  [[nodiscard]] std::size_t layers() const noexcept { return model_.layers.size(); }

  /// The first plan, in graphs of more and more options.
  found start();

  /// Ranges of cut points around those of the best plan, and of even stages before there is one.
  [[nodiscard]] std::vector<option_builder::range> ranges(std::size_t around) const;

  void anneal(const chosen_options& from, std::size_t rounds);

  /// Anneals among the options around a plan of one's own, and then from the first plan; options of the better one stay.
  void anneal_around(const recompute_strategy& own);

  /// All options near the cut points of such a plan, or, if those are too many, of its own cut points.
  [[nodiscard]] option_graph options_around(const recompute_strategy& own);

  /// Such a plan as options of the graph: of the same layers those that exceed its times least; empty: it has none.
  [[nodiscard]] std::vector<std::uint32_t> options_of(const recompute_strategy& own);

  /// What the backward passes of a stage of such a plan take, `[tick_kind]`.
  [[nodiscard]] std::array<double, engine::tick_kinds> passes_of(const recompute_strategy& own, std::size_t rank,
                                                                 std::size_t v) const;

  void take(chosen_options better, double makespan);

  /// All options that a plan may have that is as good as the best one; where layers differ, as many as there is time for,
  /// in wider and wider ranges around the best plan.
  void take_all_options();

  /// The same options in another graph, or such as are nowhere slower.
  [[nodiscard]] static std::vector<std::uint32_t> moved(const option_graph& from, const option_graph& to,
                                                        const std::vector<std::uint32_t>& options);

  /// Branch and bound, and annealing whenever it has taken twice as long.
  void prove();

  /// Annealing alone, where there are too many options.
  void improve();

  /// No plan takes less than its work, shared out evenly; in whole units.
  [[nodiscard]] double least_work() const;

  const recompute_model& model_;
  const recompute_request& request_;
  bool splits_;
  bool bounds_hold_;
  whole_times unit_;
  std::vector<rank_rules> rules_;
  choice_curves curves_;
  engine::search_clock clock_;
  engine::times_simulator simulator_;
  option_graph graph_{};
  recompute_problem problem_{};
  chosen_options best_{};
  chosen_options fresh_{};  // where other ways begin
  double makespan_ = 0;
  double bound_ = 0;
  double own_seconds_ = 0;  // spent around a plan of one's own
  bool complete_ = false;
  bool proved_ = false;
  std::uint64_t seed_ = 0;
  std::size_t simulations_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/recompute_search.ipp>
#endif
