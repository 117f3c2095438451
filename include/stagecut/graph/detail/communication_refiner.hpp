// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/graph/detail/net_spread.hpp>
#include <stagecut/graph/detail/numbered_stages.hpp>
#include <stagecut/graph/detail/seeded.hpp>
#include <stagecut/graph/operator_set.hpp>
#include <stagecut/graph/set_cost.hpp>

namespace stagecut::inline v0::detail {

/// Moves elements so that nets join fewer stages: Fiduccia's and Mattheyses' passes, with a heap of gains. A stage's work
/// stays below a cap; where it is above, moves that bring it down come first.
class communication_refiner {
 public:
  using ticks = operator_costs::ticks;
  /// Told of every move, those that are taken back later too, with the seconds that it saves, less than 0 if it costs
  /// some.
  struct step : stage_step {
    ticks gain = 0;
  };
  using watcher = function_ref<void(const step&)>;

  /// @param cap  of a stage's work; the objects must outlive this one
  communication_refiner(const operator_costs& costs, const precedence& below, std::vector<std::uint32_t> stage_of,
                        std::size_t stages, ticks cap, bool may_empty, std::uint64_t seed)
      : costs_(costs),
        cap_(cap),
        may_empty_(may_empty),
        random_(seed),
        stages_(below, std::move(stage_of), stages),
        spread_(costs, stages_.all()),
        work_(stages),
        stamp_(stages_.size()),
        locked_(stages_.size()),
        chance_(stages_.size()),
        seen_(stages_.size()),
        here_(stages),
        waiting_(stages) {
    for (std::size_t e = 0; e < stages_.size(); ++e) work_[stages_[e]] += work_of(e);
    for (std::size_t i = 0; i < costs.nets(); ++i) value_ += weight_of(i) * static_cast<ticks>(spread_.of(i).size() - 1);
    if (!costs.options().memory) return;
    sets_.assign(stages, operator_set(costs));
    for (std::size_t e = 0; e < stages_.size(); ++e) sets_[stages_[e]].add(e);
  }

  /// Moves every element once at most, and takes back what came after the best.
  /// @return  whether there is less work above the cap, or as much and less is sent
  bool pass(const function_ref<bool()>& stop = {}, const watcher& watch = {}) {
    std::fill(locked_.begin(), locked_.end(), false);
    for (std::uint32_t& each : chance_) each = static_cast<std::uint32_t>(random_.any() >> 32U);
    heap_.clear();
    made_.clear();
    for (auto& each : waiting_) each.clear();
    for (std::size_t e = 0; e < stages_.size(); ++e) offer(e);
    std::pair best(excess(), value_);
    std::size_t kept = 0;
    std::size_t idle = 0;  // moves that neither are the best nor bring down what is above the cap
    while (!heap_.empty() && idle < patience(stages_.size())) {
      if (stop && made_.size() % 64 == 0 && stop()) break;
      std::pop_heap(heap_.begin(), heap_.end());
      const entry top = heap_.back();
      heap_.pop_back();
      if (locked_[top.element] || top.stamp != stamp_[top.element]) continue;
      const entry now = reckoned(top.element);
      if (now.to == nowhere) continue;
      if (now < top || now.to != top.to) {
        push(now);
        continue;
      }
      make(now, watch);
      if (now.relief == 0) ++idle;
      if (const std::pair value(excess(), value_); value < best) best = value, kept = made_.size(), idle = 0;
    }
    moves_ += kept;
    while (made_.size() > kept) {
      put(made_.back().element, made_.back().from);
      made_.pop_back();
    }
    return kept > 0;
  }

  [[nodiscard]] const numbered_stages& stages() const noexcept { return stages_; }
  /// Of every net its weight, for each stage beyond the first that holds pins of it.
  [[nodiscard]] ticks value() const noexcept { return value_; }
  /// Work above the cap, of all stages.
  [[nodiscard]] ticks excess() const noexcept {
    ticks result = 0;
    for (const ticks each : work_) result += std::max<ticks>(each - cap_, 0);
    return result;
  }
  /// Moves kept.
  [[nodiscard]] std::size_t moves() const noexcept { return moves_; }

  /// What is balanced of an element.
  [[nodiscard]] ticks work_of(std::size_t e) const noexcept { return costs_.of(e).forward + costs_.of(e).backward; }

 private:
  static constexpr auto nowhere = static_cast<std::uint32_t>(-1);

  struct entry {
    ticks relief = 0;  // work that leaves a stage above the cap
    ticks gain = 0;
    std::uint32_t chance = 0;
    std::uint32_t element = 0;
    std::uint32_t to = nowhere;
    std::uint32_t stamp = 0;

    friend bool operator<(const entry& a, const entry& b) noexcept {
      return std::tie(a.relief, a.gain, a.chance, a.element) < std::tie(b.relief, b.gain, b.chance, b.element);
    }
  };

  [[nodiscard]] ticks weight_of(std::size_t net) const noexcept {
    return costs_.weight_of(net).forward + costs_.weight_of(net).backward;
  }

  void push(const entry& each) {
    heap_.push_back(each);
    std::push_heap(heap_.begin(), heap_.end());
  }
  void offer(std::size_t e) {
    if (locked_[e]) return;
    ++stamp_[e];
    if (const entry found = reckoned(e); found.to != nowhere) push(found);
  }

