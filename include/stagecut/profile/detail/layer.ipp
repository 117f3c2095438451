// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/layer.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/cold.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_INSTANCE(cold<std::string>);
STAGECUT_INSTANCE(cold<std::vector<std::size_t>>);
STAGECUT_INSTANCE(cold<std::vector<std::string>>);
STAGECUT_INSTANCE(cold<std::vector<layer_variant>>);
STAGECUT_INSTANCE(cold<std::vector<tied_parameters>>);

}  // namespace stagecut::inline STAGECUT_ABI
