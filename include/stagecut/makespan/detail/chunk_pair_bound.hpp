// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/makespan/cut_and_schedule_request.hpp>
#include <stagecut/makespan/detail/cut_times.hpp>
#include <stagecut/makespan/detail/plain_orders.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A lower bound on every cut and schedule if every rank has two stages, in turn or down and back up: the minimum over
/// all cuts of the bottleneck rank's time.
///
/// Source: docs/orders.md, The bound of a cut.
template <pipeline_model Model, stage_constraint Constraint>
class chunk_pair_bound {
 public:
  chunk_pair_bound(const Model& model, const cut_and_schedule_request& request, const Constraint& allowed)
      : model_(model),
        request_(request),
        allowed_(allowed),
        n_(model.size()),
        ranks_(detail::ranks_of(request)),
        m_(static_cast<double>(request.microbatches)) {
    vee_ = ranks_ > 1 && request.rank_of == v_placement(ranks_);
    if (!applies()) return;
    add_times();
    hops_.push_back(0);
    for (std::size_t b = 0; b + 1 < 2 * ranks_; ++b) {
      const bool apart = !request.links.empty() && request.rank_of[b] != request.rank_of[b + 1];
      hops_.push_back(hops_.back() + (apart ? request.links[request.links.size() == 1 ? 0 : b](0) : 0));
    }
  }

  /// Whether the stages are placed in this way.
  [[nodiscard]] bool applies() const {
    return ranks_ > 1 && request_.rank_of.size() == 2 * ranks_ &&
           (vee_ || request_.rank_of == loop_placement(ranks_, 2));
  }

  /// The bound, if it is below `most`; else `most`. 0 if it takes too long to compute.
  [[nodiscard]] double below(double most) {
    most_ = most;
    if (vee_) {
      begin_with(n_);
      for (std::size_t r = 0; r < ranks_; ++r) next_of_vee(r);
      return result();
    }
    double least = most;
    for (std::size_t middle = ranks_; middle + ranks_ <= n_ && !is_too_much(); ++middle) {
      begin_with(middle);
      for (std::size_t r = 0; r < ranks_; ++r) next_of_loop(r, middle);
      least = std::min(least, result());
    }
    return least;
  }

 private:
  struct passes {
    double forward = 0;
    double input = 0;  // B if it is not split
    double weight = 0;

    [[nodiscard]] double all() const noexcept { return forward + input + weight; }
    [[nodiscard]] double behind() const noexcept { return input + weight; }
  };
  /// Two stages of a rank, with their times.
  struct stage_pair {
    std::size_t first_stage, first, first_end, second_stage, second, second_end;
    passes one, two;
  };

  /// Prefix sums of item times, on every stage and the minimum over stages.
  void add_times() {
    down_.assign(n_ + 1, 0);
    up_.assign(n_ + 1, 0);
    sums_.assign(2 * ranks_, std::vector<passes>(n_ + 1));
    for (std::size_t i = 0; i < n_; ++i) {
      double down = std::numeric_limits<double>::infinity();
      double up = down;
      for (std::size_t s = 0; s < 2 * ranks_; ++s) {
        passes here{model_.forward(s, i), model_.backward(s, i), 0};
        if constexpr (split_pipeline_model<Model>) {
          if (!is_whole(request_, s)) {
            const double whole = here.input;
            here.input = detail::input_of(model_, s, i), here.weight = model_.backward_weight(s, i);
            detail::bound_together(here, whole);
          }
        }
        down = std::min(down, here.forward);
        up = std::min(up, here.input);
        const passes& before = sums_[s][i];
        sums_[s][i + 1] = {before.forward + here.forward, before.input + here.input, before.weight + here.weight};
      }
      down_[i + 1] = down_[i] + down;
      up_[i + 1] = up_[i] + up;
    }
  }

  [[nodiscard]] passes sum(std::size_t s, std::size_t first, std::size_t last) const {
    const passes& a = sums_[s][first];
    const passes& b = sums_[s][last];
    const bool whole = is_whole(request_, s);
    const double weight = detail::stage_backward_weight(model_, s);
    return {b.forward - a.forward + detail::stage_forward(model_, s),
            b.input - a.input + detail::stage_backward(model_, s) - (whole ? 0 : weight),
            b.weight - a.weight + (whole ? 0 : weight)};
  }

