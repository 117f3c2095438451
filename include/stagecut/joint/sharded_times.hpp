// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/joint/detail/sharding_paths.hpp>
#include <stagecut/joint/sharded_layer.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What a stage takes whose layers are sharded: a device's times of one microbatch, and its bytes.
struct sharded_figures {
  double time = 0;        ///< both passes, with collectives, as summed from the last layer to the first
  double forward = 0;     ///< of the forward pass
  double backward = 0;    ///< of the backward pass
  double parameters = 0;  ///< bytes

  /// Equal in every part.
  friend bool operator==(const sharded_figures&, const sharded_figures&) = default;
};

/// A stage, and how each of its layers is sharded.
struct sharded_stage : sharded_figures {
  std::vector<sharding> kinds{};  ///< of each layer

  /// Equal in every part.
  friend bool operator==(const sharded_stage&, const sharded_stage&) = default;
};

namespace detail {

/// A path as it is told.
[[nodiscard]] inline sharded_figures figures_of(const sharding_path& path) {
  return {path.time, path.forward, path.backward, path.parameters};
}

}  // namespace detail

/// See `shard`.
struct shard_fn {
  /// See `shard`.
  [[nodiscard]] outcome<sharded_stage> operator()(view<const sharded_layer> layers, std::size_t ways,
                                                  const link_speed& link, double input,
                                                  std::optional<double> most_parameters = {}) const;
};

/// Shards the layers of a stage over several devices, so that both passes of a microbatch take the least time: which of them
/// by columns, which by rows, and which are replicated. The input and the output of the stage are whole.
///
/// @param layers           from the input of the stage to its output; none is a stage of nothing
/// @param ways             devices, which form a ring for collectives
/// @param link             between neighbours in the ring
/// @param input            bytes of the input of the first layer; 0: nothing needs its gradient
/// @param most_parameters  bytes of a device's parameters that may not be exceeded; unset: any
/// @return                 optimal; infeasible: `memory`, with the bytes that would do
/// @throws                 argument_error for no device, and for a link, an input or a limit that is none; invalid_input
///                         for a layer's figure that is negative or not finite, and a sum that is not
///
/// Of g devices each takes a g-th of the times and parameters of a layer that is not replicated. A column's gradient of the
/// input and a row's output are summed by an all-reduce. Between two layers a split activation is gathered to make it whole,
/// and a whole one split for nothing; in the backward pass it is the other way round. An all-reduce of x bytes takes
/// `2 (g - 1) / g x / bandwidth + 2 (g - 1) latency`, a gather half of it; of no bytes, nothing.
///
/// Exact, of times as summed from the last layer to the first. Ties: fewest bytes, then the kinds that come first in order.
/// Without a limit O(n) for n layers; with one the number of choices of time and bytes, of which none beats another, is a
/// factor: few where layers are alike, 2^n at worst.
///
/// Source: Shoeybi et al., Megatron-LM (2019), for columns and rows; TorchShard has them as `dim`.
inline constexpr shard_fn shard{};

/// What every stage of a chain takes whose layers are sharded over the same number of devices: found at once, then told in
/// constant time.
class sharded_intervals {
 public:
  /// @param layers  a chain
  /// @param ways    devices of a stage
  /// @param link    between neighbours in the ring that they form
  /// @param input   bytes of the input of the first layer
  /// @param all     whether choices of fewer parameters are kept beside the fastest one
  /// @throws        as `shard`
  ///
  /// O(n^2) for n layers and the fastest choice alone; see `shard` for all.
  sharded_intervals(std::vector<sharded_layer> layers, std::size_t ways, const link_speed& link, double input,
                    bool all = true);

  /// Layers.
  [[nodiscard]] std::size_t size() const noexcept { return layers_.size(); }

  /// What the layers `[first, last)` may take: the fastest choice, then those of fewer and fewer parameters.
  /// @pre `first < last && last <= size()`
  [[nodiscard]] view<const sharded_figures> choices(std::size_t first, std::size_t last) const noexcept;

  /// What the layers `[first, last)` take at least.
  /// @pre as of `choices`
  [[nodiscard]] double operator()(std::size_t first, std::size_t last) const noexcept {
    return choices(first, last)[0].time;
  }

  /// How a choice shards its layers. Found anew: as `shard`.
  /// @pre as of `choices`, and `choice` is one of them
  [[nodiscard]] std::vector<sharding> kinds(std::size_t first, std::size_t last, std::size_t choice) const;

 private:
  std::vector<sharded_layer> layers_;
  std::size_t ways_;
  link_speed link_;
  double input_;
  bool all_;
  std::vector<sharded_figures> choices_{};
  std::vector<std::size_t> ends_{};  // of every stage, by its last layer, then from narrow to wide
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/sharded_times.ipp>
#endif
