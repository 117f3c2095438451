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

/// The figures of a stage with sharded layers: times of one microbatch and bytes on one device.
struct sharded_figures {
  double time = 0;        ///< both passes, with collectives, summed from the last layer to the first
  double forward = 0;     ///< of the forward pass
  double backward = 0;    ///< of the backward pass
  double parameters = 0;  ///< bytes

  /// Equal in every part.
  friend bool operator==(const sharded_figures&, const sharded_figures&) = default;
};

/// A stage and the sharding of each of its layers.
struct sharded_stage : sharded_figures {
  std::vector<sharding> kinds{};  ///< of each layer

  /// Equal in every part.
  friend bool operator==(const sharded_stage&, const sharded_stage&) = default;
};

namespace detail {

/// The figures of a path.
[[nodiscard]] inline sharded_figures figures_of(const sharding_path& path) {
  return {path.time, path.forward, path.backward, path.parameters};
}

}  // namespace detail

/// See `shard`.
struct shard_fn {
  /// See `shard`.
  [[nodiscard]] outcome<sharded_stage> operator()(view<const sharded_layer> layers, std::size_t tensor_parallel,
                                                  const link_speed& link, double input,
                                                  std::optional<double> most_parameters = {}) const;
};

/// Shards the layers of a stage over several devices, so that both passes of a microbatch take the least time: chooses
/// the layers that are split by columns, split by rows, or replicated. The input and the output of the stage are whole.
///
/// @param layers           from the input of the stage to its output; may be empty
/// @param tensor_parallel             the tensor-parallel degree; the devices form a ring for collectives
/// @param link             between neighbours in the ring
/// @param input            bytes of the input of the first layer; 0: its gradient is not needed
/// @param most_parameters  limit of a device's parameter bytes; unset: no limit
/// @return                 optimal; infeasible: `memory`, with the bytes that would suffice
/// @throws                 argument_error for no device, and for an invalid link, input or limit; invalid_input for a
///                         layer's figure that is negative or not finite, and a sum that is not finite
///
/// Each of g devices takes 1/g of the times and parameters of a layer that is not replicated. An all-reduce sums the
/// input gradient of a column layer and the output of a row layer. A split activation before a layer that needs it
/// whole is gathered, and a whole one is split for free; the backward pass does the reverse. An all-reduce of x bytes
/// takes `2 (g - 1) / g x / bandwidth + 2 (g - 1) latency`, a gather half of it; of no bytes, nothing.
///
/// Exact for times summed from the last layer to the first. Ties: fewest bytes, then the kinds that come first in
/// order. Without a limit O(n) for n layers; with one the number of Pareto-optimal choices of time and bytes is a
/// factor: few where layers are equal, 2^n at worst.
///
/// Source: Shoeybi et al., Megatron-LM (2019), for columns and rows; TorchShard has them as `dim`.
inline constexpr shard_fn shard{};

/// The figures of every stage of a chain with a fixed tensor-parallel degree: computed once, then looked up in constant
/// time.
class sharded_intervals {
 public:
  /// @param layers  a chain
  /// @param tensor_parallel    the tensor-parallel degree
  /// @param link    between neighbours in the ring that the devices form
  /// @param input   bytes of the input of the first layer
  /// @param all     whether to keep slower choices with fewer parameters, not only the fastest one
  /// @throws        as `shard`
  ///
  /// O(n^2) for n layers if only the fastest choice is kept; see `shard` for all.
  sharded_intervals(std::vector<sharded_layer> layers, std::size_t tensor_parallel, const link_speed& link,
                    double input, bool all = true);

  /// Number of layers.
  [[nodiscard]] std::size_t size() const noexcept { return layers_.size(); }

  /// Returns the choices of the layers `[first, last)`: the fastest one, then those with ever fewer parameters.
  /// @pre `first < last && last <= size()`
  [[nodiscard]] view<const sharded_figures> choices(std::size_t first, std::size_t last) const noexcept;

  /// Returns the least time of the layers `[first, last)`.
  /// @pre as for `choices`
  [[nodiscard]] double operator()(std::size_t first, std::size_t last) const noexcept {
    return choices(first, last)[0].time;
  }

  /// Returns the sharding of each layer under a choice, computed anew as by `shard`.
  /// @pre as for `choices`, and `choice` is one of them
  [[nodiscard]] std::vector<sharding> kinds(std::size_t first, std::size_t last, std::size_t choice) const;

 private:
  std::vector<sharded_layer> layers_;
  std::size_t ways_;
  link_speed link_;
  double input_;
  bool all_;
  std::vector<sharded_figures> choices_{};
  std::vector<std::size_t> ends_{};  // per stage, by its last layer, then from narrow to wide
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/sharded_times.ipp>
#endif
