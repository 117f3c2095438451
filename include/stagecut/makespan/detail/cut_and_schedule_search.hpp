// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/makespan/cut_and_schedule_request.hpp>
#include <stagecut/makespan/detail/chunk_pair_bound.hpp>
#include <stagecut/makespan/detail/cut_and_schedule_bound.hpp>
#include <stagecut/makespan/detail/cut_of_order.hpp>
#include <stagecut/makespan/detail/cut_times.hpp>
#include <stagecut/makespan/detail/in_flight_search.hpp>
#include <stagecut/makespan/detail/plain_orders.hpp>
#include <stagecut/makespan/makespan_request.hpp>
#include <stagecut/orders/parts/order_makespan_bound.hpp>
#include <stagecut/orders/synthesis_request.hpp>
#include <stagecut/orders/synthesize_schedule.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulate.hpp>
#include <stagecut/sequence/uniform_cuts.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Alternates between cuts for schedules and schedules for cuts.
template <pipeline_model Model, stage_constraint Constraint>
class cut_and_schedule_search {
 public:
  cut_and_schedule_search(const Model& model, const cut_and_schedule_request& request, const Constraint& allowed,
                          cut_and_schedule_bound<Model, Constraint>& bounds, best_cut_and_schedule& best)
      : model_(model), request_(request), allowed_(allowed), bounds_(bounds), best_(best) {}

  /// The reason why no schedule has a cut; unset: there is one.
  [[nodiscard]] std::optional<reason> begin() {
    cut_and_schedule_request plain = request_;
    if (some_run_whole(allowed_)) plain.split = false;  // which every stage can run
    const schedule order = one_at_a_time(plain);
    const outcome<makespan_cut> one = cut_for(order, std::nullopt, 0.05);
    if (one.state() == state::infeasible) return one.why();
    if (!one) return std::nullopt;
    starts_.push_back(one->cuts);  // the smallest bottleneck among those that fit
    best_.keep({{.value = one->value}, one->cuts, order});
    return std::nullopt;
  }

  void run() {
    if (request_.start) starts_.push_back(*request_.start);
    if (const auto even = uniform_cuts(model_.size(), stages())) starts_.push_back(even->cuts);
    begin_with_named();
    begin_with_in_flight();
    const std::size_t count = starts_.size();
    for (std::size_t i = count; i-- > 0 && !best_.over();) alternate(starts_[i], 0.5 / static_cast<double>(count));
    if (best_.get() && !best_.over()) raise_bound();
    if (best_.get() && !best_.over()) close_cuts();
    most_seconds_ = std::numeric_limits<double>::infinity();
    if (best_.get()) polish();
  }

  /// Number of cut or schedule searches.
  [[nodiscard]] std::size_t rounds() const noexcept { return rounds_; }

 private:
  [[nodiscard]] std::size_t stages() const noexcept { return request_.rank_of.size(); }

  [[nodiscard]] outcome<makespan_cut> cut_for(schedule order, std::optional<cuts> start, double share) {
    ++rounds_;
    const bool mixed = has_kind(order, op_kind::backward) && has_kind(order, op_kind::backward_input);
    const schedule same = mixed ? order : schedule();
    const std::vector<bool> apart = stages_apart(order);
    auto found = some_run_whole(allowed_)
                     ? detail::cut_of_order(model_, request_, under_order(allowed_, apart), std::move(order),
                                            std::move(start), best_.limits(share, most_seconds_))
                     : detail::cut_of_order(model_, request_, allowed_, std::move(order), std::move(start),
                                            best_.limits(share, most_seconds_));
    if (!mixed || !found) return found;
    // With I and W in use, the planner for cuts counts both as a B, so its result is evaluated as it is.
    makespan_cut as_is = *found;
    as_is.value = simulate(same, detail::passes_of(model_, as_is.cuts, request_),
                           detail::messages_of(model_, as_is.cuts, request_))
                      .makespan;
    return outcome<makespan_cut>::feasible(std::move(as_is));
  }

  /// Whether some stages run B unsplit, whatever they contain: a constraint may require it.
  [[nodiscard]] static bool some_run_whole(const Constraint& allowed) {
    if constexpr (requires { allowed.runs_some_whole(); }) return allowed.runs_some_whole();
    return false;
  }

  /// The constraint under a schedule that splits the backward pass of these stages.
  [[nodiscard]] static Constraint under_order(const Constraint& allowed, const std::vector<bool>& apart) {
    if constexpr (requires { allowed.of_order(apart); }) return allowed.of_order(apart);
    return allowed;
  }

  [[nodiscard]] std::vector<bool> stages_apart(const schedule& order) const {
    std::vector<bool> result(stages(), false);
    for (const auto& ops : order.orders) {
      for (const auto& op : ops) {
        if (op.kind == op_kind::backward_input) result[op.stage] = true;
      }
    }
    return result;
  }

  /// Tries the best cut of the best named schedule that fits.
  void begin_with_named() {
    const std::vector<schedule> orders = named_orders(request_);
    std::optional<makespan_cut> best;
    for (const schedule& order : orders) {
      if (best_.over()) break;
      const auto found = cut_for(order, std::nullopt, 0.2 / static_cast<double>(orders.size()));
      if (!found || (best && best->value <= found->value)) continue;
      best = *found;
      best_.keep({{.value = found->value}, found->cuts, order});
    }
    if (best) starts_.push_back(best->cuts);
  }

