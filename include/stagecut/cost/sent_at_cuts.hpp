// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/item_sums.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Only what a stage sends: bytes, or a time. The sum over all stages is the total communication of a pipeline; the
/// maximum is its slowest message.
///
/// `Sum` is `double` or an integer type; deduced, the widest of the items' kind.
template <sum_type Sum>
class sent_at_cuts {
 public:
  /// It depends only on the end of the interval.
  using axioms = stagecut::axioms<left_monotone, monge, inverse_monge, separable, stage_invariant>;

  /// @param container  what is sent after every item, contiguous, of length n; the last is not used
  /// @throws           invalid_input naming the first item that is NaN, infinite or negative, or at which the sum of
  ///                   integers overflows: this ensures that no sum over stages does
  template <summable_to<Sum> Container>
  explicit sent_at_cuts(const Container& container) {
    const view<const element_t<Container>> items(container);
    detail::check_items(items);
    Sum sum{};
    for (std::size_t i = 0; i < items.size(); ++i) {
      if constexpr (integer<Sum>) detail::add_item(sum, items[i], i);
      sent_.push_back(static_cast<Sum>(items[i]));
    }
    if (!sent_.empty()) sent_.back() = Sum{};
  }
  /// As above, from a list.
  template <item_of<Sum> T>
  sent_at_cuts(std::initializer_list<T> items) : sent_at_cuts(view<const T>(items)) {}

  /// Number of items n.
  [[nodiscard]] std::size_t size() const noexcept { return sent_.size(); }

  /// What a stage that ends before the item `last` sends; 0 at the ends of the chain.
  /// @pre `last <= size()`
  [[nodiscard]] Sum end(std::size_t last) const noexcept { return last == 0 ? Sum{} : sent_[last - 1]; }

  /// 0, so that the cost is `end(last) - begin(first)`.
  [[nodiscard]] static constexpr Sum begin(std::size_t) noexcept { return Sum{}; }

  /// What a stage of the items `[first, last)` sends.
  /// @pre `first <= last && last <= size()`
  [[nodiscard]] Sum operator()(std::size_t, std::size_t last) const noexcept { return end(last); }

 private:
  std::vector<Sum> sent_;
};

/// The type, deduced from the argument.
template <class Container>
sent_at_cuts(const Container&) -> sent_at_cuts<sum_t<element_t<Container>>>;
/// The type, deduced from the argument.
template <arithmetic T>
sent_at_cuts(std::initializer_list<T>) -> sent_at_cuts<sum_t<T>>;

}  // namespace stagecut::inline STAGECUT_ABI
