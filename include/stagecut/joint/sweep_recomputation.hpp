// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/detail/sort.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/least_work.hpp>
#include <stagecut/joint/minimize_recomputation.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/schedule/make_schedule.hpp>
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

/// Why an order cannot have a shape; empty: it can.
[[nodiscard]] inline std::string why_no_shape(schedule_kind kind, std::size_t ranks, std::size_t chunks,
                                              std::size_t microbatches) {
  if (has_shape(kind, ranks, chunks, microbatches)) return {};
  const schedule_entry& entry = entry_of(kind);
  if (needs_more(entry)) return joined({entry.name, " asks for more than ranks, chunks and microbatches"});
  if (entry.chunks == 0 && chunks == 1) return joined({entry.name, " with 1 chunk is another order"});
  if (entry.chunks != 0 && entry.chunks != chunks) return joined({entry.name, " has chunks = ", entry.chunks, " only"});
  return joined({entry.name, " is not made for ranks = ", ranks, " and microbatches = ", microbatches});
}

/// Searches the rows of a sweep, one at a time.
class recompute_sweeper {
 public:
  recompute_sweeper(const recompute_model& model, const recompute_sweep_request& request)
      : model_(model), request_(request), begin_(std::chrono::steady_clock::now()) {
    check();
    for (const std::size_t m : request.microbatches) {
      for (const std::size_t v : request.chunks) {
        for (const schedule_kind kind : request.orders) add_row(v, kind, m);
      }
    }
  }

  recompute_sweep run() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < result_.rows.size(); ++i) {
      if (result_.rows[i].not_searched.empty()) order.push_back(i);
    }
    const auto bound = [&](std::size_t i) { return of_microbatch(i, result_.rows[i].bound); };
    if (!request_.in_order) {
      detail::sort(order,
                   [&](std::size_t a, std::size_t b) { return bound(a) != bound(b) ? bound(a) < bound(b) : a < b; });
    }
    for (std::size_t i = 0; i < order.size(); ++i) search(order[i], order.size() - i);
    bool any = false;
    for (const std::size_t i : order) {
      if (result_.rows[i].found.state() == state::infeasible) continue;
      result_.bound = !any || bound(i) < result_.bound ? bound(i) : result_.bound;
      any = true;
    }
    return std::move(result_);
  }

 private:
  void check() const {
    constexpr const char* function = "sweep_recomputation";
    check_recompute_model(model_);
    const auto refuse = [](const char* name, const std::string& value, const char* requirement) {
      fail(argument_error(function, name, value, requirement));
    };
    const auto all_above_zero = [&](const char* name, const std::vector<std::size_t>& of) {
      if (of.empty()) refuse(name, "{}", "must not be empty");
      for (const std::size_t each : of) {
        if (each == 0) refuse(name, "{…, 0, …}", "must be at least 1 each");
      }
    };
    if (request_.ranks == 0) refuse("ranks", "0", "must be at least 1");
    all_above_zero("chunks", request_.chunks);
    all_above_zero("microbatches", request_.microbatches);
    if (request_.orders.empty()) refuse("orders", "{}", "must not be empty");
    if (request_.with.links.size() > 1) {
      refuse("with.links.size()", std::to_string(request_.with.links.size()), "must be 0 or 1: boundaries differ");
    }
  }

  void add_row(std::size_t chunks, schedule_kind kind, std::size_t microbatches) {
    recompute_sweep_row row{.chunks = chunks, .order = kind, .microbatches = microbatches};
    row.not_searched = why_no_shape(kind, request_.ranks, chunks, microbatches);
    if (row.not_searched.empty()) {
      const recompute_request here = request_of(row);
      check_recompute_request("sweep_recomputation", model_, here);
      const bool few = least_layers_in_all(here) > model_.layers.size();
      row.bound = few ? 0 : least_work(model_, here).value_or(0);
    }
    result_.rows.push_back(std::move(row));
  }

  [[nodiscard]] recompute_request request_of(const recompute_sweep_row& row) const {
    recompute_request here = request_.with;
    here.order =
        make_schedule(row.order, {.ranks = request_.ranks, .chunks = row.chunks, .microbatches = row.microbatches});
    return here;
  }

  [[nodiscard]] double of_microbatch(std::size_t row, double time) const {
    return time / static_cast<double>(result_.rows[row].microbatches);
  }

  /// Seconds that are left; unset: any number.
  [[nodiscard]] std::optional<double> seconds_left() const {
    const auto& limit = request_.with.limits.time_limit;
    if (!limit) return std::nullopt;
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    return spent < *limit ? *limit - spent : 0;
  }

  /// Searches a row, of so many that are left, with its share of time and nodes.
  void search(std::size_t place, std::size_t left) {
    recompute_sweep_row& row = result_.rows[place];
    const auto& limits = request_.with.limits;
    if (result_.best && of_microbatch(place, row.bound) >= result_.rows[*result_.best].time_of_microbatch()) {
      row.not_searched = joined(
          {"its work alone takes ", number_text(row.bound), ", and the best of all takes ",
           number_text(result_.rows[*result_.best].time_of_microbatch() * static_cast<double>(row.microbatches))});
      return;
    }
    if (limits.stop && limits.stop()) {
      row.not_searched = "the search was stopped";
      return;
    }
    recompute_request here = request_of(row);
    if (const auto seconds = seconds_left()) here.limits.time_limit = *seconds / static_cast<double>(left);
    if (limits.node_limit) here.limits.node_limit = (*limits.node_limit - nodes_) / left;
    row.found = minimize_recomputation(model_, here);
    if (!row.found) return;
    nodes_ += limits.node_limit && row.found->nodes < *here.limits.node_limit ? row.found->nodes
                                                                              : here.limits.node_limit.value_or(0);
    row.bound = row.found->bound < row.bound ? row.bound : row.found->bound;
    if (row.bound > row.found->makespan) row.bound = row.found->makespan;
    const auto time = row.time_of_microbatch();
    if (result_.best) {
      const double best = result_.rows[*result_.best].time_of_microbatch();
      if (best < time || (best == time && *result_.best < place)) return;
    }
    result_.best = place;
  }

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
