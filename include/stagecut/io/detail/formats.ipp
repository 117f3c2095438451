// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/formats.hpp>

#include <string_view>

#include <stagecut/core/words.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL const format* find_format(std::string_view name) { return stagecut::find_name(formats, name); }

}  // namespace stagecut::inline STAGECUT_ABI::io
