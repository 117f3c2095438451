// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What is left of a profile where nothing goes back: the same layers in inference.
///
/// @param model  any profile; one that is of inference is returned as it is
/// @return       `inference` is true. No layer has a backward pass, no gradient or optimizer stays beside its parameters
///               (`resident` is unset), and nothing can be computed again. Activations are what the profile says: in
///               inference, what is kept of a group of requests from token to token
///
/// O(n).
[[nodiscard]] STAGECUT_DECL profile as_inference(profile model);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/as_inference.ipp>
#endif
