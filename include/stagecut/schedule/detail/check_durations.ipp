// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/parts/check_durations.hpp>

#include <cstddef>
#include <string_view>

#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void refuse_length(std::string_view name, std::size_t length, std::size_t right) {
  if (length == right) return;
  fail(invalid_input(name, joined({"has ", length, " elements, must have ", right})));
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
