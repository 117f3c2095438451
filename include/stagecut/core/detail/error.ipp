// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

#include <stagecut/core/visible.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL void text_part::append_to(std::string& text) const {
  if (is_count_) {
    text += std::to_string(count_);
  } else {
    text.append(text_);
  }
}

STAGECUT_DECL std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  while (!text.empty() && result.size() <= 60) result += take_visible(text);
  return result + (text.empty() ? "\"" : "...\"");
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
