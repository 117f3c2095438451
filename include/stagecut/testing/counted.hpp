// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>

#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/interval_cost.hpp>

namespace stagecut::inline STAGECUT_ABI::testing {

namespace detail {

/// The part of `additive` that requires the member `prefix`.
inline constexpr unsigned has_prefixes = additive.bits & ~(monotone | monge | inverse_monge | stage_invariant).bits;

}  // namespace detail

/// A cost model that counts its calls: exact, unlike a time. Not thread-safe.
///
/// Returns the wrapped model's costs, and keeps all its promises except `additive`: calls of `(first, last)`, or
/// `(stage, first, last)`, are counted, so algorithms may use no other members.
template <class Model>
class counted {
 public:
  /// The promises of the model except `additive`; those it implies remain.
  using axioms = axiom<enable_axioms<Model>.bits & ~detail::has_prefixes>;

  /// Wraps `model`.
  explicit counted(Model model) : model_(std::move(model)) {}

  /// Number of items n.
  [[nodiscard]] std::size_t size() const { return model_.size(); }

  /// The cost, counted.
  /// @{
  template <interval_cost Self = Model>
  [[nodiscard]] cost_t<Self> operator()(std::size_t first, std::size_t last) const {
    ++calls_;
    return model_(first, last);
  }
  template <staged_cost Self = Model>
  [[nodiscard]] cost_t<Self> operator()(std::size_t stage, std::size_t first, std::size_t last) const {
    ++calls_;
    return model_(stage, first, last);
  }
  /// @}

  /// Number of calls since construction, or since `reset`.
  [[nodiscard]] std::size_t calls() const noexcept { return calls_; }
  /// Resets the count.
  void reset() noexcept { calls_ = 0; }

 private:
  Model model_;
  mutable std::size_t calls_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::testing
