// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/minimize_recomputation.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The combinations that `sweep_recomputation` searches: all numbers of stages per rank, schedules and numbers of
/// microbatches.
struct recompute_sweep_request {
  std::size_t ranks = 1;                        ///< p
  std::vector<std::size_t> stages_per_rank{1, 2, 3, 4};  ///< stages per rank, v
  std::vector<schedule_kind> orders{schedule_kind::one_forward_one_backward, schedule_kind::sapp_big,
                                    schedule_kind::sapp_less_memory};  ///< the schedules
  std::vector<std::size_t> microbatches{};                             ///< per iteration, m; each of the same size
  bool in_order = false;  ///< whether to search rows in the given order, not the most promising first
  /// Everything else, the same for each row, its `schedule` ignored: memory, messages over one link for all boundaries,
  /// the rule for empty stages. Its limits cover the whole sweep.
  recompute_request with{};
};

/// A combination and its result.
struct recompute_sweep_row {
  std::size_t stages_per_rank = 1;                                   ///< v
  schedule_kind schedule = schedule_kind::one_forward_one_backward;  ///< the schedule
  std::size_t microbatches = 1;                                   ///< m
  double bound = 0;  ///< no plan finishes earlier; from the work alone, or from the search if that is larger
  outcome<recompute_plan> found{};  ///< the best plan; unknown if not searched
  std::string not_searched{};       ///< why it was not searched; empty: it was

  /// The iteration time per microbatch. @pre a plan was found
  [[nodiscard]] double time_of_microbatch() const { return found->value / static_cast<double>(microbatches); }
};

/// All combinations, and the best of them.
struct recompute_sweep {
  std::vector<recompute_sweep_row>
      rows{};                         ///< by microbatches, then stages per rank, then schedule, each in the given order
  std::optional<std::size_t> best{};  ///< the row with the least time per microbatch, the first of equals; unset: none
  double bound = 0;                   ///< no plan of any row takes less time per microbatch
};

namespace detail {

/// Searches the rows of a sweep, one at a time.
class recompute_sweeper {
 public:
  recompute_sweeper(const recompute_model& model, const recompute_sweep_request& request);

  recompute_sweep run();

 private:
  void check() const;

  void add_row(std::size_t stages_per_rank, schedule_kind kind, std::size_t microbatches);

  [[nodiscard]] recompute_request request_of(const recompute_sweep_row& row) const;

  [[nodiscard]] double of_microbatch(std::size_t row, double time) const {
    return time / static_cast<double>(result_.rows[row].microbatches);
  }

  /// Seconds left; unset: no limit.
  [[nodiscard]] std::optional<double> seconds_left() const;

  /// Searches a row with its share of time and nodes; `left` rows are left.
  void search(std::size_t place, std::size_t left);

  const recompute_model& model_;
  const recompute_sweep_request& request_;
  std::chrono::steady_clock::time_point begin_;
  std::size_t nodes_ = 0;
  recompute_sweep result_{};
};

}  // namespace detail

/// Chooses the number of stages per rank and the schedule, with the layers of every stage and their recomputation: runs
/// `minimize_recomputation` for every combination.
///
/// @param model    layers with the choices of each
/// @param request  the combinations, and what all of them share
/// @return         all rows. A row is not searched if its schedule does not allow its shape, or if the work of its
///                 busiest rank, under the memory limit, takes as long as the best plan; each states the reason
/// @throws         argument_error for an empty list, a 0 in one, and a link for every boundary; otherwise as
///                 `minimize_recomputation`
///
/// The remaining time and nodes are divided evenly among the remaining rows: with `node_limit` and no `time_limit` the
/// result is deterministic. Rows are searched by increasing lower bound of their time per microbatch.
[[nodiscard]] inline recompute_sweep sweep_recomputation(const recompute_model& model,
                                                         const recompute_sweep_request& request) {
  return detail::recompute_sweeper(model, request).run();
}

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/sweep_recomputation.ipp>
#endif
