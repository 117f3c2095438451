// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/graph/precedence.hpp>
#include <stagecut/graph/set_cost.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// A set that holds an interval of an order and moves from one interval to another.
template <set_cost Set>
class moving_set {
 public:
  moving_set(Set empty, std::vector<precedence::element> order) : set_(std::move(empty)), order_(std::move(order)) {}
  [[nodiscard]] std::size_t size() const noexcept { return order_.size(); }
  /// The set of `[first, last)`. O(elements that enter and leave).
  const Set& at(std::size_t first, std::size_t last) {
    if (last <= first_ || last_ <= first) {
      while (first_ < last_) set_.remove(order_[--last_]);
      first_ = last_ = first;
    }
    while (first_ > first) set_.add(order_[--first_]);
    while (last_ < last) set_.add(order_[last_++]);
    while (first_ < first) set_.remove(order_[first_++]);
    while (last_ > last) set_.remove(order_[--last_]);
    return set_;
  }

 private:
  Set set_;
  std::vector<precedence::element> order_;
  std::size_t first_ = 0;
  std::size_t last_ = 0;
};

}  // namespace detail

/// The costs of a linear order's elements as stages, for any chain partitioner: item i is the i-th element. Cuts of the
/// order are partitions of the graph.
///
/// Copies share the underlying set: `operator()` moves it to the interval, so queries of nearby intervals are cheap,
/// and two threads must not query at a time.
template <class Set>
class order_costs {
  static_assert(set_cost<Set>, "order_costs takes a set_cost: size(), add(e), remove(e) and value(role) const");

 public:
  /// @param empty   the empty set of the graph's elements
  /// @param order   all of them, each after its predecessors
  /// @param stages  number of stages of the cut, on which `value` may depend
  /// @throws        argument_error for an order with another number of elements
  order_costs(Set empty, std::vector<precedence::element> order, std::size_t stages) : stages_(stages) {
    if (order.size() != empty.size()) {
      detail::fail(argument_error("order_costs", "order.size()", std::to_string(order.size()),
                                  detail::joined({"must be the number of elements, ", empty.size()})));
    }
    set_ = std::make_shared<detail::moving_set<Set>>(std::move(empty), std::move(order));
  }

  /// Number of elements.
  [[nodiscard]] std::size_t size() const noexcept { return set_->size(); }
  /// The value of the elements `[first, last)` as that stage, on an accelerator. Not monotone: a wider interval may
  /// cost less. O(elements between this interval and the last one queried) changes of the set.
  [[nodiscard]] set_value_t<Set> operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return set_->at(first, last).value({0, stage, stages_});
  }
  /// Whether the elements may be that stage: for `order_constraint`.
  [[nodiscard]] bool fits(std::size_t stage, std::size_t first, std::size_t last) const {
    return detail::set_fits(set_->at(first, last), {0, stage, stages_});
  }

 private:
  std::shared_ptr<detail::moving_set<Set>> set_;
  std::size_t stages_;
};

/// Which intervals of a linear order may be stages, by `fits` of their sets.
template <class Set>
class order_constraint {
 public:
  /// @param costs  of the order; copied
  explicit order_constraint(order_costs<Set> costs) : costs_(std::move(costs)) {}

  /// Whether the elements `[first, last)` may be that stage.
  [[nodiscard]] bool operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return first == last || costs_.fits(stage, first, last);
  }

 private:
  order_costs<Set> costs_;
};

}  // namespace stagecut::inline STAGECUT_ABI
