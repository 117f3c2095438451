// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/parts/each_tie.hpp>

#include <cstddef>
#include <string_view>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL std::size_t name_numbers::operator()(std::string_view name) {
  const std::size_t hash = std::hash<std::string_view>()(name);
  std::size_t at = hash & (slots_.size() - 1);
  for (; slots_[at].number != 0; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].hash == hash && names_[slots_[at].number - 1] == name) return slots_[at].number - 1;
  }
  names_.push_back(name);
  slots_[at] = {hash, names_.size()};
  return names_.size() - 1;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
