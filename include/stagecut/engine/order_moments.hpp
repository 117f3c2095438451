// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/parts/held_microbatches.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// What the stages of a rank hold simultaneously, in the order of its stages: all combinations that occur in an
/// iteration, except dominated ones. Slices count as parts of a microbatch, rounded up.
///
/// @param recomputed  whether to count microbatches being recomputed
[[nodiscard]] STAGECUT_DECL detail::held_moments most_held(const schedule& order, std::size_t rank, bool recomputed);

/// What ranks hold under a schedule, and stages, whatever else is on their ranks.
class order_moments {
 public:
  /// Without a schedule.
  order_moments();
  /// @param recomputed  whether to count microbatches being recomputed
  order_moments(const schedule& order, bool recomputed);
  order_moments(order_moments&& other) noexcept;
  order_moments& operator=(order_moments&& other) noexcept;
  ~order_moments();

  /// The stages of a rank, in the order of the model.
  [[nodiscard]] const std::vector<std::size_t>& stages(std::size_t rank) const noexcept { return stages_[rank]; }
  /// The moments that matter.
  [[nodiscard]] const detail::held_moments& of_rank(std::size_t rank) const noexcept;
  /// The number of these moments, and what the rank's stages hold at one.
  [[nodiscard]] std::size_t count(std::size_t rank) const noexcept;
  [[nodiscard]] view<const detail::held_microbatches> moment(std::size_t rank, std::size_t which) const noexcept;
  /// What a stage holds at the moments that matter for it alone.
  [[nodiscard]] view<const detail::held_microbatches> alone(std::size_t stage) const noexcept;
  /// Whether some rank has several stages.
  [[nodiscard]] bool several() const noexcept { return several_; }

 private:
  bool several_ = false;
  std::vector<std::vector<std::size_t>> stages_{};  // of every rank
  std::vector<detail::held_moments> ranks_{};
  std::vector<detail::stage_moments> alone_{};  // of every stage
};

/// What every stage holds, whatever else is on its rank, at the moments that matter, including microbatches being
/// recomputed.
[[nodiscard]] STAGECUT_DECL std::vector<detail::stage_moments> moments_of(const schedule& order);

}  // namespace stagecut::inline STAGECUT_ABI::engine

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/engine/detail/order_moments.ipp>
#endif
