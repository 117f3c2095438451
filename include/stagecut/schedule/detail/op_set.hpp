// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/parts/stage_links.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A set of ops with a microbatch: one bit per kind, one byte per stage, microbatch and slice, and, if there are
/// transfers, another per edge, microbatch and slice.
class op_set {
 public:
  op_set(const schedule& all, const stage_links& links, bool transfers)
      : links_(links),
        microbatches_(all.microbatches),
        slices_(all.slices),
        passes_(all.stages() * microbatches_ * slices_),
        transfers_(transfers ? edge_count(all) * microbatches_ * slices_ : 0) {}

  /// @pre a transfer goes along an edge
  [[nodiscard]] bool contains(op_kind kind, const op& of) const noexcept {
    if (!is_transfer(kind)) return contains_pass(kind, of);
    return (transfers_[at(links_.find(of)->edge, of)] & bit(kind)) != 0;
  }
  [[nodiscard]] bool contains_pass(op_kind kind, const op& of) const noexcept {
    return (passes_[at(of.stage, of)] & bit(kind)) != 0;
  }
  /// Contains B or I.
  [[nodiscard]] bool contains_gradient(const op& of) const noexcept {
    return (passes_[at(of.stage, of)] & (bit(op_kind::backward) | bit(op_kind::backward_input))) != 0;
  }
  void insert(const op& each) noexcept {
    unsigned char& bits =
        is_transfer(each.kind) ? transfers_[at(links_.find(each)->edge, each)] : passes_[at(each.stage, each)];
    bits = static_cast<unsigned char>(bits | bit(each.kind));
  }

 private:
  [[nodiscard]] std::size_t at(std::size_t row, const op& of) const noexcept {
    return (row * microbatches_ + of.microbatch) * slices_ + of.slice;
  }
  [[nodiscard]] static unsigned bit(op_kind kind) noexcept { return 1U << static_cast<unsigned>(kind); }

  const stage_links& links_;
  std::size_t microbatches_;
  std::size_t slices_;
  std::vector<unsigned char> passes_;
  std::vector<unsigned char> transfers_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
