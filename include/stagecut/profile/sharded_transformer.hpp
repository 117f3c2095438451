// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/accelerator.hpp>
#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/transformer.hpp>
#include <stagecut/profile/transformer_training.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

/// The numbers of devices, of some, that can share the layers of a model.
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> possible_ways(const architecture& a, training r,
                                                                   const std::vector<std::size_t>& ways);

/// The profile of a model whose layers are run by one device each, or shared by several: see `profile`. Each layer has a
/// sharding for every number of devices, named after it, `tp8`, and for each of its recomputations one more, `tp8+full`.
///
/// @param ways  numbers of devices; 1 stands for the layers themselves
/// @return      outputs of shardings are those of the layer: each of the devices of a stage sends its part, and all of them
///              together the whole
/// @throws      stagecut::invalid_input as `profile`, for any of the ways, and for a training of several devices itself
STAGECUT_DECL stagecut::profile sharded_profile(const architecture& a, const training& r, const device& on,
                                                const efficiencies& reached, const std::vector<std::size_t>& ways);

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/sharded_transformer.ipp>
#endif
