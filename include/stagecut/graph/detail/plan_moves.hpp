// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/detail/graph_plan_point.hpp>
#include <stagecut/graph/detail/moving_stages.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Moves of elements between the stages of a plan; each says whether it made the plan better, or else leaves it as it
/// was.
class plan_moves {
 public:
  /// @param fixed  elements that do not move
  plan_moves(const contraction& elements, plan_pricer& pricer, const std::vector<bool>& fixed)
      : elements_(elements), pricer_(pricer), fixed_(fixed) {}

  /// One element.
  bool alone(plan_point& point, std::size_t e, std::size_t to);

  /// An element with all in its stage that follow it, or all that it follows.
  bool with_others(plan_point& point, std::size_t e, std::size_t to);

  /// Two elements change places.
  bool swap(plan_point& point, std::size_t a, std::size_t b);

 private:
  /// Keeps what `moves_` say if it makes the plan better.
  bool try_moves(plan_point& point);

  static constexpr std::size_t most_together = 64;

  const contraction& elements_;
  plan_pricer& pricer_;
  const std::vector<bool>& fixed_;
  std::vector<std::pair<std::size_t, std::size_t>> moves_{};  // elements and where to
  moving_stages::sums sums_{};
  std::vector<std::size_t> order_{};
  std::vector<std::size_t> warm_up_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/plan_moves.ipp>
#endif
