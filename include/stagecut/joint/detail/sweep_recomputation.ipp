// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/sweep_recomputation.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/detail/build_options.hpp>
#include <stagecut/joint/detail/choice_curves.hpp>
#include <stagecut/joint/detail/layer_work.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/recompute_rules.hpp>
#include <stagecut/joint/detail/start_options.hpp>
#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/detail/explain_infeasible_recomputation.hpp>
#include <stagecut/joint/minimize_recomputation.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/joint/simulate_recomputation.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A lower bound of the busiest rank's work in an iteration, over all plans that fit; unset: none does. If there may be
/// too many options it is the total work divided evenly among the ranks, whether a plan fits or not.
[[nodiscard]] inline std::optional<double> least_work(const recompute_model& model, const recompute_request& request) {
  const schedule& order = request.schedule;
  const bool splits = splits_backward(order);
  const whole_times unit = unit_of(model, {}, order);
  const std::vector<rank_rules> rules = rules_of(model, request, unit, splits);
  choice_curves curves(model, unit, splits);
  const double even = work_of(model, unit, true) / static_cast<double>(order.ranks());
  const double greatest = work_of(model, unit, false);
  double least = even;
  const bool has_few_options = curves.alike() || order.stages() <= 2 * order.ranks();
  if (has_few_options && fits_with(leanest_of(model), request, 0) == false) return std::nullopt;
  // Some work may take no time, and what fits need not.
  const double first = even * 1.05 < greatest / 1000 ? greatest / 1000 : even * 1.05;
  for (double most = first; has_few_options; most *= 1.1) {
    option_builder builder(curves, order, rules, splits, least_layers_of(request), model.layers.size(), most);
    const option_graph graph = builder.build();
    if (!builder.complete()) break;
    const std::vector<std::uint32_t> options = start_options(graph);
    if (options.empty()) {
      least = most;  // some rank works longer
      if (most > greatest) break;
      continue;
    }
    least = 0;
    for (std::size_t r = 0; r < options.size(); ++r) {
      double here = 0;
      for (std::size_t j = 0; j < graph.ranks[r].width(); ++j) here += graph.ranks[r].times(j)[options[r]];
      least = std::max(least, here);
    }
    break;
  }
  const auto passes = static_cast<double>(order.microbatches * order.slices);
  const double time = passes * least * unit.unit * (1 - 0x1p-40) - unit.error;
  return time > 0 ? time : 0;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Why a schedule does not allow a shape; empty: it does.
[[nodiscard]] inline std::string shape_obstacle(schedule_kind kind, std::size_t ranks, std::size_t chunks,
                                              std::size_t microbatches) {
  if (has_shape(kind, ranks, chunks, microbatches)) return {};
  const schedule_entry& entry = entry_of(kind);
  if (needs_more(entry)) return joined({entry.name, " asks for more than ranks, stages per rank and microbatches"});
  if (entry.stages_per_rank == 0 && chunks == 1) return joined({entry.name, " with 1 stage per rank is another order"});
  if (entry.stages_per_rank != 0 && entry.stages_per_rank != chunks) return joined({entry.name, " has stages_per_rank = ", entry.stages_per_rank, " only"});
  return joined({entry.name, " is not made for ranks = ", ranks, " and microbatches = ", microbatches});
}

STAGECUT_DECL recompute_sweeper::recompute_sweeper(const recompute_model& model, const recompute_sweep_request& request)
    : model_(model), request_(request), begin_(std::chrono::steady_clock::now()) {
  check();
  for (const std::size_t m : request.microbatches) {
    for (const std::size_t v : request.stages_per_rank) {
      for (const schedule_kind kind : request.orders) add_row(v, kind, m);
    }
  }
}

STAGECUT_DECL recompute_sweep recompute_sweeper::run() {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < result_.rows.size(); ++i) {
    if (result_.rows[i].not_searched.empty()) order.push_back(i);
  }
  const auto bound = [&](std::size_t i) { return of_microbatch(i, result_.rows[i].bound); };
  if (!request_.in_order) {
    std::stable_sort(order.begin(), order.end(),
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

STAGECUT_DECL void recompute_sweeper::check() const {
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
  all_above_zero("stages_per_rank", request_.stages_per_rank);
  all_above_zero("microbatches", request_.microbatches);
  if (request_.orders.empty()) refuse("orders", "{}", "must not be empty");
  if (request_.with.links.size() > 1) {
    refuse("with.links.size()", std::to_string(request_.with.links.size()), "must be 0 or 1: boundaries differ");
  }
}

STAGECUT_DECL void recompute_sweeper::add_row(std::size_t chunks, schedule_kind kind, std::size_t microbatches) {
  recompute_sweep_row row{.stages_per_rank = chunks, .schedule = kind, .microbatches = microbatches};
  row.not_searched = shape_obstacle(kind, request_.ranks, chunks, microbatches);
  if (row.not_searched.empty()) {
    const recompute_request here = request_of(row);
    check_recompute_request("sweep_recomputation", model_, here);
    const bool few = least_layers_in_all(here) > model_.layers.size();
    row.bound = few ? 0 : least_work(model_, here).value_or(0);
  }
  result_.rows.push_back(std::move(row));
}

STAGECUT_DECL recompute_request recompute_sweeper::request_of(const recompute_sweep_row& row) const {
  recompute_request here = request_.with;
  here.schedule =
      make_schedule(row.schedule, {.ranks = request_.ranks, .stages_per_rank = row.stages_per_rank, .microbatches = row.microbatches});
  return here;
}

STAGECUT_DECL std::optional<double> recompute_sweeper::seconds_left() const {
  const auto& limit = request_.with.search.time_limit;
  if (!limit) return std::nullopt;
  const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  return spent < *limit ? *limit - spent : 0;
}

STAGECUT_DECL void recompute_sweeper::search(std::size_t place, std::size_t left) {
  recompute_sweep_row& row = result_.rows[place];
  const auto& limits = request_.with.search;
  if (result_.best && of_microbatch(place, row.bound) >= result_.rows[*result_.best].time_of_microbatch()) {
    row.not_searched =
        joined({"its work alone takes ", number_text(row.bound), ", and the best of all takes ",
                number_text(result_.rows[*result_.best].time_of_microbatch() * static_cast<double>(row.microbatches))});
    return;
  }
  if (limits.stop && limits.stop()) {
    row.not_searched = "the search was stopped";
    return;
  }
  recompute_request here = request_of(row);
  if (const auto seconds = seconds_left()) here.search.time_limit = *seconds / static_cast<double>(left);
  if (limits.node_limit) here.search.node_limit = (*limits.node_limit - nodes_) / left;
  row.found = minimize_recomputation(model_, here);
  if (!row.found) return;
  nodes_ += limits.node_limit && row.found->statistics.nodes < *here.search.node_limit ? row.found->statistics.nodes
                                                                            : here.search.node_limit.value_or(0);
  row.bound = row.found->bound < row.bound ? row.bound : row.found->bound;
  if (row.bound > row.found->value) row.bound = row.found->value;
  const auto time = row.time_of_microbatch();
  if (result_.best) {
    const double best = result_.rows[*result_.best].time_of_microbatch();
    if (best < time || (best == time && *result_.best < place)) return;
  }
  result_.best = place;
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
