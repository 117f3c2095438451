// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/detail/gallop.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/sequence/chain_partition.hpp>
#include <stagecut/sequence/detail/leximax_ends.hpp>
#include <stagecut/sequence/detail/leximax_suffixes.hpp>
#include <stagecut/sequence/detail/rightmost_end.hpp>
#include <stagecut/sequence/parts/chain_clock.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The cut with the smallest leximax for a right-monotone cost. As in `stage_program`, computes the best suffix from the
/// end of the chain for every stage and every first item; but compares ends of a stage by single costs, not by lists.
/// docs/chains.md, "Leximax", proves the rules of `go_right`, `go_left` and `relate`; `leximax_ends` has the choices and
/// their lists.
///
/// O(k m) choices for m possible cut points, each with usually 2 to 30 calls of the cost; lists of costs only if a step
/// equals a cost, or if the suffixes' costs do not decrease from column to column. O(k m) memory, and the lists of one
/// stage.
template <stage_cost Model, stage_constraint Constraint>
class leximax_program {
 public:
  using cost_type = cost_t<Model>;

  /// @param cap  no stage costs more
  leximax_program(const Model& cost, std::size_t stages, cost_type cap, const Constraint& allowed, chain_clock& clock)
      : allowed_(allowed),
        clock_(clock),
        cap_(std::move(cap)),
        items_(cost.size()),
        stages_(stages),
        ends_(cost, stages),
        behind_(ends_.behind()) {}

  /// The lexicographically smallest of the best cuts; none if there is none, or a limit was reached.
  [[nodiscard]] std::optional<chain_partition<std::vector<cost_type>>> run() {
    limit();
    for (std::size_t s = stages_; s-- > 0;) {
      if (!go_back(s)) return std::nullopt;
    }
    return ends_.best();
  }

 private:
  using choice = typename leximax_ends<Model>::choice;

  [[nodiscard]] cost_type cost(std::size_t s, std::size_t first, std::size_t last) const {
    return ends_.cost(s, first, last);
  }
  /// Whether the items may be a stage, as far as the monotone conditions are concerned.
  [[nodiscard]] bool within(std::size_t s, std::size_t first, std::size_t last) const {
    if (!(cost(s, first, last) <= cap_)) return false;
    if constexpr (promises<Constraint, hereditary>) {
      return allowed_(s, first, last);
    } else {
      return true;
    }
  }

  /// Computes the largest first items, by stage: docs/chains.md, "How far stages reach".
  void limit() {
    for (std::size_t s = 0; s + 1 < stages_; ++s) {
      const std::size_t most = items_ - (stages_ - 1 - s);
      if constexpr (promises<Model, monotone>) {
        // A start further left reaches no further.
        const std::size_t from = ends_.highest(s);
        ends_.limit(s + 1, detail::rightmost_end(from, most, from,
                                                 [&](std::size_t last) { return within(s, from, last); }));
      } else {
        ends_.limit(s + 1, most);
      }
    }
  }

  /// Computes all first items of stage s, from right to left. Returns whether there is one.
  bool go_back(std::size_t s) {
    leximax_suffixes<cost_type> here;
    const std::size_t columns = behind_.size();
    std::size_t nearest = columns;  // the first column after the item
    std::optional<choice> before;   // of the item to the right
    reach_ = columns;
    for (std::size_t first = ends_.highest(s) + 1; first-- > s;) {
      const double done = static_cast<double>(stages_ - 1 - s);
      if (clock_.over(done / static_cast<double>(stages_))) return false;
      while (nearest > 0 && behind_.item(nearest - 1) > first) --nearest;
      auto chosen = nearest < columns ? choose(s, first, nearest, before ? before->column : nearest) : std::nullopt;
      ends_.push(s, chosen);
      if (!chosen) {
        // A start further left needs all of these, too.
        if (promises<Model, monotone> && promises<Constraint, hereditary> && nearest == 0) break;
        continue;
      }
      here.push(first);
      if (before) relate(here, *chosen, *before);
      before = std::move(chosen);
    }
    if (here.size() == 0) return false;
    ends_.finish(s, std::move(here));
    return true;
  }

