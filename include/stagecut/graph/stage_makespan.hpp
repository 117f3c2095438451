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

/// Prices warm-up counts of a pipeline whose stages form a graph: 1F1B, one stage a device, where stage s runs w[s]
/// forward passes before it alternates forward and backward passes, and so keeps min(w[s] + 1, m) microbatches in
/// flight.
///
/// Equals `simulate` of `warm_up_schedule` to the last bit, without building a schedule or its tasks.
class stage_makespan {
 public:
  /// @param of            stages, edges and messages
  /// @param microbatches  per iteration, m
  /// @param transfers     `latency`: a message arrives that much later, and messages overtake each other; `link`:
  ///                      messages along an edge are serialised in each direction, so an iteration may take longer if a
  ///                      stage produces results faster than they are sent
  /// @throws              argument_error for no stage or microbatch, for edges that do not lead upwards, and for other
  ///                      kinds of transfers; invalid_input for vectors of the wrong length and for times that are NaN,
  ///                      infinite or negative. O(k^2 + k m)
  explicit stage_makespan(const stage_pipeline& of, std::size_t microbatches,
                          transfer_kind transfers = transfer_kind::link);

  /// Whether the stages are free of deadlock: along every edge the count, at most m - 1, must not be less at the tail.
  [[nodiscard]] bool runs(view<const std::size_t> warm_up) const noexcept;

  /// The end of the last pass, where the first starts at 0.
  ///
  /// @param warm_up  w of every stage; those above m - 1 count as m - 1
  /// @throws         argument_error for another number of stages, and where `runs` is false
  ///
  /// Allocates nothing. Two additions and a maximum per pass and per message.
  [[nodiscard]] double operator()(view<const std::size_t> warm_up);

 private:
  std::vector<stage_edge> edges_;
  detail::stage_simulator simulator_;
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/stage_makespan.ipp>
#endif
