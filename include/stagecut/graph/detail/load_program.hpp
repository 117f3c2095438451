// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/function_ref.hpp>
#include <stagecut/engine/ideals.hpp>
#include <stagecut/graph/detail/element_stages.hpp>
#include <stagecut/graph/detail/load_work.hpp>
#include <stagecut/graph/set_cost.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The best path from the empty down-set to the full one, where stages are differences of consecutive sets: among all
/// partitions whose stages lie between sets of the family, the one with the smallest bottleneck. Exact, by dynamic
/// programming over the sets and the numbers of devices used.
///
/// From each set, all larger ones are reached by adding one element at a time, each set once, while the current stage
/// may still be cheaper than the best partition known: O(pairs of sets within such a stage), with O(1) changes of one
/// set cost for each. A set is pruned if the remaining devices cannot hold the remaining weight.
template <set_cost Set>
class load_program {
 public:
  using value_type = set_value_t<Set>;

  /// @param family  of down-sets; must outlive this object, as the other arguments
  /// @param empty   the empty set
  /// @param counts  of devices
  /// @param below   only partitions that cost less are searched
  load_program(const engine::ideal_family& family, const Set& empty, const stage_counts& counts, value_type below)
      : family_(family),
        set_(empty),
        counts_(counts),
        below_(below),
        by_position_(set_by_position(empty)),
        rows_(counts.cpus + 1),
        states_((counts.devices + 1) * rows_),
        values_(family.size() * states_, unreached),
        from_(family.size() * states_),
        kinds_(family.size() * states_),
        left_(family.size()),
        met_(family.size(), std::numeric_limits<std::uint32_t>::max()) {
    weigh();
  }

  /// The best partition; none if none costs less, or if it was stopped.
  [[nodiscard]] std::optional<element_stages<value_type>> run(const function_ref<bool()>& stop) {
    values_[0] = 0;
    for (std::size_t from = 0; from + 1 < family_.size(); ++from) {
      if (ends(stop)) return std::nullopt;
      collect(from);
      if (!alive_.empty()) walk(from, stop);
      if (stopped_) return std::nullopt;
    }
    return best();
  }

  /// Whether `run` was stopped before its end.
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

 private:
  static constexpr value_type unreached = std::numeric_limits<value_type>::max();
  struct live_state {
    std::size_t state;
    value_type value;
  };

  /// The weight left after every set, and the largest share of it per tick that a CPU takes.
  void weigh() {
    for (std::size_t from = family_.size() - 1; from-- > 0;) {
      const auto& [element, to] = family_.steps_of(from)[0];
      const auto here = static_cast<double>(set_weight(set_, element, 0));
      left_[from] = left_[to] + here;
      if (counts_.cpus == 0) continue;
      for (const auto& step : family_.steps_of(from)) {
        const auto device = static_cast<double>(set_weight(set_, step.element, 0));
        const auto cpu = static_cast<double>(set_weight(set_, step.element, 1));
        if (device > cpu_speed_ * cpu) cpu_speed_ = cpu > 0 ? device / cpu : std::numeric_limits<double>::infinity();
      }
    }
    slack_ = 1e-9 * left_[0];
  }

  /// The states of a set from which the rest may still be completed.
  void collect(std::size_t set) {
    alive_.clear();
    most_left_[0] = most_left_[1] = -1;
    for (std::size_t state = 0; state < states_; ++state) {
      const value_type value = values_[set * states_ + state];
      if (value >= below_ || !may_finish(set, state) || (counts_.at_most && !by_position_ && dominated(state, value))) {
        continue;
      }
      alive_.push_back({state, value});
      if (state / rows_ < counts_.devices) most_left_[0] = std::max(most_left_[0], capacity(state + rows_));
      if (state % rows_ < counts_.cpus) most_left_[1] = std::max(most_left_[1], capacity(state + 1));
    }
  }
  /// The weight that the remaining devices can hold.
  [[nodiscard]] double capacity(std::size_t state) const {
    const std::size_t devices = counts_.devices - state / rows_;
    const std::size_t cpus = counts_.cpus - state % rows_;
    const auto each = static_cast<double>(below_);
    double most = static_cast<double>(devices) * each + slack_;
    if (cpus != 0 && cpu_speed_ > 0) most += static_cast<double>(cpus) * each * cpu_speed_;  // no infinity times 0
    return most;
  }
  [[nodiscard]] bool may_finish(std::size_t set, std::size_t state) const { return left_[set] <= capacity(state); }
  [[nodiscard]] bool dominated(std::size_t state, value_type value) const {
    for (const live_state& other : alive_) {
      if (other.value <= value && other.state % rows_ <= state % rows_) return true;  // earlier ones use fewer devices
    }
    return false;
  }

  /// Polls `stop` after every `changes_at_once` changes of a set.
  [[nodiscard]] bool ends(const function_ref<bool()>& stop) {
    changes_ += by_position_ ? alive_.size() : 1;
    if (!stop || changes_ < changes_at_once) return false;
    changes_ = 0;
    return stopped_ = stop();
  }

