// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The Pareto front of labels of one point: those that no other one dominates.
///
/// A `Rule` tells how labels compare:
///
///     bool before(a, b)      a strict weak order in which whatever dominates a label is before it or equal to it
///     bool alike(a, b)       whether one may take the place of the other: an equivalence, its classes ranges of that order
///     bool dominates(a, b)   of alike labels, a not behind b: whether a is nowhere worse; transitive, and true of equal ones
///     two_figures            whether the last label that is kept dominates whatever any other one of its class does
///     slack                  labels put in before the first are dropped
///
/// Of equal labels the first that was put in is kept.
template <class Label, class Rule>
class label_front {
 public:
  /// Puts a label in. Those that are dominated are dropped once there are twice as many labels as were left last time.
  void add(const Label& label, const Rule& rule) {
    labels_.push_back(label);
    if (labels_.size() >= 2 * settled_ + Rule::slack) settle(rule);
  }

  /// Drops what is dominated, and sorts the others. O(labels log labels) comparisons, and without `two_figures` as many again
  /// as there are labels times those kept of a class.
  void settle(const Rule& rule) {
    if (settled_ == labels_.size()) return;
    std::stable_sort(labels_.begin(), labels_.end(),
                     [&rule](const Label& a, const Label& b) { return rule.before(a, b); });
    std::size_t kept = 0;
    std::size_t begin = 0;  // of the class of the next label
    for (const Label& each : labels_) {
      if (kept > begin && !rule.alike(labels_[kept - 1], each)) begin = kept;
      const std::size_t until = Rule::two_figures && kept > begin ? kept - 1 : begin;
      bool is_dominated = false;
      for (std::size_t i = kept; i-- > until && !is_dominated;) is_dominated = rule.dominates(labels_[i], each);
      if (!is_dominated) labels_[kept++] = each;
    }
    labels_.resize(kept);
    settled_ = kept;
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
