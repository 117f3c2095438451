// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/makespan/cut_and_schedule_request.hpp>
#include <stagecut/makespan/detail/cut_times.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A lower bound on every cut and schedule: the minimum over all cuts of the bottleneck stage's time.
///
/// The time of a stage follows from the microbatches that fit into its memory, its own passes, and lower bounds on a
/// microbatch's time before and after it. With several stages per rank it is the average work of a rank.
///
/// Source: docs/orders.md, The bound of a cut.
template <pipeline_model Model, stage_constraint Constraint>
class cut_and_schedule_bound {
 public:
  cut_and_schedule_bound(const Model& model, const cut_and_schedule_request& request, const Constraint& allowed)
      : model_(model), request_(request), allowed_(allowed), n_(model.size()), stages_(request.rank_of.size()) {
    down_.assign(n_ + 1, 0);
    up_.assign(n_ + 1, 0);
    double work = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      item least = of_item(0, i);
      double all = least.forward + least.input + least.weight;
      for (std::size_t s = 1; s < stages_; ++s) {
        const item each = of_item(s, i);
        least = {std::min(least.forward, each.forward), std::min(least.input, each.input), 0};
        all = std::min(all, each.forward + each.input + each.weight);
      }
      down_[i + 1] = down_[i] + least.forward;
      up_[i + 1] = up_[i] + least.input;
      work += all;
    }
    std::size_t ranks = 0;
    for (const std::size_t rank : request.rank_of) ranks = std::max(ranks, rank + 1);
    average_ = work * static_cast<double>(request.microbatches) / static_cast<double>(ranks);
    single_ = ranks == stages_;
    for (std::size_t b = 0; b + 1 < stages_; ++b) {
      double least = 0;
      if (!request.links.empty()) least = request.links[request.links.size() == 1 ? 0 : b](0);
      hops_.push_back(hops_.empty() ? least : hops_.back() + least);
    }
    hops_.insert(hops_.begin(), 0);
  }

  /// O(stages n^2); falls back to the average if that is too much.
  [[nodiscard]] double operator()() {
    constexpr double rounding = 1 - 0x1p-40;
    if (!single_ || static_cast<double>(stages_) * static_cast<double>(n_) * static_cast<double>(n_) > 3e8) {
      return average_ * rounding;
    }
    least_.assign((stages_ + 1) * (n_ + 1), never);
    least(stages_, n_) = 0;
    for (std::size_t s = stages_; s-- > 0;) {
      for (std::size_t first = s; first < n_; ++first) {
        each_stage(s, first, least(s, first), [&](std::size_t last, double here) {
          least(s, first) = std::min(least(s, first), std::max(here, least(s + 1, last)));
        });
      }
    }
    return (least(0, 0) == never ? average_ : std::max(least(0, 0), average_)) * rounding;
  }

  /// All cuts whose stages each need less than `most`; unset if there are more than `count`, or if only the average is
  /// known.
  /// @pre the bound was computed
  [[nodiscard]] std::optional<std::vector<cuts>> below(double most, std::size_t count) {
    std::vector<cuts> found;
    std::vector<std::size_t> points = {0};
    if (least_.empty() || !extend(points, most, count, found)) return std::nullopt;
    return found;
  }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();

  /// The passes of an item, or of a stage.
  struct item {
    double forward = 0;
    double input = 0;  // B if it is not split
    double weight = 0;
  };

  [[nodiscard]] item of_item(std::size_t s, std::size_t i) const {
    item result{model_.forward(s, i), model_.backward(s, i), 0};
    if constexpr (split_pipeline_model<Model>) {
      if (!is_whole(request_, s)) {
        const double whole = result.input;
        result.input = detail::input_of(model_, s, i), result.weight = model_.backward_weight(s, i);
        detail::bound_together(result, whole);
      }
    }
    return result;
  }

  /// The minimum over all cuts of `[first, n)` into the stages from s on.
  [[nodiscard]] double& least(std::size_t s, std::size_t first) { return least_[s * (n_ + 1) + first]; }

  /// Calls `visit(last, need)` for the allowed stages s that begin with `first`, need less than `most`, which it may
  /// lower, and leave a cut of the rest.
  template <class Visit>
  void each_stage(std::size_t s, std::size_t first, const double& most, const Visit& visit) {
    item here{};
    const std::size_t from = s + 1 == stages_ ? n_ : first + 1;
    for (std::size_t last = first + 1; last + (stages_ - 1 - s) <= n_; ++last) {
      const item added = of_item(s, last - 1);
      here = {here.forward + added.forward, here.input + added.input, here.weight + added.weight};
      if (last < from || !(least(s + 1, last) < most) || !allowed_(s, first, last)) continue;
      const double need = of_stage(s, first, last, here);
      if (need < most) visit(last, need);
    }
  }

  bool extend(std::vector<std::size_t>& points, double most, std::size_t count, std::vector<cuts>& found) {
    const std::size_t s = points.size() - 1;
    if (s == stages_) {
      if (found.size() == count) return false;
      found.emplace_back(points);
      return true;
    }
    bool all = true;
    each_stage(s, points.back(), most, [&](std::size_t last, double) {
      points.push_back(last);
      all = all && extend(points, most, count, found);
      points.pop_back();
    });
    return all;
  }

  [[nodiscard]] double memory(std::size_t s) const { return request_.memory_limit.of(request_.rank_of[s], 0); }

  /// The number of microbatches that fit, at most all; 0: none.
  [[nodiscard]] double in_flight(std::size_t s, std::size_t first, std::size_t last) const {
    const auto m = static_cast<double>(request_.microbatches);
    if constexpr (memory_pipeline_model<Model>) {
      if (!request_.memory_limit) return m;
      const double one = model_.memory(s, first, last, 1);
      const double each = model_.memory(s, first, last, 2) - one;
      double left = memory(s) - one;
      if constexpr (has_recomputed<Model>) left -= model_.recomputed(s, first, last);
      if (left < 0) return 0;
      return each > 0 ? std::min(m, 1 + static_cast<double>(static_cast<std::size_t>(std::min(left / each, m)))) : m;
    } else {
      return m;
    }
  }

  /// A lower bound on every schedule in which `[first, last)` is stage s.
  [[nodiscard]] double of_stage(std::size_t s, std::size_t first, std::size_t last, item here) const {
    const double most = in_flight(s, first, last);
    if (most == 0) return never;
    here.forward += detail::stage_forward(model_, s);
    const double weight = detail::stage_backward_weight(model_, s);
    here.input += detail::stage_backward(model_, s) - (is_whole(request_, s) ? 0 : weight);
    here.weight += is_whole(request_, s) ? 0 : weight;
    const auto m = static_cast<double>(request_.microbatches);
    const double in = down_[first] + hops_[s];  // before the first F
    const double out = up_[first] + hops_[s];   // after the last I
    const double below = down_[n_] - down_[last] + up_[n_] - up_[last] + 2 * (hops_.back() - hops_[s]);
    const double passes = here.forward + here.input;
    const double all = passes + here.weight;
    // At most `most` F run before the first I can begin, and as many I and W after the last F; the other passes run in
    // between. With all microbatches in flight there may be nothing in between, and the last is left out.
    const double fill = std::max(most * here.forward, here.forward + below);
    const double drain = std::max(most * all - most * here.forward,
                                  std::max(most * here.input + out, here.input + below + std::max(here.weight, out)));
    const double ends = most < m ? in + fill + (m - most) * all + drain : in + fill + m * here.input + out;
    const double work = in + std::max(m * all, m * passes + out);
    // A microbatch begins when the one `most` before it has finished.
    const auto turns = static_cast<double>(static_cast<std::size_t>((m - 1) / most));
    const double trips = in + turns * (all + below) + passes + below + std::max(out, here.weight);
    return std::max(ends, std::max(work, trips));
  }

  const Model& model_;
  const cut_and_schedule_request& request_;
  const Constraint& allowed_;
  std::size_t n_;
  std::size_t stages_;
  std::vector<double> down_{};   // prefix sums of the smallest F of each item
  std::vector<double> up_{};     // the same for I, or B
  std::vector<double> hops_{};   // lower bounds on message times, per number of boundaries
  std::vector<double> least_{};  // by stage and first item
  double average_ = 0;
  bool single_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
