// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/read_limits.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

STAGECUT_DECL void refuse_size(std::string_view source, const read_limits& limits) {
  stagecut::detail::fail(invalid_input(
      source, stagecut::detail::joined({"is larger than ", limits.bytes,
                                        " bytes, the most that is read unless --input-limit allows more, in C++ "
                                        "read_limits::bytes"})));
}

STAGECUT_DECL std::string depth_problem(std::size_t depth) {
  return stagecut::detail::joined(
      {"nested deeper than ", depth,
       ", the most that is read unless --input-depth allows more, in C++ read_limits::depth"});
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI::io
