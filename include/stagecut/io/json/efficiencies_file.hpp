// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/efficiencies.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// Reads constants of the cost model: a JSON object of names in `efficiency_names` and numbers; a name that is missing keeps
/// its value in `otherwise`.
///
/// @param source  the text's name in errors: its file name
/// @param limits  limits on the input
/// @throws        invalid_input at `SOURCE:LINE` for invalid JSON, else at `SOURCE#POINTER`: an unknown name, and what
///                `check` rejects
[[nodiscard]] STAGECUT_DECL transformer::efficiencies read_efficiencies(
    std::string_view text, std::string_view source, const read_limits& limits = {},
    const transformer::efficiencies& otherwise = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/efficiencies_file.ipp>
#endif
