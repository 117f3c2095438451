// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/pareto_front.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The Pareto front of labels of one point: those that no other one dominates, by a rule as `keep_front` has it, with `slack`,
/// the labels that are put in before the first are dropped.
template <class Label, class Rule>
class label_front {
 public:
  /// Puts a label in. Those that are dominated are dropped once there are twice as many labels as were left last time.
  void add(const Label& label, const Rule& rule) {
    labels_.push_back(label);
    if (labels_.size() >= 2 * settled_ + Rule::slack) settle(rule);
  }

  /// Drops what is dominated, and sorts the others.
  void settle(const Rule& rule) {
    if (settled_ == labels_.size()) return;
    engine::keep_front(labels_, rule);
    settled_ = labels_.size();
  }

  void clear() noexcept { labels_.clear(), settled_ = 0; }

  [[nodiscard]] bool empty() const noexcept { return labels_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return labels_.size(); }
  [[nodiscard]] const Label& operator[](std::size_t i) const noexcept { return labels_[i]; }
  [[nodiscard]] auto begin() const noexcept { return labels_.begin(); }
  [[nodiscard]] auto end() const noexcept { return labels_.end(); }

 private:
  std::vector<Label> labels_{};
  std::size_t settled_ = 0;  // the first so many are in order, and none dominates another
};

/// A dynamic program over labels of the points 0, 1, .., from the last point to the first: a label of a point stands for what
/// is behind it, as far as what is before it can tell, and stages extend it to lesser points.
template <class Label, class Rule>
class label_program {
 public:
  using front = label_front<Label, Rule>;

  explicit label_program(std::size_t points) : of_(points) {}

  /// Finds the labels of all points.
  /// @param none    the label of the last point
  /// @param extend  `extend(last)` calls `add` for every stage that ends at `last`, a point that has labels, which are those
  ///                that will be left of it; false: stop
  /// @return        false: stopped
  template <class Extend>
  bool run(const Rule& rule, const Label& none, const Extend& extend) {
    rule_ = rule;
    for (front& each : of_) each.clear();
    add(of_.size() - 1, none);
    for (std::size_t last = of_.size() - 1; last > 0; --last) {
      of_[last].settle(rule_);
      if (!of_[last].empty() && !extend(last)) return false;
    }
    of_[0].settle(rule_);
    return true;
  }

  /// Puts in a label of a point before that which is extended.
  void add(std::size_t point, const Label& label) { of_[point].add(label, rule_); }

  [[nodiscard]] const front& operator[](std::size_t point) const noexcept { return of_[point]; }

  /// Calls `visit(first, label, behind)` for the stages of a label of point 0, from there on: `label` is that of what begins
  /// with the stage, `behind` that of what it was extended from, number `label.from` of the point `label.last`.
  template <class Visit>
  void each_stage(const Label& whole, const Visit& visit) const {
    std::size_t first = 0;
    for (const Label* at = __builtin_addressof(whole); first + 1 < of_.size();) {
      const Label& behind = of_[at->last][at->from];
      visit(first, *at, behind);
      first = at->last;
      at = __builtin_addressof(behind);
    }
  }

 private:
  std::vector<front> of_;
  Rule rule_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
