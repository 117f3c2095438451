// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/with_speeds.hpp>
#include <stagecut/plan/chain_model.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A chain on devices of different speeds, whose stage 0 may run its backward pass whole where its order has W, and nothing
/// where it has I.
class staged_chain : public with_speeds<chain_model> {
 public:
  /// Its promise: none, stages differ.
  using axioms = stagecut::axioms<>;

  /// @param speeds  of every stage
  staged_chain(chain_model chain, std::vector<double> speeds, bool whole_first)
      : with_speeds(std::move(chain), std::move(speeds)), whole_first_(whole_first) {}

  /// See `pipeline_model`.
  /// @{
  [[nodiscard]] double backward_weight(std::size_t stage, std::size_t item) const {
    return is_whole(stage) ? with_speeds::backward(stage, item) : with_speeds::backward_weight(stage, item);
  }
  [[nodiscard]] double backward_input(std::size_t stage, std::size_t item) const {
    return is_whole(stage) ? 0 : with_speeds::backward_input(stage, item);
  }
  /// @}

 private:
  [[nodiscard]] bool is_whole(std::size_t stage) const noexcept { return whole_first_ && stage == 0; }

  bool whole_first_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
