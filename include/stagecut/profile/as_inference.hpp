// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The same layers in inference: the profile without its backward passes.
///
/// @param model  any profile; an inference profile is returned as it is
/// @return       `inference` is true. No layer has a backward pass, a gradient, an optimizer state (`resident` is unset)
///               or recomputation. Activations keep the profile's values: in inference, what is kept for a group of
///               requests from token to token
///
/// O(n).
[[nodiscard]] STAGECUT_DECL profile as_inference(profile model);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/as_inference.ipp>
#endif
