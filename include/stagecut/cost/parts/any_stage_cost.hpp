// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/function_ref.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A type-erased reference to a cost of stages that promises `Promises`: code that calls it rarely is compiled once for
/// all models with costs of type `Cost`.
template <class Promises, class Cost>
class any_stage_cost {
 public:
  using axioms = Promises;

  /// @param price  `price(stage, first, last)`; must outlive this object
  template <class Price>
  any_stage_cost(const Price& price, std::size_t size) : price_(price), size_(size) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] Cost operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    return price_(stage, first, last);
  }

 private:
  function_ref<Cost(std::size_t, std::size_t, std::size_t)> price_;
  std::size_t size_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