  /// The best end of stage s from that item on, the smallest on ties; none if there is none.
  [[nodiscard]] std::optional<choice> choose(std::size_t s, std::size_t first, std::size_t nearest,
                                             std::size_t likely) {
    reach_ = detail::gallop(nearest, behind_.size(), reach_ == 0 ? 0 : reach_ - 1,
                            [&](std::size_t t) { return !within(s, first, behind_.item(t)); });
    if (!behind_.falls()) return look_at_all(s, first, nearest);
    if constexpr (promises<Constraint, hereditary>) {
      if (reach_ == nearest) return std::nullopt;
      const std::size_t from = likely < nearest ? nearest : likely < reach_ ? likely : reach_ - 1;
      return go_left(s, first, nearest, go_right(s, first, from));
    } else {
      for (std::size_t t = nearest; t < reach_; ++t) {
        const bool may = allowed_(s, first, behind_.item(t));
        if (may) return go_right(s, first, t);
        if (detail::hopeless(allowed_, s, first, behind_.item(t), may)) break;
      }
      return std::nullopt;
    }
  }

  /// The best end from that column on.
  [[nodiscard]] choice go_right(std::size_t s, std::size_t first, std::size_t from) {
    choice best{from, cost(s, first, behind_.item(from))};
    const cost_type* step = nullptr;  // the greatest step between the best column and those after t
    std::size_t peak = from;
    for (std::size_t t = from; t + 1 < reach_;) {
      if (behind_.rises(t, step)) {
        step = behind_.step(t);
        peak = t;
      }
      if (step == nullptr) {
        t = behind_.next_rise(t);
        continue;
      }
      choice other{t + 1, cost(s, first, behind_.item(t + 1))};
      if (best.cost < other.cost && *step < other.cost) {
        t = behind_.next_rise(peak);
        continue;
      }
      if constexpr (!promises<Constraint, hereditary>) {
        const bool may = allowed_(s, first, behind_.item(t + 1));
        if (!may) {
          if (detail::hopeless(allowed_, s, first, behind_.item(t + 1), may)) break;
          ++t;
          continue;
        }
      }
      if (is_better(best, other, *step)) {
        t = other.column;
        best = std::move(other);
        step = nullptr;
      } else {
        t = behind_.next_step(t + 1);  // lists with equal starts
      }
    }
    return best;
  }

  /// The best end up to the given best one of those after it.
  [[nodiscard]] choice go_left(std::size_t s, std::size_t first, std::size_t nearest, choice best) {
    const cost_type* step = nullptr;
    for (std::size_t t = best.column; t-- > nearest;) {
      if (behind_.rises(t, step)) step = behind_.step(t);
      if (step != nullptr && best.cost < *step) break;
      choice other{t, cost(s, first, behind_.item(t))};
      if (step != nullptr && is_better(other, best, *step)) continue;
      best = std::move(other);
      step = nullptr;
    }
    return best;
  }

  /// The best of all ends, comparing their lists of costs one by one.
  [[nodiscard]] std::optional<choice> look_at_all(std::size_t s, std::size_t first, std::size_t nearest) {
    std::optional<choice> best;
    for (std::size_t t = nearest; t < reach_; ++t) {
      const bool may = allowed_(s, first, behind_.item(t));
      if (!may) {
        if (detail::hopeless(allowed_, s, first, behind_.item(t), may)) break;
        continue;
      }
      choice other{t, cost(s, first, behind_.item(t))};
      if (!best || ends_.compare(*best, other).first > 0) best = std::move(other);
    }
    return best;
  }

  /// Whether the right one of two ends is better, if their suffixes differ by that step.
  [[nodiscard]] bool is_better(const choice& left, const choice& right, const cost_type& step) {
    if (!(left.cost < right.cost) || right.cost < step) return true;
    return !(step < right.cost) && ends_.compare(left, right).first > 0;
  }

  /// Adds the step between the stage that was chosen last and the one to its right.
  void relate(leximax_suffixes<cost_type>& here, const choice& left, const choice& right) {
    if (!here.falls()) return;
    if (behind_.falls() && left.column <= right.column) {
      const cost_type* step = nullptr;
      for (std::size_t t = left.column; t < right.column; ++t) {
        if (behind_.rises(t, step)) step = behind_.step(t);
      }
      const bool more = right.cost < left.cost;
      if (!more && !(left.cost < right.cost)) return here.add_step(step);
      if (more) return here.add_step(step != nullptr && left.cost < *step ? step : __builtin_addressof(left.cost));
      if (step == nullptr || *step < right.cost) return here.rise();
      if (right.cost < *step) return here.add_step(step);
    }
    const auto [order, step] = ends_.compare(left, right);
    order < 0 ? here.rise() : here.add_step(step);
  }

  const Constraint& allowed_;
  chain_clock& clock_;
  cost_type cap_;
  std::size_t items_;
  std::size_t stages_;
  leximax_ends<Model> ends_;
  const leximax_suffixes<cost_type>& behind_;  // starts of the next stage
  std::size_t reach_ = 0;                      // the first column that the item to the right did not reach
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
