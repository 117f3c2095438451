// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/arithmetic.hpp>

#include <limits>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

template <integer T>
inline constexpr T greatest_integer = std::numeric_limits<T>::max();

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