  /// Adds elements one at a time, starting from a set.
  void walk(std::size_t from, const function_ref<bool()>& stop) {
    frames_.assign(1, {static_cast<std::uint32_t>(from), 0});
    met_[from] = static_cast<std::uint32_t>(from);
    while (!frames_.empty()) {
      auto& [set, next] = frames_.back();
      const auto steps = family_.steps_of(set);
      if (next == steps.size()) {
        frames_.pop_back();
        if (!frames_.empty()) set_.remove(family_.steps_of(frames_.back().set)[frames_.back().next - 1].element);
        continue;
      }
      const auto& [element, to] = steps[next++];
      if (met_[to] == from) continue;
      met_[to] = static_cast<std::uint32_t>(from);
      if (ends(stop)) return;
      set_.add(element);
      if (reach(from, to)) {
        frames_.push_back({to, 0});
      } else {
        set_.remove(element);
      }
    }
  }

  /// Ends a stage with a set; returns whether it may grow.
  bool reach(std::size_t from, std::size_t to) {
    bool grows = false;
    for (std::size_t kind = 0; kind < (counts_.cpus == 0 ? 1U : 2U); ++kind) {
      if (by_position_) {
        for (const live_state& each : alive_) {
          const std::size_t stage = counts_.before + each.state / rows_ + each.state % rows_;
          const std::size_t stages = counts_.before + counts_.stages + counts_.behind;
          grows = settle({kind, stage, stages}, from, to, &each, 1) || grows;
        }
      } else {
        grows = settle({kind, 0, 1}, from, to, alive_.data(), alive_.size()) || grows;
      }
    }
    return grows;
  }
  bool settle(const stage_role& role, std::size_t from, std::size_t to, const live_state* each, std::size_t count) {
    if (!set_may_grow(set_, role) || set_least(set_, role) >= below_) return false;
    if (left_[to] > most_left_[role.kind] || !set_fits(set_, role)) return true;
    const value_type value = set_.value(role);
    if (value >= below_) return true;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t state = each[i].state;
      if (role.kind == 0 ? state / rows_ == counts_.devices : state % rows_ == counts_.cpus) continue;
      const std::size_t at = to * states_ + state + (role.kind == 0 ? rows_ : 1);
      const value_type both = value < each[i].value ? each[i].value : value;
      if (both >= values_[at]) continue;
      values_[at] = both;
      from_[at] = static_cast<std::uint32_t>(from);
      kinds_[at] = static_cast<std::uint8_t>(role.kind);
    }
    return true;
  }

  [[nodiscard]] std::optional<element_stages<value_type>> best() const {
    const std::size_t last = family_.size() - 1;
    std::size_t best = states_;
    for (std::size_t state = 0; state < states_; ++state) {
      const std::size_t devices = state / rows_;
      if (!counts_.at_most && devices != counts_.devices) continue;
      if (counts_.stages != 0 && devices + state % rows_ != counts_.stages) continue;
      const value_type value = values_[last * states_ + state];
      if (value < below_ && (best == states_ || value < values_[last * states_ + best])) best = state;
    }
    if (best == states_) return std::nullopt;
    return traced(last, best);
  }

  /// The stages that lead to a state of a set. If any set contains an element, the last one does, so the stage of an
  /// element is the stage of the first set on the path that contains it: sets are distinguished by walking to them along
  /// steps.
  [[nodiscard]] element_stages<value_type> traced(std::size_t set, std::size_t state) const {
    element_stages<value_type> result;
    result.value = values_[set * states_ + state];
    std::vector<std::size_t> ends;
    while (set != 0) {
      const std::size_t at = set * states_ + state;
      ends.push_back(set);
      result.kinds.push_back(kinds_[at]);
      state -= kinds_[at] == 0 ? rows_ : 1;
      set = from_[at];
    }
    for (std::size_t i = 0; 2 * i + 1 < result.kinds.size(); ++i) {
      std::swap(result.kinds[i], result.kinds[result.kinds.size() - 1 - i]);
      std::swap(ends[i], ends[ends.size() - 1 - i]);
    }
    result.stage_of.assign(set_.size(), 0);
    std::size_t begin = 0;
    for (std::size_t s = 0; s < ends.size(); begin = ends[s++]) fill_stage(family_, begin, ends[s], s, result.stage_of);
    return result;
  }
  struct frame {
    std::uint32_t set;
    std::uint32_t next;
  };

  const engine::ideal_family& family_;
  Set set_;
  stage_counts counts_;
  value_type below_;
  bool by_position_;
  std::size_t rows_;    // states with as many accelerators
  std::size_t states_;  // per set
  std::vector<value_type> values_;
  std::vector<std::uint32_t> from_;
  std::vector<std::uint8_t> kinds_;
  std::vector<double> left_;
  std::vector<std::uint32_t> met_;
  std::vector<live_state> alive_{};
  std::vector<frame> frames_{};
  double most_left_[2] = {0, 0};  // after a stage on a device of each kind, for any of the states
  double cpu_speed_ = 0;
  double slack_ = 0;
  std::size_t changes_ = changes_at_once;  // since the last poll: the first change polls
  bool stopped_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
