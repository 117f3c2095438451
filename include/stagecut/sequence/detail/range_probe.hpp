// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/sequence/parts/chain_clock.hpp>
#include <stagecut/sequence/parts/stage_windows.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A cut with its cheapest and its costliest stage.
template <class Cost>
struct measured_cut {
  std::vector<std::size_t> points;  ///< of length k + 1
  Cost lowest{};                    ///< cost of the cheapest stage
  Cost highest{};                   ///< of the costliest

  [[nodiscard]] Cost range() const { return static_cast<Cost>(as_computed(highest - lowest)); }
  /// Computes the costs from `chain`.
  void measure(const known_prefixes<Cost>& chain) {
    lowest = highest = chain(points[0], points[1]);
    for (std::size_t s = 1; s + 1 < points.size(); ++s) {
      const Cost here = chain(points[s], points[s + 1]);
      if (here < lowest) lowest = here;
      if (highest < here) highest = here;
    }
  }
};

/// Whether a chain can be cut into k non-empty stages that cost at least `least` and at most `most` each: `found.points`
/// are the lexicographically smallest cut points.
///
/// From a given item on, the possible numbers of stages for the rest form an interval. Let one cut have p stages, another
/// more than p + 1. Compare their cut points one by one: the second falls behind the first, in the end by the cost of a
/// stage or more, and in each step by less than the costs of two stages differ. So at some point it is behind by an
/// admissible stage cost, and from there on the first can be followed. Rounding does not matter: the exact sums that
/// round to admissible stage costs are also an interval. Proof: docs/chains.md, "Max − min".
///
/// O(k log n), plus O(1) for each item at which a cut point can lie.
template <arithmetic Cost>
class range_probe : public stage_windows<Cost> {
 public:
  range_probe(const known_prefixes<Cost>& chain, std::size_t stages) : stage_windows<Cost>(chain, stages) {}

  measured_cut<Cost> found;  ///< of the last success

  /// @pre the last call of `at_least` was `at_least(least)` and returned true
  [[nodiscard]] bool find(Cost least, Cost most) {
    this->at_most(most);
    const std::size_t stages = this->stages();
    const std::size_t items = this->chain().size();
    places_.clear();
    places_.push_back({this->chain().prefix(items), items, 0, 0});
    entered_ = 0;
    fewest_.clear(items);
    most_.clear(items);
    std::size_t done = items;  // processed from here on
    for (std::size_t p = stages; p-- > 0;) {
      const std::size_t low = this->low(p);
      const std::size_t high = this->high(p);
      for (std::size_t i = high < done ? high + 1 : done; i-- > low;) look_at(i, least, most);
      if (low < done) done = low;
      if (high < places_.back().item) return false;
    }
    if (stages < places_.back().fewest || places_.back().most < stages) return false;
    found.points.assign(1, 0);
    for (std::size_t at = places_.size() - 1, left = stages; left-- > 0;) {
      const std::size_t first = places_[at].item;
      while (at > 0) {
        const place& next = places_[--at];
        if (next.fewest <= left && left <= next.most && least <= this->chain().between(first, next.prefix)) break;
      }
      found.points.push_back(places_[at].item);
    }
    found.measure(this->chain());
    return true;
  }

 private:
  /// An item from which the chain can be completed.
  struct place {
    Cost prefix;
    std::size_t item;
    std::size_t fewest;  // stages after it
    std::size_t most;
  };

  /// Places in a sliding window, with the best at the front.
  struct best_first {
    std::vector<std::size_t> places;
    std::size_t front = 0;
    std::size_t back = 0;

    void clear(std::size_t capacity) {
      places.resize(capacity);
      front = back = 0;
    }
    template <class Better>
    void push(std::size_t at, Better better) {
      while (front < back && !better(places[back - 1], at)) --back;
      places[back++] = at;
    }
  };

  void look_at(std::size_t item, Cost least, Cost most) {
    const auto cost_to = [&](std::size_t at) { return this->chain().between(item, places_[at].prefix); };
    for (; entered_ < places_.size() && least <= cost_to(entered_); ++entered_) {
      fewest_.push(entered_, [&](std::size_t a, std::size_t b) { return places_[a].fewest < places_[b].fewest; });
      most_.push(entered_, [&](std::size_t a, std::size_t b) { return places_[b].most < places_[a].most; });
    }
    for (auto* window : {&fewest_, &most_}) {
      while (window->front < window->back && !(cost_to(window->places[window->front]) <= most)) ++window->front;
    }
    if (fewest_.front == fewest_.back) return;
    places_.push_back({this->chain().prefix(item), item, places_[fewest_.places[fewest_.front]].fewest + 1,
                       places_[most_.places[most_.front]].most + 1});
  }

  std::vector<place> places_;  // from the end of the chain on
  std::size_t entered_ = 0;    // number of places far enough away to end a stage
  best_first fewest_;
  best_first most_;
};

/// The same under a constraint: from the end of the chain, all starts of each stage from which the later stages can
/// continue. O(k log n), and O(k w) calls of the constraint for windows of w items.
template <arithmetic Cost, stage_constraint Constraint>
class constrained_range_probe : public stage_windows<Cost> {
 public:
  constrained_range_probe(const known_prefixes<Cost>& chain, std::size_t stages, const Constraint& allowed,
                          chain_clock& clock)
      : stage_windows<Cost>(chain, stages), allowed_(allowed), clock_(clock), end_(stages + 1) {}

  measured_cut<Cost> found;  ///< of the last success

  /// As in `range_probe`; false also if the clock ends it.
  /// @pre the last call of `at_least` was `at_least(least)` and returned true
  [[nodiscard]] bool find(Cost least, Cost most) {
    this->at_most(most);
    const std::size_t stages = this->stages();
    end_[stages].assign(1, this->chain().size());
    for (std::size_t s = stages; s-- > 0;) {
      end_[s].clear();
      bool any = false;
      std::size_t from = this->low(s + 1);
      for (std::size_t first = this->low(s); first <= this->high(s); ++first) {
        if (clock_.over(0)) return false;
        end_[s].push_back(end_of(s, first, least, most, from));
        any = any || end_[s].back() != 0;
      }
      if (!any) return false;
    }
    found.points.assign(1, 0);
    for (std::size_t s = 0; s < stages; ++s) {
      found.points.push_back(end_[s][found.points.back() - this->low(s)]);
    }
    found.measure(this->chain());
    return true;
  }

 private:
  /// The nearest end of that stage from which the later ones can continue, 0 if there is none. None is before `from`,
  /// which is raised for the next item.
  [[nodiscard]] std::size_t end_of(std::size_t stage, std::size_t first, Cost least, Cost most, std::size_t& from) {
    const std::size_t low = this->low(stage + 1);
    const std::size_t high = this->high(stage + 1);
    while (from <= high && (from <= first || !(least <= this->chain()(first, from)))) ++from;
    for (std::size_t last = from; last <= high && this->chain()(first, last) <= most; ++last) {
      if (end_[stage + 1][last - low] == 0) continue;
      const bool may = allowed_(stage, first, last);
      if (may) return last;
      if (detail::hopeless(allowed_, stage, first, last, may)) break;
    }
    return 0;
  }

  const Constraint& allowed_;
  chain_clock& clock_;
  std::vector<std::vector<std::size_t>> end_;  // [s][d] for stage s from `low(s) + d` on
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