  /// The bound of the cuts kept, once all items are assigned.
  [[nodiscard]] double result() const {
    constexpr double rounding = 1 - 0x1p-40;
    if (is_too_much()) return 0;
    double least = most_;
    for (const double value : least_) least = std::min(least, value * rounding);
    return least;
  }

  /// Nothing is assigned yet, except that the second stages begin, or end, at b.
  void begin_with(std::size_t b) {
    least_.assign((n_ + 1) * (n_ + 1), std::numeric_limits<double>::infinity());
    least_[b] = 0;
  }

  /// Calls `visit(a, b, value)` for the remaining states.
  template <class Visit>
  void each_left(const Visit& visit) const {
    for (std::size_t a = 0; a <= n_; ++a) {
      for (std::size_t b = 0; b <= n_ && !is_too_much(); ++b) {
        const double value = least_[a * (n_ + 1) + b];
        if (value < std::numeric_limits<double>::infinity()) visit(a, b, value);
      }
    }
  }

  void keep(std::vector<double>& next, std::size_t a, std::size_t b, double value) const {
    double& least = next[a * (n_ + 1) + b];
    least = std::min(least, value);
  }

  /// Rank r takes stages at both ends of the rest, `[a, b)`.
  void next_of_vee(std::size_t r) {
    std::vector<double> next(least_.size(), std::numeric_limits<double>::infinity());
    const std::size_t inside = 2 * (ranks_ - 1 - r);
    each_left([&](std::size_t a, std::size_t b, double value) {
      for (std::size_t first_end = a + 1; first_end + inside < b; ++first_end) {
        const std::size_t from = inside == 0 ? first_end : b - 1;
        for (std::size_t second = from; second >= first_end + inside; --second) {
          const double need = of_rank({r, a, first_end, 2 * ranks_ - 1 - r, second, b, {}, {}});
          if (need < most_) keep(next, first_end, second, std::max(value, need));
          if (inside == 0 || is_full_) break;
        }
      }
    });
    least_ = std::move(next);
  }

  [[nodiscard]] bool is_too_much() const noexcept { return asked_ > 20'000'000; }

  /// Rank r takes the next stage before `middle`, from a on, and the next after it, from b on.
  void next_of_loop(std::size_t r, std::size_t middle) {
    std::vector<double> next(least_.size(), std::numeric_limits<double>::infinity());
    const std::size_t left = ranks_ - 1 - r;
    each_left([&](std::size_t a, std::size_t b, double value) {
      for (std::size_t first_end = left == 0 ? middle : a + 1; first_end + left <= middle; ++first_end) {
        for (std::size_t second_end = left == 0 ? n_ : b + 1; second_end + left <= n_; ++second_end) {
          const double need = of_rank({r, a, first_end, ranks_ + r, b, second_end, {}, {}});
          if (need < most_) keep(next, first_end, second_end, std::max(value, need));
          if (is_full_) break;
        }
      }
    });
    least_ = std::move(next);
  }

  /// The maximum of x * a + y * b with y <= x <= m and x * kept_a + y * kept_b <= room.
  [[nodiscard]] double most_within(double a, double b, double kept_a, double kept_b, double room) const {
    const auto count = [&](double bytes, double each) { return each > 0 ? std::min(m_, bytes / each) : m_; };
    const double both = count(room, kept_a + kept_b);
    const double single = count(room, kept_a);
    const double rest = single < m_ ? 0 : count(room - m_ * kept_a, kept_b);
    return std::max(both * (a + b), std::max(single * a, single < m_ ? 0.0 : m_ * a + rest * b));
  }

  /// The same with x and y at most m each.
  [[nodiscard]] double most_of_either(double a, double b, double kept_a, double kept_b, double room) const {
    if (b * kept_a > a * kept_b) std::swap(a, b), std::swap(kept_a, kept_b);  // the most per byte first
    const double first = kept_a > 0 ? std::min(m_, room / kept_a) : m_;
    if (first < m_) return first * a;
    const double rest = room - m_ * kept_a;
    return m_ * a + (kept_b > 0 ? std::min(m_, rest / kept_b) : m_) * b;
  }

