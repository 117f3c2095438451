// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/detail/block.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

/// How many parameters a model has.
struct parameter_count {
  double total = 0;   ///< all that a checkpoint has to hold once
  double active = 0;  ///< those that a token meets: without the experts that it does not visit
  /// Of layers that guess further tokens, in neither of the others; embedding and head, which they use as well, are not
  /// in it.
  double further = 0;
  double vision = 0;  ///< of the tower in front and its projector, in both of the others

  /// Equal in every part.
  friend bool operator==(const parameter_count&, const parameter_count&) = default;
};

/// Counts the parameters of a model that `check` accepts; a matrix that embedding and head share counts once. Exact up to
/// 2^53. O(layers).
[[nodiscard]] inline parameter_count count_parameters(const architecture& a) {
  const auto words = static_cast<double>(a.vocabulary);
  const auto hidden = static_cast<double>(a.hidden);
  parameter_count made;
  made.total = (a.tied == tying::none ? 2 : 1) * words * hidden + detail::table_parameters(a) +
               (a.encoder ? 0 : detail::norm_parameters(a.norm, hidden)) + detail::head_parameters(a, words);
  if (a.vision) {
    made.vision = detail::patch_parameters(*a.vision) + detail::projector_parameters(*a.vision, hidden) +
                  static_cast<double>(a.vision->layers) * detail::block_parameters(detail::block_of(*a.vision, 0));
    made.total += made.vision;
  }
  made.active = made.total;
  for (std::size_t i = 0; i < a.layers; ++i) {
    const detail::block each = detail::block_of(a, i);
    made.total += detail::block_parameters(each);
    made.active += detail::common_parameters(each) + each.visits * detail::expert_parameters(each, each.ffn);
  }
  for (std::size_t i = 0; i < a.mtp_layers; ++i) {
    made.further += detail::joining_parameters(a) + detail::block_parameters(detail::block_of(a, a.layers + i));
  }
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
