// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>

#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/interval_cost.hpp>

namespace stagecut::inline STAGECUT_ABI::testing {

namespace detail {

/// What `additive` promises beside all that follows from it: the member `prefix`.
inline constexpr unsigned has_prefixes = additive.bits & ~(monotone | monge | inverse_monge | stage_invariant).bits;

}  // namespace detail

/// A cost model that counts how often it is asked: exact, where a time is not. One thread at a time.
///
/// Prices as the model it wraps, and keeps all its promises but `additive`: what is counted are the calls of `(first,
/// last)`, or `(stage, first, last)`, so algorithms may see nothing else.
template <class Model>
class counted {
 public:
  /// Those of the model but `additive`; what follows from that stays.
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
  /// Begins to count anew.
  void reset() noexcept { calls_ = 0; }

 private:
  Model model_;
  mutable std::size_t calls_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::testing
