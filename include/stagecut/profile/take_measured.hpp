// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A layer with measured passes, in seconds per microbatch.
struct measured_layer {
  std::string name{};                ///< as in the profile
  std::optional<double> forward{};   ///< unset: not measured
  std::optional<double> backward{};  ///< unset: not measured; both gradients

  /// Equal in every part.
  friend bool operator==(const measured_layer&, const measured_layer&) = default;
};

namespace detail {

/// Sets the whole backward pass; its parts keep their shares.
STAGECUT_DECL void set_backward(layer& of, double seconds);

/// The index of the layer with that name.
STAGECUT_DECL std::size_t place_of_layer(const profile& model, const std::string& name);

}  // namespace detail

/// Replaces computed times by measured ones. Measured layers take their measurements; unmeasured layers of the same kind
/// keep their computed times, scaled by the kind's ratio of total measured to total computed time.
///
/// @throws  invalid_input naming a measured layer that the model lacks
///
/// O(layers * (kinds + measured)).
STAGECUT_DECL void take_measured(profile& model, const std::vector<measured_layer>& measured);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/take_measured.ipp>
#endif