  /// A lower bound on every schedule in which a rank has these two stages.
  [[nodiscard]] double of_rank(stage_pair of) {
    constexpr double never = std::numeric_limits<double>::infinity();
    ++asked_;
    of.one = sum(of.first_stage, of.first, of.first_end);
    of.two = sum(of.second_stage, of.second, of.second_end);
    const double all = of.one.all() + of.two.all();
    is_full_ = m_ * all >= most_;
    if (is_full_ || !allowed_(of.first_stage, of.first, of.first_end) ||
        !allowed_(of.second_stage, of.second, of.second_end)) {
      return never;
    }
    return by_memory(of, all);
  }

  [[nodiscard]] double by_memory(const stage_pair& of, double all) const {
    double kept_one = 0;
    double kept_two = 0;
    double room = std::numeric_limits<double>::infinity();
    if constexpr (memory_pipeline_model<Model>) {
      if (request_.memory_limit) {
        const double alone = model_.memory(of.first_stage, of.first, of.first_end, 1);
        const double other = model_.memory(of.second_stage, of.second, of.second_end, 1);
        kept_one = model_.memory(of.first_stage, of.first, of.first_end, 2) - alone;
        kept_two = model_.memory(of.second_stage, of.second, of.second_end, 2) - other;
        const std::size_t rank = request_.rank_of[of.first_stage];
        room = request_.memory_limit.of(rank, 0);
        room -= alone - kept_one + other - kept_two;
        if (room < kept_one + kept_two) return std::numeric_limits<double>::infinity();
      }
    }
    const double in = down_[of.first] + hops_[of.first_stage];
    const double out = up_[of.first] + hops_[of.first_stage];
    const double hop = hops_[of.second_stage] - hops_[of.first_stage];
    const double below =
        down_[n_] - down_[of.second_end] + up_[n_] - up_[of.second_end] + 2 * (hops_.back() - hops_[of.second_stage]);
    const double there = down_[of.second] - down_[of.first_end] + hop;
    const double back = up_[of.second] - up_[of.first_end] + hop;
    // Before the first I, and after the last F, only what fits into memory runs; the rank waits for the rest.
    const double filled = most_within(of.one.forward, of.two.forward, kept_one, kept_two, room);
    const double first = of.one.forward + there + of.two.forward + below;
    const double waits = in + std::max(0.0, first - filled);
    const double weights = m_ * (of.one.weight + of.two.weight);
    double work = waits + std::max(m_ * all, m_ * all - weights + out);
    if (m_ * (kept_one + kept_two) > room) {  // else all F may run before any I: then it waits once
      // W of the second stage may remain after the first stage's W has run.
      const double drained = most_of_either(of.one.behind(), of.two.behind(), kept_one, kept_two, room);
      const double last = below + of.two.input + back + of.one.input + std::max(of.one.weight, out);
      work = std::max(work, waits + m_ * all + std::max(0.0, last - drained));
    }
    if (!(room < std::numeric_limits<double>::infinity()) || room <= 0) return work;
    // Every microbatch holds its bytes from F to W, of both stages.
    const double trip_two = of.two.all() + below;
    const double trip_one = of.one.all() + there + back + of.two.forward + below + of.two.input;
    return std::max(work, in + m_ * (kept_one * trip_one + kept_two * trip_two) / room);
  }

  const Model& model_;
  const cut_and_schedule_request& request_;
  const Constraint& allowed_;
  std::size_t n_;
  std::size_t ranks_;
  double m_;
  bool vee_ = false;
  double most_ = 0;
  std::size_t asked_ = 0;
  bool is_full_ = false;  // whether the work alone of the last queried rank is too much
  std::vector<double> down_{};
  std::vector<double> up_{};
  std::vector<double> hops_{};  // before every stage, a lower bound
  std::vector<std::vector<passes>> sums_{};
  std::vector<double> least_{};  // by the ends of the assigned items, a (n + 1) + b; infinite: no cut left
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