  /// With one stage per rank, tries the best cut with unsplit backward passes and the best numbers in flight.
  void begin_with_in_flight() {
    if (best_.over()) return;
    for (std::size_t s = 0; s < stages(); ++s) {
      if (request_.rank_of[s] != s) return;
    }
    cut_and_schedule_request asked = request_;
    asked.split = false;
    asked.search = best_.limits(0.15, 5);
    best_cut_and_schedule found(asked, 0);
    in_flight_search<Model, Constraint> search(model_, asked, allowed_, found);
    if (search.begin()) return;
    search.run();
    rounds_ += search.rounds();
    if (found.get()) starts_.push_back(found.get()->cuts);
  }

  [[nodiscard]] synthesis_request order_request_of(const cuts& cut) const {
    synthesis_request asked;
    asked.rank_of = request_.rank_of;
    asked.microbatches = request_.microbatches;
    asked.split = request_.split;
    asked.whole = request_.whole;
    if constexpr (requires { allowed_.runs_whole(0, 0, 0); }) {
      if (request_.split && some_run_whole(allowed_)) {
        asked.whole.resize(stages(), false);
        for (std::size_t s = 0; s < stages(); ++s) {
          if (allowed_.runs_whole(s, cut[s], cut[s + 1])) asked.whole[s] = true;
        }
      }
    }
    asked.memory_limit = request_.memory_limit;
    asked.bytes = detail::stage_bytes_of(model_, cut);
    return asked;
  }

  /// A schedule for a cut; its bound covers all schedules of the cut.
  [[nodiscard]] std::optional<cut_and_schedule> order_for(const cuts& cut, std::optional<schedule> start,
                                                          double share) {
    ++rounds_;
    synthesis_request asked = order_request_of(cut);
    asked.search = best_.limits(share, most_seconds_);
    asked.start = std::move(start);
    const auto made = synthesize_schedule(detail::passes_of(model_, cut, request_),
                                          detail::messages_of(model_, cut, request_), asked);
    if (!made) return std::nullopt;
    return cut_and_schedule{{made->makespan, made->bound}, cut, made->schedule};
  }

  /// With two stages per rank, bounds them together.
  void raise_bound() {
    chunk_pair_bound<Model, Constraint> pairs(model_, request_, allowed_);
    if (pairs.applies()) best_.raise(pairs.below(best_.get()->value));
  }

  /// The number of cuts to bound one by one: some thousand, fewer if ranks have many passes.
  [[nodiscard]] std::size_t most_cuts() const {
    const auto ranks = static_cast<double>(detail::ranks_of(request_));
    const double passes = 3 * static_cast<double>(request_.microbatches) * static_cast<double>(stages()) / ranks;
    const double count = 4e8 / (ranks * passes * passes);
    return count < 4000 ? static_cast<std::size_t>(count) : 4000;
  }

  /// If the bound leaves few enough cuts, examines each: discards those whose bound is not below the best, and
  /// synthesizes a schedule for the others. If none is left, the best is proved.
  void close_cuts() {
    std::optional<std::vector<cuts>> left = bounds_.below(best_.get()->value, most_cuts());
    if (!left) return;
    std::vector<std::pair<double, cuts>> open;
    for (cuts& each : *left) {
      if (best_.over()) return;
      const double bound =
          detail::order_makespan_bound(detail::passes_of(model_, each, request_),
                                       detail::messages_of(model_, each, request_), order_request_of(each));
      open.emplace_back(bound, std::move(each));
    }
    std::stable_sort(open.begin(), open.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    double least = best_.get()->value * (1 - 0x1p-40);
    std::size_t looked_at = 0;
    for (auto& [bound, cut] : open) {
      if (bound < best_.get()->value && looked_at < 200 && !best_.over()) {
        ++looked_at;
        if (auto made = order_for(cut, std::nullopt, 0.3 / 200)) {
          bound = std::max(bound, made->bound);
          best_.keep(*std::move(made));
        }
      }
      least = std::min(least, bound);
    }
    best_.raise(least);
  }

  /// Alternates from a cut on, until neither step improves.
  void alternate(const cuts& start, double share) {
    std::optional<cut_and_schedule> now = order_for(start, std::nullopt, share / 2);
    while (now) {
      best_.keep(*now);
      if (best_.over()) return;
      const auto cut = cut_for(now->schedule, now->cuts, share / 4);
      if (!cut || !(cut->value < now->value)) return;
      now = cut_and_schedule{{.value = cut->value}, cut->cuts, now->schedule};
      best_.keep(*now);
      if (best_.over()) return;
      std::optional<cut_and_schedule> next = order_for(now->cuts, now->schedule, share / 4);
      if (!next || !(next->value < now->value)) return;
      now = std::move(next);
    }
  }

  /// Spends the remaining time on the best.
  void polish() {
    for (double share = 0.1; !best_.over(); share *= 2) {
      const cut_and_schedule now = *best_.get();
      if (auto next = order_for(now.cuts, now.schedule, share)) best_.keep(*std::move(next));
      if (best_.over()) return;
      const schedule order = best_.get()->schedule;
      const auto cut = cut_for(order, best_.get()->cuts, share);
      if (cut) best_.keep({{.value = cut->value}, cut->cuts, order});
      if (!request_.search.time_limit && best_.get()->value == now.value && share > 1) return;
    }
  }

  const Model& model_;
  const cut_and_schedule_request& request_;
  const Constraint& allowed_;
  cut_and_schedule_bound<Model, Constraint>& bounds_;
  best_cut_and_schedule& best_;
  std::vector<cuts> starts_{};
  std::size_t rounds_ = 0;
  double most_seconds_ = 2;  // per cut or schedule, until all starts were tried
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
