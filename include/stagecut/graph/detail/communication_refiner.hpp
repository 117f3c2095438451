// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/engine/fm.hpp>
#include <stagecut/engine/seeded.hpp>
#include <stagecut/graph/detail/message_stages.hpp>
#include <stagecut/graph/detail/numbered_stages.hpp>
#include <stagecut/graph/operator_costs.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Moves elements so that nets span fewer stages, by `engine::fm_pass`. A stage's work stays below a cap; if it is
/// above, moves that reduce it come first.
class communication_refiner {
 public:
  using ticks = operator_costs::ticks;
  /// Reported for every move, including those that are undone later, with the seconds that it saves; negative if it
  /// costs some.
  struct step : stage_step {
    ticks gain = 0;
  };
  using watcher = function_ref<void(const step&)>;

  /// @param cap  limit on a stage's work; the objects must outlive this one
  communication_refiner(const operator_costs& costs, const precedence& below, std::vector<std::uint32_t> stage_of,
                        std::size_t stages, ticks cap, bool may_empty, std::uint64_t seed)
      : costs_(costs),
        may_empty_(may_empty),
        random_(seed),
        now_(costs, below, std::move(stage_of), stages, cap),
        heap_(below.size()),
        chance_(below.size()),
        seen_(below.size()),
        waiting_(stages) {}

  /// Moves every element at most once, and undoes the moves after the best state.
  /// @return  whether the work above the cap decreases, or stays and the communication decreases
  bool pass(const function_ref<bool()>& stop = {}, const watcher& watch = {}) {
    begin();
    const auto next = [&] {
      const auto now = heap_.take([&](std::size_t e) { return best_move(e); });
      if (!now) return engine::fm_step::none;
      make(*now, watch);
      return now->relief == 0 ? engine::fm_step::made : engine::fm_step::relieved;
    };
    const auto undo = [&](const step& each) { now_.move(each.element, each.from); };
    const auto value = [&] { return std::pair(now_.excess(), now_.value()); };
    const bool better = engine::fm_pass(stages().size(), made_, value, next, undo, stop);
    moves_ += made_.size();
    return better;
  }

  [[nodiscard]] const numbered_stages& stages() const noexcept { return now_.stages(); }
  /// The weight of every net, times the stages beyond the first that hold pins of it.
  [[nodiscard]] ticks value() const noexcept { return now_.value(); }
  /// Work above the cap, over all stages.
  [[nodiscard]] ticks excess() const noexcept { return now_.excess(); }
  /// Moves kept.
  [[nodiscard]] std::size_t moves() const noexcept { return moves_; }

 private:
  static constexpr auto nowhere = static_cast<std::uint32_t>(-1);

  /// A move on the heap.
  struct entry {
    ticks relief = 0;  // work that leaves a stage above the cap
    ticks gain = 0;
    std::uint32_t chance = 0;
    std::uint32_t element = 0;
    std::uint32_t to = nowhere;

    friend bool operator<(const entry& a, const entry& b) noexcept {
      return std::tie(a.relief, a.gain, a.chance, a.element) < std::tie(b.relief, b.gain, b.chance, b.element);
    }
  };

  void begin() {
    for (std::uint32_t& chance : chance_) chance = static_cast<std::uint32_t>(random_.any() >> 32U);
    for (auto& each : waiting_) each.clear();
    heap_.begin();
    for (std::size_t e = 0; e < stages().size(); ++e) offer(e);
  }
  void offer(std::size_t e) {
    heap_.offer(e, [&](std::size_t each) { return best_move(each); });
  }

  /// The best move of an element; it goes nowhere if there is none.
  [[nodiscard]] entry best_move(std::size_t e) {
    entry result;
    result.element = static_cast<std::uint32_t>(e);
    result.chance = chance_[e];
    const std::size_t from = stages()[e];
    const auto [least, most] = stages().window(e);
    if (least == most || costs_.of(e).stage != graph_operator::none) return result;
    if (stages().members(from) == 1 && !may_empty_) return result;
    const ticks left = now_.find_targets(e, least, most);
    const ticks work = now_.work_of(e);
    for (const std::uint32_t to : now_.targets()) {
      if (to == from) continue;
      // It may leave a stage above the cap for one that is then no heavier than that was.
      if (work > 0 && now_.work(to) + work > std::max(now_.cap(), now_.work(from) - 1)) {
        waiting_[to].push_back(static_cast<std::uint32_t>(e));
        continue;
      }
      const ticks gain = now_.nets_on(to) - left;
      const bool better =
          result.to == nowhere || gain > result.gain || (gain == result.gain && now_.work(to) < now_.work(result.to));
      if (better && now_.fits(e, to)) result.to = to, result.gain = gain;
    }
    result.relief = std::clamp<ticks>(now_.work(from) - now_.cap(), 0, work);
    return result;
  }

  void make(const entry& what, const watcher& watch) {
    const std::size_t e = what.element;
    step done;
    done.element = e;
    done.from = stages()[e];
    done.to = what.to;
    done.gain = what.gain;
    now_.move(e, what.to);
    made_.push_back(done);
    if (watch) watch(done);
    again_.clear();
    for (const precedence::element other : stages().below().predecessors(e)) mark(other);
    for (const precedence::element other : stages().below().successors(e)) mark(other);
    for (const operator_costs::link& link : costs_.nets_of(e)) {
      if (link.pins > 64) continue;  // an increased gain is found in the next pass
      if (now_.spread().count(link.net, done.from) > 1 && now_.spread().count(link.net, done.to) > 2) continue;
      for (const precedence::element pin : costs_.pins(link.net)) mark(pin);
    }
    take_waiting(done.from);
    if (now_.work(done.to) > now_.cap()) {
      if (done.to > 0) take_waiting(done.to - 1);
      if (done.to + 1 < waiting_.size()) take_waiting(done.to + 1);
    }
    for (const std::uint32_t other : again_) {
      seen_[other] = false;
      offer(other);
    }
  }

  /// Reconsiders some elements that a stage had no capacity for.
  void take_waiting(std::size_t s) {
    for (std::size_t i = 0; i < 64 && !waiting_[s].empty(); ++i) {
      mark(waiting_[s].back());
      waiting_[s].pop_back();
    }
  }
  void mark(std::size_t e) {
    if (seen_[e] || heap_.is_locked(e)) return;
    seen_[e] = true;
    again_.push_back(static_cast<std::uint32_t>(e));
  }

  const operator_costs& costs_;
  bool may_empty_;
  engine::seeded random_;
  message_stages now_;
  engine::gain_heap<entry> heap_;
  std::vector<std::uint32_t> chance_;  // priority among equal moves, the greatest first
  std::vector<bool> seen_;
  std::vector<std::vector<std::uint32_t>> waiting_;  // for each stage, elements that exceeded its capacity
  std::vector<std::uint32_t> again_{};
  std::vector<step> made_{};
  std::size_t moves_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
