// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/graph/detail/numbered_stages.hpp>
#include <stagecut/graph/operator_costs.hpp>
#include <stagecut/graph/operator_set.hpp>
#include <stagecut/graph/set_cost.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The stages of the pins of every net, with counts: a row per net with no more entries than pins, so that memory
/// depends on the pins alone, not on the number of stages.
class net_spread {
 public:
  /// Pins of a net on a stage.
  struct entry {
    std::uint32_t stage;
    std::uint32_t pins;
  };

  /// @param stage_of  of each element
  net_spread(const operator_costs& costs, const std::vector<std::uint32_t>& stage_of)
      : begin_(costs.nets() + 1), used_(costs.nets()) {
    for (std::size_t i = 0; i < costs.nets(); ++i) begin_[i + 1] = begin_[i] + costs.pins(i).size();
    all_.resize(begin_.back());
    for (std::size_t i = 0; i < costs.nets(); ++i) {
      for (const precedence::element e : costs.pins(i)) add(i, stage_of[e]);
    }
  }

  /// The stages that hold pins of a net, in no order.
  [[nodiscard]] view<const entry> of(std::size_t net) const noexcept { return {all_.data() + begin_[net], used_[net]}; }

  /// Pins of a net on a stage. O(stages that hold pins of it).
  [[nodiscard]] std::uint32_t count(std::size_t net, std::size_t stage) const noexcept {
    for (const entry& each : of(net)) {
      if (each.stage == stage) return each.pins;
    }
    return 0;
  }

  /// Moves one pin to another stage.
  /// @pre there is one on `from`
  void move(std::size_t net, std::size_t from, std::size_t to) noexcept {
    entry* const row = all_.data() + begin_[net];
    std::size_t i = 0;
    while (row[i].stage != from) ++i;
    if (--row[i].pins == 0) row[i] = row[--used_[net]];
    add(net, to);
  }

 private:
  void add(std::size_t net, std::size_t stage) noexcept {
    entry* const row = all_.data() + begin_[net];
    for (std::size_t i = 0; i < used_[net]; ++i) {
      if (row[i].stage == stage) return void(++row[i].pins);
    }
    row[used_[net]++] = {static_cast<std::uint32_t>(stage), 1};
  }

  std::vector<std::size_t> begin_;  // of the row of each net
  std::vector<std::uint32_t> used_;
  std::vector<entry> all_{};
};

/// Stages of elements with their communication and work.
class message_stages {
 public:
  using ticks = operator_costs::ticks;

  /// @param cap  limit on a stage's work; the objects must outlive this one
  message_stages(const operator_costs& costs, const precedence& below, std::vector<std::uint32_t> stage_of,
                 std::size_t stages, ticks cap)
      : costs_(costs),
        cap_(cap),
        stages_(below, std::move(stage_of), stages),
        spread_(costs, stages_.all()),
        work_(stages),
        here_(stages) {
    for (std::size_t e = 0; e < stages_.size(); ++e) work_[stages_[e]] += work_of(e);
    for (std::size_t i = 0; i < costs.nets(); ++i) {
      value_ += weight_of(i) * static_cast<ticks>(spread_.of(i).size() - 1);
    }
    if (!costs.options().memory_limit) return;
    sets_.assign(stages, operator_set(costs));
    for (std::size_t e = 0; e < stages_.size(); ++e) sets_[stages_[e]].add(e);
  }

  [[nodiscard]] const numbered_stages& stages() const noexcept { return stages_; }
  [[nodiscard]] const net_spread& spread() const noexcept { return spread_; }
  [[nodiscard]] ticks cap() const noexcept { return cap_; }
  [[nodiscard]] ticks work(std::size_t s) const noexcept { return work_[s]; }
  /// The balanced weight of an element.
  [[nodiscard]] ticks work_of(std::size_t e) const noexcept { return costs_.of(e).forward + costs_.of(e).backward; }
  /// The weight of every net, times the stages beyond the first that hold pins of it.
  [[nodiscard]] ticks value() const noexcept { return value_; }
  /// Work above the cap, over all stages.
  [[nodiscard]] ticks excess() const noexcept {
    ticks result = 0;
    for (const ticks each : work_) result += std::max<ticks>(each - cap_, 0);
    return result;
  }

  /// Finds promising targets of an element: the ends of its window, the neighbours of its stage, and the stages of its
  /// nets.
  /// @return  the weight of its nets that stay on its stage without it; less than `nets_on` of a stage if a move there
  ///          gains
  [[nodiscard]] ticks find_targets(std::size_t e, std::size_t least, std::size_t most) {
    const std::size_t from = stages_[e];
    targets_.clear();
    for (const std::size_t to : {least, most, from - (from > least ? 1U : 0U), from + (from < most ? 1U : 0U)}) {
      targets_.push_back(static_cast<std::uint32_t>(to));
    }
    for (const operator_costs::link& link : costs_.nets_of(e)) {
      for (const net_spread::entry& at : spread_.of(link.net)) {
        if (at.stage >= least && at.stage <= most) targets_.push_back(at.stage);
      }
    }
    std::sort(targets_.begin(), targets_.end());
    targets_.erase(std::unique(targets_.begin(), targets_.end()), targets_.end());
    for (const std::uint32_t to : targets_) here_[to] = 0;
    ticks result = 0;
    for (const operator_costs::link& link : costs_.nets_of(e)) {
      const ticks weight = weight_of(link.net);
      result += weight;
      for (const net_spread::entry& at : spread_.of(link.net)) {
        if (at.stage == from && at.pins == 1) result -= weight;
        if (at.stage >= least && at.stage <= most) here_[at.stage] += weight;
      }
    }
    return result;
  }
  /// The stages found last, in ascending order, including its own.
  [[nodiscard]] const std::vector<std::uint32_t>& targets() const noexcept { return targets_; }
  /// The weight of its nets that have pins on that stage.
  [[nodiscard]] ticks nets_on(std::size_t s) const noexcept { return here_[s]; }

  /// Whether memory suffices on both stages after a move.
  [[nodiscard]] bool fits(std::size_t e, std::size_t to) {
    if (sets_.empty()) return true;
    const std::size_t from = stages_[e];
    sets_[to].add(e);
    bool result = sets_[to].fits({0, to, sets_.size()});
    sets_[to].remove(e);
    if (!result || stages_.members(from) == 1) return result;
    sets_[from].remove(e);
    result = sets_[from].fits({0, from, sets_.size()});
    sets_[from].add(e);
    return result;
  }

  /// @pre the stage is in the element's window
  void move(std::size_t e, std::size_t to) {
    const std::size_t from = stages_[e];
    for (const operator_costs::link& link : costs_.nets_of(e)) {
      const auto before = static_cast<ticks>(spread_.of(link.net).size());
      spread_.move(link.net, from, to);
      value_ += weight_of(link.net) * (static_cast<ticks>(spread_.of(link.net).size()) - before);
    }
    work_[from] -= work_of(e);
    work_[to] += work_of(e);
    if (!sets_.empty()) {
      sets_[from].remove(e);
      sets_[to].add(e);
    }
    stages_.move(e, to);
  }

 private:
  [[nodiscard]] ticks weight_of(std::size_t net) const noexcept {
    return costs_.weight_of(net).forward + costs_.weight_of(net).backward;
  }

  const operator_costs& costs_;
  ticks cap_;
  numbered_stages stages_;
  net_spread spread_;
  ticks value_ = 0;
  std::vector<ticks> work_;
  std::vector<operator_set> sets_{};  // if memory is limited
  std::vector<ticks> here_;           // of each target
  std::vector<std::uint32_t> targets_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
