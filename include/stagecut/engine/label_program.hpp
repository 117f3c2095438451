// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/engine/pareto_front.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The Pareto front of the labels of one point: the labels that no other label dominates. `Rule` is a rule of `keep_front`,
/// with `slack`: the number of labels that are added before dominated ones are dropped for the first time.
template <class Label, class Rule>
class label_front {
 public:
  /// Adds a label. Drops dominated labels when there are twice as many labels as after the last `settle`.
  void add(const Label& label, const Rule& rule) {
    labels_.push_back(label);
    if (labels_.size() >= 2 * settled_ + Rule::slack) settle(rule);
  }

  /// Drops dominated labels and sorts the rest.
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
  std::size_t settled_ = 0;  // labels [0, settled_) are sorted, and none dominates another
};

/// A dynamic program over labels of the points 0, 1, .., from the last point to the first. A label of a point is a
/// partial solution: the stages after that point, reduced to the figures on which the stages before it depend. A stage
/// extends a label to an earlier point.
template <class Label, class Rule>
class label_program {
 public:
  using front = label_front<Label, Rule>;

  explicit label_program(std::size_t points) : of_(points) {}

  /// Finds the labels of all points.
  /// @param none    the label of the last point
  /// @param extend  `extend(last)` calls `add` for every stage that ends at `last`; called only for points with labels,
  ///                whose front is final. It returns false to stop
  /// @return        whether `extend` never stopped it
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

  /// Adds a label to a point before the one being extended.
  void add(std::size_t point, const Label& label) { of_[point].add(label, rule_); }

  [[nodiscard]] const front& operator[](std::size_t point) const noexcept { return of_[point]; }

  /// Calls `visit(first, label, behind)` for each stage of a label of point 0, first stage first. `label` begins with
  /// the stage at point `first`; `behind` is the label that the stage extended: label `label.from` of point
  /// `label.last`.
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
