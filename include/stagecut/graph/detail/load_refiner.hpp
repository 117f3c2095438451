// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/engine/fm.hpp>
#include <stagecut/graph/detail/numbered_stages.hpp>
#include <stagecut/graph/operator_set.hpp>
#include <stagecut/graph/set_cost.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// For each stage, an unordered list of some of its elements.
class listed_elements {
 public:
  listed_elements(std::size_t stages, std::size_t elements) : rows_(stages), place_(elements, nowhere) {}

  [[nodiscard]] const std::vector<std::uint32_t>& operator[](std::size_t s) const noexcept { return rows_[s]; }

  /// Adds an element to the list of its stage, or removes it.
  void set(std::size_t e, std::size_t stage, bool is_listed) {
    if (is_listed == (place_[e] != nowhere)) return;
    std::vector<std::uint32_t>& row = rows_[stage];
    if (is_listed) {
      place_[e] = static_cast<std::uint32_t>(row.size());
      row.push_back(static_cast<std::uint32_t>(e));
      return;
    }
    place_[row.back()] = place_[e];
    row[place_[e]] = row.back();
    row.pop_back();
    place_[e] = nowhere;
  }

 private:
  static constexpr auto nowhere = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::vector<std::uint32_t>> rows_;
  std::vector<std::uint32_t> place_;  // in the row
};

/// Moves elements so that the heaviest stage gets lighter, then the next one, and so on. A move changes only the loads
/// of its two stages, so it improves the sorted loads exactly if the larger of the two decreases, or stays equal and
/// the other one decreases. See `engine::fm_pass`.
class load_refiner {
 public:
  using ticks = operator_costs::ticks;
  /// Reported for every move, including those that are undone later, with the loads of both stages before and after.
  struct step : stage_step {
    ticks from_before = 0, to_before = 0, from_after = 0, to_after = 0;
  };
  using watcher = function_ref<void(const step&)>;

  /// @param kinds  of each stage; the objects must outlive this one
  load_refiner(const operator_costs& costs, const precedence& below, std::vector<std::uint32_t> stage_of,
               const std::vector<std::uint8_t>& kinds, bool may_empty)
      : costs_(costs),
        kinds_(kinds),
        may_empty_(may_empty),
        stages_(below, std::move(stage_of), kinds.size()),
        sets_(kinds.size(), operator_set(costs)),
        ways_(stages_.size()),
        locked_(stages_.size()),
        movable_(kinds.size(), stages_.size()) {
    for (std::size_t e = 0; e < stages_.size(); ++e) sets_[stages_[e]].add(e);
    for (std::size_t s = 0; s < kinds.size(); ++s) values_.push_back(sets_[s].value(role(s)));
  }

  /// Moves every element at most once, and undoes the moves after the best state.
  /// @return  whether the loads improved
  bool pass(const function_ref<bool()>& stop = {}, const watcher& watch = {}) {
    std::fill(locked_.begin(), locked_.end(), false);
    for (std::size_t e = 0; e < stages_.size(); ++e) look_at(e);
    std::vector<ticks> now = sorted_loads();
    const auto next = [&] {
      const std::optional<step> done = advance();
      if (!done) return engine::fm_step::none;
      if (watch) watch(*done);
      made_.push_back(*done);
      replace(now, done->from_before, done->from_after);
      replace(now, done->to_before, done->to_after);
      return engine::fm_step::made;
    };
    const auto undo = [&](const step& each) { put(each.element, each.from); };
    const auto value = [&]() -> const std::vector<ticks>& { return now; };
    const bool better = engine::fm_pass(stages_.size(), made_, value, next, undo, stop);
    moves_ += made_.size();
    return better;
  }

  [[nodiscard]] const numbered_stages& stages() const noexcept { return stages_; }
  [[nodiscard]] ticks load(std::size_t s) const noexcept { return values_[s]; }
  [[nodiscard]] ticks greatest() const { return *std::max_element(values_.begin(), values_.end()); }
  /// Number of moves kept.
  [[nodiscard]] std::size_t moves() const noexcept { return moves_; }
  [[nodiscard]] const operator_set& set(std::size_t s) const noexcept { return sets_[s]; }

 private:
  static constexpr std::size_t most_ways = 4;
  static constexpr std::size_t most_looked_at = 2048;  // of a stage's elements, in a step
  static constexpr auto nowhere = std::numeric_limits<std::uint32_t>::max();

  /// The targets of an element with their load changes; they may be stale, and are checked when one is chosen.
  struct ways {
    std::size_t count = 0;
    ticks here = 0;                    // change of its stage's load
    std::uint32_t to[most_ways] = {};  // the first and last stage of its window, and its neighbours
    ticks there[most_ways] = {};       // changes of their loads
    bool stale = true;
  };
  struct choice {
    std::uint32_t element = nowhere;
    std::size_t way = 0;
    std::pair<ticks, ticks> loads{std::numeric_limits<ticks>::max(), std::numeric_limits<ticks>::max()};
  };

  [[nodiscard]] stage_role role(std::size_t s) const { return {kinds_[s], s, kinds_.size()}; }
  static std::pair<ticks, ticks> ordered(ticks a, ticks b) { return a < b ? std::pair(b, a) : std::pair(a, b); }

