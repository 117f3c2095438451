// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/option_program.hpp>
#include <stagecut/joint/detail/rank_options.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A duration that every rank has, and a limit. Either no rank exceeds it, or there is a first one that does: a mix of
/// options that levels the ranks keeps to neither. See docs/recomputation.md, "Branching".
struct disjunction {
  std::size_t slot = 0;  // of a rank's durations
  double limit = 0;
  double score = 0;  // above 0: the mix keeps to neither side
};

/// On which side of the limit the live options of a rank are: -1 below, 1 above, 0 on both.
[[nodiscard]] STAGECUT_DECL int side_of(const rank_options& rank, const std::vector<char>& live, const disjunction& by);

/// Looks for the disjunction that a mix of options is farthest from keeping.
class disjunction_choice {
 public:
  disjunction_choice(const option_graph& graph, const option_paths::live_options& live, const option_program& mix)
      : graph_(graph), live_(live), mix_(mix), mean_(graph.ranks.size()) {}

  [[nodiscard]] disjunction best();

 private:
  void consider(std::size_t slot, std::size_t r);

  /// Whether no undecided rank has a larger mean: the others are below anyway.
  [[nodiscard]] bool is_largest(std::size_t slot, std::size_t r, double limit) const;

  const option_graph& graph_;
  const option_paths::live_options& live_;
  const option_program& mix_;
  std::vector<double> mean_;
  disjunction best_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/option_disjunction.ipp>
#endif
