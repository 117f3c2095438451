// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/makespan/cut_and_order_request.hpp>
#include <stagecut/makespan/detail/cut_times.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/order_request.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_kind.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/schedule/synthesize_schedule.hpp>
#include <stagecut/sequence/uniform_cuts.hpp>

namespace stagecut::inline v0::detail {

/// Makes cuts for orders and orders for cuts in turn.
template <pipeline_model Model, stage_constraint Constraint>
class cut_and_order_search {
 public:
  cut_and_order_search(const Model& model, const cut_and_order_request& request, const Constraint& allowed)
      : model_(model), request_(request), allowed_(allowed), ranks_(1 + *std::max_element(request.rank_of.begin(), request.rank_of.end())) {}

  /// Why there is no cut for any order; unset: there is one.
  [[nodiscard]] std::optional<reason> begin() {
    const outcome<makespan_cut> one = cut_for(one_by_one(), std::nullopt, 0.05);
    if (one.state() == state::infeasible) return one.why();
    if (one) starts_.push_back(one->cuts);  // the lightest heaviest stage of those that fit
    return std::nullopt;
  }

  void run() {
    if (request_.start) starts_.push_back(*request_.start);
    if (const auto even = uniform_cuts(model_.size(), stages())) starts_.push_back(even->cuts);
    begin_with_named();
    const std::size_t count = starts_.size();
    for (std::size_t i = 0; i < count; ++i) alternate(starts_[i], 0.5 / static_cast<double>(count));
    if (best_) polish();
  }

  [[nodiscard]] const std::optional<cut_and_order>& best() const noexcept { return best_; }
  [[nodiscard]] std::size_t rounds() const noexcept { return rounds_; }

 private:
  [[nodiscard]] std::size_t stages() const noexcept { return request_.rank_of.size(); }

  /// A share of the limits.
  [[nodiscard]] search_limits limits(double share) const {
    search_limits result = request_.limits;
    result.progress = {};
    if (result.time_limit) {
      const double left = *result.time_limit - (seconds_now() - began_);
      result.time_limit = std::max(0.0, std::min(left, share * *result.time_limit));
    }
    if (result.node_limit) {
      result.node_limit = static_cast<std::size_t>(share * static_cast<double>(*result.node_limit)) + 1;
    }
    return result;
  }
  [[nodiscard]] bool over() const {
    const search_limits& all = request_.limits;
    return (all.stop && all.stop()) || (all.time_limit && seconds_now() - began_ >= *all.time_limit);
  }

  /// Each microbatch when the one before is through: whatever fits at all has room for that.
  [[nodiscard]] schedule one_by_one() const {
    schedule result = empty_schedule("", request_.rank_of, ranks_, request_.microbatches);
    for (std::size_t k = 0; k < request_.microbatches; ++k) {
      for (std::size_t s = 0; s < stages(); ++s) result.orders[request_.rank_of[s]].push_back({op_kind::forward, s, k});
      for (std::size_t s = stages(); s-- > 0;) {
        auto& order = result.orders[request_.rank_of[s]];
        order.push_back({request_.split ? op_kind::backward_input : op_kind::backward, s, k});
        if (request_.split) order.push_back({op_kind::backward_weight, s, k});
      }
    }
    return result;
  }

  [[nodiscard]] outcome<makespan_cut> cut_for(schedule order, std::optional<cuts> start, double share) {
    ++rounds_;
    makespan_request asked;
    asked.order = std::move(order);
    asked.links = request_.links;
    asked.transfers = request_.transfers;
    asked.memory_per_device = request_.memory_per_device;
    asked.memory_of_ranks = request_.memory_of_ranks;
    asked.start = std::move(start);
    asked.limits = limits(share);
    asked.helpers = request_.helpers;
    return minimize_makespan(model_, asked, allowed_);
  }

  /// The best cut of the best named schedule of these ranks, stages and microbatches that fits.
  void begin_with_named() {
    schedule_shape shape;
    shape.ranks = ranks_;
    shape.microbatches = request_.microbatches;
    if (stages() % ranks_ != 0) return;
    shape.chunks = stages() / ranks_;
    std::vector<schedule> orders;
    for (const schedule_entry& each : schedules) {
      if (!has_shape(each.kind, shape.ranks, shape.chunks, shape.microbatches) || each.twin) continue;
      schedule order = make_schedule(each.kind, shape);
      const bool apart = runs(order, op_kind::backward_input) && !runs(order, op_kind::backward);
      if (order.rank_of == request_.rank_of && (apart ? request_.split : !runs(order, op_kind::backward_input))) {
        orders.push_back(std::move(order));
      }
    }
    std::optional<makespan_cut> best;
    for (const schedule& order : orders) {
      const auto found = cut_for(order, std::nullopt, 0.2 / static_cast<double>(orders.size()));
      if (!found || (best && best->makespan <= found->makespan)) continue;
      best = *found;
      keep({found->cuts, order, found->makespan});
    }
    if (best) starts_.push_back(best->cuts);
  }

  [[nodiscard]] std::optional<cut_and_order> order_for(const cuts& cut, std::optional<schedule> start, double share) {
    ++rounds_;
    order_request asked;
    asked.rank_of = request_.rank_of;
    asked.microbatches = request_.microbatches;
    asked.split = request_.split;
    asked.seed = request_.seed;
    if (request_.memory_per_device) asked.memory = {*request_.memory_per_device};
    if (!request_.memory_of_ranks.empty()) asked.memory = request_.memory_of_ranks;
    asked.bytes = bytes_of(model_, cut);
    asked.limits = limits(share);
    asked.start = std::move(start);
    const auto made = synthesize_schedule(passes_of(model_, cut, request_.split), messages_of(model_, cut, request_), asked);
    if (!made) return std::nullopt;
    return cut_and_order{cut, made->order, made->makespan};
  }

  /// From a cut on, until neither helps.
  void alternate(const cuts& start, double share) {
    std::optional<cut_and_order> now = order_for(start, std::nullopt, share / 2);
    while (now && !over()) {
      keep(*now);
      const auto cut = cut_for(now->order, now->cuts, share / 4);
      if (!cut || !(cut->makespan < now->makespan)) return;
      now = cut_and_order{cut->cuts, now->order, cut->makespan};
      keep(*now);
      std::optional<cut_and_order> next = order_for(now->cuts, now->order, share / 4);
      if (!next || !(next->makespan < now->makespan)) return;
      now = std::move(next);
    }
  }

  /// What time is left goes to the best.
  void polish() {
    for (double share = 0.1; !over(); share *= 2) {
      const double before = best_->makespan;
      if (auto next = order_for(best_->cuts, best_->order, share)) keep(*std::move(next));
      const auto cut = cut_for(best_->order, best_->cuts, share);
      if (cut) keep({cut->cuts, best_->order, cut->makespan});
      if (!request_.limits.time_limit && best_->makespan == before && share > 1) return;
    }
  }

  void keep(cut_and_order found) {
    if (best_ && best_->makespan <= found.makespan) return;
    best_ = std::move(found);
  }

  const Model& model_;
  const cut_and_order_request& request_;
  const Constraint& allowed_;
  std::size_t ranks_;
  double began_ = seconds_now();
  std::vector<cuts> starts_{};
  std::optional<cut_and_order> best_{};
  std::size_t rounds_ = 0;
};

}  // namespace stagecut::inline v0::detail
