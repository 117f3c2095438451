// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/detail/plan_fault.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/text.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

STAGECUT_DECL std::string element_at(std::string_view of, std::size_t i, std::string_view on) {
  return joined({of, "/", number_text(i), on});
}

STAGECUT_DECL plan_fault not_below(std::string pointer, std::size_t value, std::string_view of, std::size_t bound) {
  return {std::move(pointer), number_text(value),
          joined({"is not below the number of ", of, ", ", number_text(bound)})};
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
