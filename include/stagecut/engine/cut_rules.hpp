// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/parts/held_microbatches.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// The rules for allowed stages.
class cut_rules {
 public:
  cut_rules() = default;
  cut_rules(const cut_rules&) = delete;
  cut_rules& operator=(const cut_rules&) = delete;
  virtual ~cut_rules() = default;

  /// Whether `[first, last)` is allowed as stage s.
  [[nodiscard]] virtual bool allows(std::size_t s, std::size_t first, std::size_t last) const = 0;
  /// Whether no wider stage that begins there is allowed either; called after `allows` returned false.
  [[nodiscard]] virtual bool hopeless(std::size_t s, std::size_t first, std::size_t last) const = 0;
  /// Whether the stages of a rank, or the first of them, in their order, are allowed together. Called where each of
  /// them is allowed; more stages never make a false answer true.
  [[nodiscard]] virtual bool allows_rank(std::size_t rank, view<const interval> parts) const = 0;
  /// Whether `allows_rank` can return false.
  [[nodiscard]] virtual bool has_rank_rules() const = 0;

  /// Whether `[first, last)` may be stage s if memory permits.
  [[nodiscard]] virtual bool may_be(std::size_t s, std::size_t first, std::size_t last) const {
    return allows(s, first, last);
  }
  /// What the stages of a rank hold at the moments that matter, if `allows_rank` returns true exactly if at each of
  /// them the sum of `stage_memory`, which is not negative, is at most `memory_limit`. Null: it is another rule.
  [[nodiscard]] virtual const detail::held_moments* moments(std::size_t /*rank*/) const { return nullptr; }
  /// See `moments`.
  /// @{
  [[nodiscard]] virtual double stage_memory(std::size_t /*s*/, std::size_t /*first*/, std::size_t /*last*/,
                                            detail::held_microbatches /*held*/) const {
    return 0;
  }
  [[nodiscard]] virtual double memory_limit() const { return 0; }
  /// @}
};

/// Whether every stage of a cut, and the stages of every rank together, are allowed.
[[nodiscard]] STAGECUT_DECL bool allowed_cut(const schedule& order, const cut_rules& rules,
                                             view<const std::size_t> points);

/// The memory of stages of a rank at a moment, in a cut: the sum of `cut_rules::stage_memory` in their order.
[[nodiscard]] STAGECUT_DECL double memory_at(const cut_rules& rules, view<const std::size_t> stages,
                                             view<const detail::held_microbatches> held,
                                             view<const std::size_t> points);

}  // namespace stagecut::inline STAGECUT_ABI::engine

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/engine/detail/cut_rules.ipp>
#endif
