// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/detail/stage_simulator.hpp>
#include <stagecut/graph/stage_pipeline.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Prices warm-up counts of a pipeline whose stages are a graph: 1F1B, one stage a device, where stage s runs w[s]
/// forward passes before forward and backward passes take turns, and so keeps min(w[s] + 1, m) microbatches in flight.
///
/// What `simulate` says for `warm_up_schedule`, to the last bit, without making a schedule or its tasks.
class stage_makespan {
 public:
  /// @param of            stages, edges and messages
  /// @param microbatches  of an iteration, m
  /// @param transfers     `latency`: what is sent arrives that much later, and messages pass each other; `link`: those
  ///                      along an edge go one after the other in each direction, so an iteration may take longer where
  ///                      a stage makes its results faster than they are sent
  /// @throws              argument_error for no stage or microbatch, for edges that do not lead upwards, and for other
  ///                      kinds of transfers; invalid_input for vectors of the wrong length and for times that are NaN,
  ///                      infinite or negative. O(k^2 + k m)
  explicit stage_makespan(const stage_pipeline& of, std::size_t microbatches,
                          transfer_kind transfers = transfer_kind::link);

  /// Whether the stages do not wait for each other forever: along no edge may the count, at most m - 1, be less at the
  /// stage from which it leads.
  [[nodiscard]] bool runs(view<const std::size_t> warm_up) const noexcept;

  /// When the last pass ends, the first having begun at 0.
  ///
  /// @param warm_up  w of every stage; those above m - 1 count as m - 1
  /// @throws         argument_error for another number of stages, and where `runs` says no
  ///
  /// Allocates nothing. Two additions and a maximum for each pass and each message.
  [[nodiscard]] double operator()(view<const std::size_t> warm_up);

 private:
  std::vector<stage_edge> edges_;
  detail::stage_simulator simulator_;
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/stage_makespan.ipp>
#endif
