// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/graph_plan_point.hpp>
#include <stagecut/graph/detail/linear_starts.hpp>
#include <stagecut/graph/detail/operator_links.hpp>
#include <stagecut/graph/detail/plan_moves.hpp>
#include <stagecut/graph/graph_makespan_request.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Looks for a plan of a short makespan: prices what it is given, and moves elements between the stages of the best.
class graph_makespan_search {
 public:
  graph_makespan_search(const operator_graph& graph, const contraction& elements, const graph_makespan_request& request,
                        std::vector<bool> pinned, double bound);

  /// Prices an assignment, and keeps it if it is one of the best.
  /// @pre `make_stage_pipeline` takes it, and it parts no element
  void offer(view<const std::size_t> stage_of);

  /// Improves the best of what was offered.
  /// @pre something was
  void run();

  /// The best plan so far.
  [[nodiscard]] const plan_point& best() const noexcept { return kept_[0]; }
  [[nodiscard]] std::size_t simulations() const noexcept { return pricer_.runs(); }

 private:
  static constexpr std::size_t most_kept = 6;

  [[nodiscard]] bool proved() const noexcept;

  [[nodiscard]] bool over();

  void tell();

  /// Disturbs plans and improves them again; the one that is disturbed need not be the best.
  void kick();

  /// Moves elements while the plan gets better, the counts after each round of moves.
  void descend(plan_point& point);

  /// Pairs of elements of two stages change places; of graphs that are large, random pairs.
  bool try_swaps(plan_point& point);

  /// Some elements go to random stages.
  void disturb(plan_point& point);

  void shuffle(std::vector<std::size_t>& all) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random_.remainder(i)]);
  }

  const operator_graph& graph_;
  const contraction& elements_;
  const graph_makespan_request& request_;
  operator_links links_;
  plan_pricer pricer_;
  engine::search_clock clock_;
  random_bits random_;
  double bound_;
  std::vector<bool> fixed_;          // elements that must stay where they are
  std::vector<std::size_t> free_{};  // the others
  plan_moves moves_;
  std::vector<plan_point> kept_{};  // the best that were offered, in order
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/graph_makespan_search.ipp>
#endif
