// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// Names of the vertices of a graph in answers: the ids of their file if all are unique (a member `id`, kept in
/// `unknown_fields`); else their names if all are unique; else their numbers.
///
/// @return  one for each layer, all different
///
/// O(n log n) for n layers, plus reading their `unknown_fields`.
[[nodiscard]] STAGECUT_DECL std::vector<std::string> vertex_ids(const profile& model);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/vertex_ids.ipp>
#endif
