// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// What the vertices of a graph are called in answers: by the ids that their file gave them, where each has one of its
/// own (a member `id`, kept in `unknown_fields`); else by their names, where each has one of its own; else by their
/// numbers.
///
/// @return  one of each layer, no two the same
///
/// O(n log n) for n layers, beside reading their `unknown_fields`.
[[nodiscard]] STAGECUT_DECL std::vector<std::string> vertex_ids(const profile& model);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/vertex_ids.ipp>
#endif