  [[nodiscard]] std::vector<ticks> sorted_loads() const {
    std::vector<ticks> result = values_;
    std::sort(result.begin(), result.end(), std::greater<>());
    return result;
  }
  static void replace(std::vector<ticks>& sorted, ticks before, ticks after) {
    sorted.erase(std::lower_bound(sorted.begin(), sorted.end(), before, std::greater<>()));
    sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), after, std::greater<>()), after);
  }

  /// Records whether an element can leave its stage, and marks its targets as stale.
  void look_at(std::size_t e) {
    ways_[e].stale = true;
    bool can = !locked_[e] && costs_.of(e).stage == graph_operator::none;
    if (can) {
      const auto [least, most] = stages_.window(e);
      can = least < most;
    }
    movable_.set(e, stages_[e], can);
  }

  /// Recomputes the effects of an element's targets.
  void reckon(std::size_t e) {
    ways& of = ways_[e];
    of.stale = false;
    of.count = 0;
    const std::size_t here = stages_[e];
    const auto [least, most] = stages_.window(e);
    for (const std::size_t to : {least, most, here - (here > least ? 1U : 0U), here + (here < most ? 1U : 0U)}) {
      if (to == here || std::find(of.to, of.to + of.count, to) != of.to + of.count) continue;
      sets_[to].add(e);
      if (set_fits(sets_[to], role(to))) {
        of.to[of.count] = static_cast<std::uint32_t>(to);
        of.there[of.count++] = sets_[to].value(role(to)) - values_[to];
      }
      sets_[to].remove(e);
    }
    if (of.count == 0) return;
    sets_[here].remove(e);
    if (!set_fits(sets_[here], role(here)) && stages_.members(here) > 1) of.count = 0;  // its buffers may grow
    of.here = sets_[here].value(role(here)) - values_[here];
    sets_[here].add(e);
  }

  /// The best known move out of a stage.
  [[nodiscard]] choice best_out_of(std::size_t s) {
    choice best;
    const std::vector<std::uint32_t>& row = movable_[s];
    if (stages_.members(s) == 1 && !may_empty_) return best;
    const std::size_t many = std::min(row.size(), most_looked_at);
    const std::size_t first = row.size() > many ? made_.size() * 97 % row.size() : 0;
    for (std::size_t i = 0; i < many; ++i) {
      const std::uint32_t e = row[first + i < row.size() ? first + i : first + i - row.size()];
      if (ways_[e].stale) reckon(e);
      const ways& of = ways_[e];
      for (std::size_t w = 0; w < of.count; ++w) {
        const auto loads = ordered(values_[s] + of.here, values_[of.to[w]] + of.there[w]);
        if (loads < best.loads || (loads == best.loads && e < best.element)) best = {e, w, loads};
      }
    }
    return best;
  }

  /// Makes the best move of the heaviest stage that has an improving one; else, of the heaviest stage, the move with
  /// the least resulting loads.
  [[nodiscard]] std::optional<step> advance() {
    order_.resize(values_.size());
    for (std::size_t s = 0; s < order_.size(); ++s) order_[s] = static_cast<std::uint32_t>(s);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return values_[a] != values_[b] ? values_[a] > values_[b] : a < b;
    });
    choice worse;
    for (const std::size_t s : order_) {
      const choice found = checked_out_of(s);
      if (found.element == nowhere) continue;
      const ways& of = ways_[found.element];
      if (found.loads < ordered(values_[s], values_[of.to[found.way]])) return made(found);
      if (worse.element == nowhere) worse = found;
    }
    if (worse.element == nowhere) return std::nullopt;
    return made(worse);
  }

  /// Like `best_out_of`, recomputed.
  [[nodiscard]] choice checked_out_of(std::size_t s) {
    for (std::size_t tries = 0;; ++tries) {
      const choice found = best_out_of(s);
      if (found.element == nowhere || tries == 16) return found;
      const ways before = ways_[found.element];
      reckon(found.element);
      const ways& after = ways_[found.element];
      if (before.count == after.count && before.here == after.here &&
          std::equal(before.to, before.to + before.count, after.to) &&
          std::equal(before.there, before.there + before.count, after.there)) {
        return found;
      }
    }
  }

  [[nodiscard]] std::optional<step> made(const choice& what) {
    const std::size_t e = what.element;
    reckon(e);
    if (what.way >= ways_[e].count) return std::nullopt;
    step result;
    result.element = e;
    result.from = stages_[e];
    result.to = ways_[e].to[what.way];
    result.from_before = values_[result.from];
    result.to_before = values_[result.to];
    locked_[e] = true;
    put(e, result.to);
    result.from_after = values_[result.from];
    result.to_after = values_[result.to];
    return result;
  }

  /// Moves an element, and updates what depends on it.
  void put(std::size_t e, std::size_t to) {
    const std::size_t from = stages_[e];
    movable_.set(e, from, false);
    sets_[from].remove(e);
    sets_[to].add(e);
    values_[from] = sets_[from].value(role(from));
    values_[to] = sets_[to].value(role(to));
    stages_.move(e, to);
    look_at(e);
    for (const precedence::element other : stages_.below().predecessors(e)) look_at(other);
    for (const precedence::element other : stages_.below().successors(e)) look_at(other);
    for (const operator_costs::link& link : costs_.nets_of(e)) {
      if (link.pins > 32) continue;  // figures of large nets are checked on use
      for (const precedence::element pin : costs_.pins(link.net)) ways_[pin].stale = true;
    }
  }

  const operator_costs& costs_;
  const std::vector<std::uint8_t>& kinds_;
  bool may_empty_;
  numbered_stages stages_;
  std::vector<operator_set> sets_;
  std::vector<ticks> values_{};
  std::vector<ways> ways_;
  std::vector<bool> locked_;
  listed_elements movable_;  // those that can leave their stage
  std::vector<std::uint32_t> order_{};
  std::vector<step> made_{};
  std::size_t moves_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
