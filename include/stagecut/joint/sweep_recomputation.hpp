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

/// Among what `sweep_recomputation` chooses: every number of chunks with every order and number of microbatches.
struct recompute_sweep_request {
  std::size_t ranks = 1;                        ///< p
  std::vector<std::size_t> chunks{1, 2, 3, 4};  ///< stages of every rank, v
  std::vector<schedule_kind> orders{schedule_kind::one_forward_one_backward, schedule_kind::sapp_big,
                                    schedule_kind::sapp_less_memory};  ///< what the ranks do
  std::vector<std::size_t> microbatches{};                             ///< of an iteration, m; each of the same size
  bool in_order = false;  ///< whether to search one after the other, and not what may be best first
  /// All else, the same for each, its `order` left out: memory, messages over a link that all boundaries have, the rule for
  /// empty stages. Its limits are those of the whole sweep.
  recompute_request with{};
};

/// A combination, and what came of it.
struct recompute_sweep_row {
  std::size_t chunks = 1;                                         ///< v
  schedule_kind order = schedule_kind::one_forward_one_backward;  ///< what the ranks do
  std::size_t microbatches = 1;                                   ///< m
  double bound = 0;                 ///< no plan ends earlier: of its work alone, or of the search where that says more
  outcome<recompute_plan> found{};  ///< the best plan; unknown where none was looked for
  std::string not_searched{};       ///< why none was looked for; empty: one was

  /// Of an iteration, for each of its microbatches. @pre a plan was found
  [[nodiscard]] double time_of_microbatch() const { return found->makespan / static_cast<double>(microbatches); }
};

/// All combinations, and the best of them.
struct recompute_sweep {
  std::vector<recompute_sweep_row> rows{};  ///< microbatches, then chunks, then orders, each as they were given
  std::optional<std::size_t> best{};  ///< the row of least time for a microbatch, the first of equals; unset: none
  double bound = 0;                   ///< no plan of any row takes less time for a microbatch
};

namespace detail {

/// Searches the rows of a sweep, one at a time.
class recompute_sweeper {
 public:
  recompute_sweeper(const recompute_model& model, const recompute_sweep_request& request);

  recompute_sweep run();

 private:
  void check() const;

  void add_row(std::size_t chunks, schedule_kind kind, std::size_t microbatches);

  [[nodiscard]] recompute_request request_of(const recompute_sweep_row& row) const;

  [[nodiscard]] double of_microbatch(std::size_t row, double time) const {
    return time / static_cast<double>(result_.rows[row].microbatches);
  }

  /// Seconds that are left; unset: any number.
  [[nodiscard]] std::optional<double> seconds_left() const;

  /// Searches a row, of so many that are left, with its share of time and nodes.
  void search(std::size_t place, std::size_t left);

  const recompute_model& model_;
  const recompute_sweep_request& request_;
  std::chrono::steady_clock::time_point begin_;
  std::size_t nodes_ = 0;
  recompute_sweep result_{};
};

}  // namespace detail

/// Chooses how many stages every rank has, and the order of their passes, with the layers of every stage and how they are
/// recomputed: runs `minimize_recomputation` for every combination.
///
/// @param model    layers with the choices of each
/// @param request  the combinations, and what is the same for all
/// @return         all rows. A shape that an order cannot have is not searched, nor is a row whose busiest rank works, with
///                 the memory that there is, as long as the best plan takes; each says so
/// @throws         argument_error for an empty list, a 0 in one, and a link for every boundary; otherwise as
///                 `minimize_recomputation`
///
/// The time that is left is shared out evenly among rows that are left, and nodes likewise: with `node_limit` and no
/// `time_limit` the answer is the same every time. Rows are searched by what they may take for a microbatch at least.
[[nodiscard]] inline recompute_sweep sweep_recomputation(const recompute_model& model,
                                                         const recompute_sweep_request& request) {
  return detail::recompute_sweeper(model, request).run();
}

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/sweep_recomputation.ipp>
#endif
