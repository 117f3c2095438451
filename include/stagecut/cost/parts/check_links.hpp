// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/link_speed.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Throws `argument_error` in the name of `function` for the first link of its argument `name` that is negative or not
/// finite.
inline void check_links(std::string_view function, std::string_view name, view<const link_speed> links) {
  for (std::size_t i = 0; i < links.size(); ++i) {
    for (const auto& [part, value] :
         {std::pair("latency", links[i].latency), std::pair("bandwidth", links[i].bandwidth)}) {
      if (is_finite(value) && !is_negative(value)) continue;
      fail(argument_error(function, joined({name, "[", i, "].", part}), std::to_string(value),
                          "must be finite and not negative"));
    }
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
