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

/// A layer whose passes were timed, in seconds of a microbatch.
struct measured_layer {
  std::string name{};                ///< as in the profile
  std::optional<double> forward{};   ///< unset: not measured
  std::optional<double> backward{};  ///< likewise, both gradients

  /// Equal in every part.
  friend bool operator==(const measured_layer&, const measured_layer&) = default;
};

namespace detail {

/// Sets the whole backward pass; its parts keep their shares.
STAGECUT_DECL void set_backward(layer& of, double seconds);

/// The layer of that name.
STAGECUT_DECL std::size_t place_of_layer(const profile& model, const std::string& name);

}  // namespace detail

/// Puts measured times in the place of computed ones: of a layer that was measured as they are; of those of its kind that
/// were not, computed times, all scaled by as much as those of the kind that were measured were off together.
///
/// @throws  invalid_input naming a layer that the model does not have
///
/// O(layers * (kinds + measured)).
STAGECUT_DECL void take_measured(profile& model, const std::vector<measured_layer>& measured);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/take_measured.ipp>
#endif