  /// The best move of an element; it goes nowhere if there is none.
  [[nodiscard]] entry reckoned(std::size_t e) {
    entry result;
    result.element = static_cast<std::uint32_t>(e);
    result.chance = chance_[e];
    result.stamp = stamp_[e];
    const std::size_t from = stages_[e];
    const auto [least, most] = stages_.window(e);
    if (least == most || costs_.of(e).stage != graph_operator::none) return result;
    if (stages_.members(from) == 1 && !may_empty_) return result;
    ticks saved = 0;
    ticks all = 0;
    targets_.clear();
    for (const std::size_t to : {least, most, from - (from > least ? 1U : 0U), from + (from < most ? 1U : 0U)}) {
      here_[to] = 0;
      targets_.push_back(static_cast<std::uint32_t>(to));
    }
    for (const operator_costs::link& each : costs_.nets_of(e)) {
      for (const net_spread::entry& at : spread_.of(each.net)) {
        if (at.stage >= least && at.stage <= most) here_[at.stage] = 0, targets_.push_back(at.stage);
      }
    }
    for (const operator_costs::link& each : costs_.nets_of(e)) {
      const ticks weight = weight_of(each.net);
      all += weight;
      for (const net_spread::entry& at : spread_.of(each.net)) {
        if (at.stage == from && at.pins == 1) saved += weight;
        if (at.stage >= least && at.stage <= most) here_[at.stage] += weight;
      }
    }
    const ticks work = work_of(e);
    std::sort(targets_.begin(), targets_.end());
    targets_.erase(std::unique(targets_.begin(), targets_.end()), targets_.end());
    for (const std::uint32_t to : targets_) {
      // Out of a stage above the cap it may go to another one that is then no heavier than its own was.
      if (to == from) continue;
      if (work > 0 && work_[to] + work > std::max(cap_, work_[from] - 1)) {
        if (!locked_[e]) waiting_[to].push_back(static_cast<std::uint32_t>(e));
        continue;
      }
      const ticks gain = saved - (all - here_[to]);
      const bool better = result.to == nowhere || gain > result.gain ||
                          (gain == result.gain && work_[to] < work_[result.to]);
      if (better && fits(e, from, to)) result.to = to, result.gain = gain;
    }
    result.relief = std::clamp<ticks>(work_[from] - cap_, 0, work);
    return result;
  }

  /// Whether memory suffices on both stages after a move.
  [[nodiscard]] bool fits(std::size_t e, std::size_t from, std::size_t to) {
    if (sets_.empty()) return true;
    sets_[to].add(e);
    bool result = sets_[to].fits({0, to, sets_.size()});
    sets_[to].remove(e);
    if (!result || stages_.members(from) == 1) return result;
    sets_[from].remove(e);
    result = sets_[from].fits({0, from, sets_.size()});
    sets_[from].add(e);
    return result;
  }

  void make(const entry& what, const watcher& watch) {
    const std::size_t e = what.element;
    step done;
    done.element = e;
    done.from = stages_[e];
    done.to = what.to;
    done.gain = what.gain;
    locked_[e] = true;
    put(e, what.to);
    made_.push_back(done);
    if (watch) watch(done);
    again_.clear();
    for (const precedence::element other : stages_.below().predecessors(e)) mark(other);
    for (const precedence::element other : stages_.below().successors(e)) mark(other);
    for (const operator_costs::link& each : costs_.nets_of(e)) {
      if (each.pins > 64) continue;  // a gain that went up is found in the next pass
      const bool changed = spread_.count(each.net, done.from) <= 1 || spread_.count(each.net, done.to) <= 2;
      if (!changed) continue;
      for (const precedence::element pin : costs_.pins(each.net)) mark(pin);
    }
    take_waiting(done.from);
    if (work_[done.to] > cap_) {
      if (done.to > 0) take_waiting(done.to - 1);
      if (done.to + 1 < work_.size()) take_waiting(done.to + 1);
    }
    for (const std::uint32_t other : again_) {
      seen_[other] = false;
      offer(other);
    }
  }
  /// Looks again at some elements that would have gone to a stage, had there been room.
  void take_waiting(std::size_t s) {
    for (std::size_t i = 0; i < 64 && !waiting_[s].empty(); ++i) {
      mark(waiting_[s].back());
      waiting_[s].pop_back();
    }
  }
  void mark(std::size_t e) {
    if (seen_[e] || locked_[e]) return;
    seen_[e] = true;
    again_.push_back(static_cast<std::uint32_t>(e));
  }

  void put(std::size_t e, std::size_t to) {
    const std::size_t from = stages_[e];
    for (const operator_costs::link& each : costs_.nets_of(e)) {
      const auto before = static_cast<ticks>(spread_.of(each.net).size());
      spread_.move(each.net, from, to);
      value_ += weight_of(each.net) * (static_cast<ticks>(spread_.of(each.net).size()) - before);
    }
    work_[from] -= work_of(e);
    work_[to] += work_of(e);
    if (!sets_.empty()) {
      sets_[from].remove(e);
      sets_[to].add(e);
    }
    stages_.move(e, to);
  }

  const operator_costs& costs_;
  ticks cap_;
  bool may_empty_;
  seeded random_;
  numbered_stages stages_;
  net_spread spread_;
  ticks value_ = 0;
  std::vector<ticks> work_;
  std::vector<operator_set> sets_{};  // where memory is limited
  std::vector<std::uint32_t> stamp_;  // of every element, its latest entry
  std::vector<bool> locked_;
  std::vector<std::uint32_t> chance_;  // among equal moves, the greatest first
  std::vector<bool> seen_;
  std::vector<ticks> here_;  // of every stage, the weight of nets of an element that are there
  std::vector<std::vector<std::uint32_t>> waiting_;  // of every stage, elements for which it had no room
  std::vector<std::uint32_t> targets_{};
  std::vector<std::uint32_t> again_{};
  std::vector<entry> heap_{};
  std::vector<step> made_{};
  std::size_t moves_ = 0;
};

}  // namespace stagecut::inline v0::detail
