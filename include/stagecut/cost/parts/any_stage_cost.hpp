// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/function_ref.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A cost of stages that is somebody else's and promises `Promises`, behind a pointer: what calls it seldom enough is
/// compiled once for all models whose costs are of type `Cost`.
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
