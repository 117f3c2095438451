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

/// The tensor-parallel degrees, among those given, with which the model can run.
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> possible_ways(const architecture& a, training r,
                                                                   const std::vector<std::size_t>& ways);

/// The profile of a model whose layers run on one device or on several: see `profile`. Each layer has a sharding for
/// every tensor-parallel degree, named after it, `tp8`, and one more for each of its recomputations, `tp8+full`.
///
/// @param ways  tensor-parallel degrees; 1 stands for the layers themselves
/// @return      a sharding's output is the layer's: each device of a stage sends its part, and together they send the
///              whole
/// @throws      stagecut::invalid_input as `profile`, for any of the degrees, if `r` itself uses several devices, and if its
///              replicas cannot share the experts without tensor parallelism
STAGECUT_DECL stagecut::profile sharded_profile(const architecture& a, const training& r, const device& on,
                                                const efficiencies& reached, const std::vector<std::size_t>& ways);

}  // namespace stagecut::inline STAGECUT_ABI::transformer

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/sharded_transformer.ipp>
#endif
