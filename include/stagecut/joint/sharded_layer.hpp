// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/link_speed.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// How a layer runs on several devices. The activation between two layers is *whole* on each device, or *split* by its
/// features: then each device has a part.
enum class sharding : std::uint8_t {
  replicated,  ///< every device computes the whole layer: whole to whole
  column,      ///< each computes a part of the output features: whole to split; input gradients are summed
  row,         ///< each has a part of the input features: split to whole; outputs are summed
  split        ///< each computes its part without the others: split to split
};

/// The names of shardings in files.
inline constexpr named<sharding> sharding_names[] = {{"replicated", sharding::replicated},
                                                     {"column", sharding::column},
                                                     {"row", sharding::row},
                                                     {"split", sharding::split}};

/// Returns the name of a sharding in files.
[[nodiscard]] constexpr const char* to_string(sharding kind) noexcept {
  return stagecut::name_of(sharding_names, kind);
}

/// A layer that several devices may share. Times of one microbatch on one device; finite and not negative.
struct sharded_layer {
  double forward = 0;               ///< of the forward pass
  double backward = 0;              ///< of the backward pass
  double parameters = 0;            ///< bytes
  double output = 0;                ///< bytes of the whole output activation
  bool may_split = true;            ///< whether it may be divided by columns and rows, like a matrix
  bool elementwise = false;         ///< whether a part of its output needs only that part of its input
  std::size_t input_features = 0;   ///< rows need a tensor-parallel degree that divides this; 0: always possible
  std::size_t output_features = 0;  ///< the same for columns, and for the parts of an elementwise layer

  /// Equal in every part.
  friend bool operator==(const sharded_layer&, const sharded_layer&) = default;
};

/// Whether a layer supports a sharding on `tensor_parallel` devices.
/// @pre `tensor_parallel > 0`
[[nodiscard]] constexpr bool may_be(const sharded_layer& layer, sharding kind, std::size_t tensor_parallel) noexcept {
  switch (kind) {
    case sharding::replicated: break;
    case sharding::column: return layer.may_split && layer.output_features % tensor_parallel == 0;
    case sharding::row: return layer.may_split && layer.input_features % tensor_parallel == 0;
    case sharding::split: return layer.elementwise && layer.output_features % tensor_parallel == 0;
  }
  return true;
}

namespace detail {

/// Rejects layers that cannot be sharded.
STAGECUT_DECL void check_sharded(std::string_view function, view<const sharded_layer> layers,
                                 std::size_t tensor_parallel, const link_speed& link, double input);

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/sharded_layer.ipp>
#endif
