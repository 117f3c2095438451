// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/schedule/op.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// The meaning of the letters in PyTorch's schedules.
enum class torch_letters : std::uint8_t {
  current,  ///< I the gradient of the input, W the gradient of the parameters, B both
  old       ///< B the gradient of the input, W the gradient of the parameters, BW both: up to about PyTorch 2.5
};

namespace detail {

inline constexpr std::string_view old_letters =
    "older versions of PyTorch wrote B for I and BW for B; such a file is read with torch_letters::old";

/// The kind of op for a word; false if there is none.
STAGECUT_DECL bool torch_kind(std::string_view word, torch_letters letters, op_kind& kind);

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/torch_letters.ipp>
#endif
