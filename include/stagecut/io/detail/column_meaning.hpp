// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/io/detail/column_names.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// The meaning of a column's name.
struct column_meaning {
  column what = column::unknown;
  column_unit unit{};          ///< of its numbers; without a word if the name has none
  bool says_unit = false;      ///< whether the name has a unit or says bytes
  bool counts = false;         ///< numbers of parameters, not bytes
  bool calls_it_name = false;  ///< contains our own word: `name`, `kind`
  bool ambiguous = false;      ///< `params_b`: bytes or billions
};

/// The combined meaning of the parts of a name.
[[nodiscard]] constexpr column column_of(std::uint32_t parts) noexcept {
  struct rule {
    column what;
    std::uint32_t needs;
    std::uint32_t takes;  // also possible
  };
  constexpr std::uint32_t timed = part_time | part_pass | part_seconds;
  constexpr std::uint32_t sized = part_size | part_memory | part_bytes;
  constexpr rule rules[] = {
      {column::forward, part_forward, timed},
      {column::backward, part_backward, timed},
      {column::backward_input, part_backward | part_input, part_gradient | timed},
      {column::backward_weight, part_backward | part_weight, part_gradient | part_parameters | timed},
      {column::time, part_time, timed},
      {column::parameters, part_parameters, part_weight | sized},
      {column::parameters, part_parameters | part_count, part_weight},
      {column::parameters, part_weight | part_size, sized},
      {column::parameters, part_weight | part_memory, sized},
      {column::parameters, part_weight | part_bytes, sized},
      {column::resident, part_resident, sized},
      {column::activations, part_activations, sized},
      {column::activations, part_memory, sized},
      {column::output, part_output, part_activations | sized},
      {column::workspace, part_workspace, sized},
      {column::recomputed, part_recomputed, part_activations | sized},
      {column::name, part_name, part_layer},
      {column::name, part_layer, 0},
      {column::kind, part_kind, part_layer},
  };
  for (const rule& each : rules) {
    if ((parts & each.needs) == each.needs && (parts & ~(each.needs | each.takes)) == 0) return each.what;
  }
  return column::unknown;
}

/// The meaning of a name: words in any order, optionally one unit.
[[nodiscard]] inline column_meaning meaning_of(std::string_view name) {
  column_meaning result;
  std::uint32_t parts = part_none;
  std::size_t words = 0;
  for (std::string word = take_word(name); !word.empty(); word = take_word(name)) {
    result.calls_it_name = ++words == 1 && (word == "name" || word == "kind");
    const column_unit* const unit = find_unit(word);
    if (unit == nullptr) {
      const std::uint32_t part = part_of(word);
      if (part == part_other) return {};
      parts |= part;
    } else if (result.unit.word.empty()) {
      result.unit = *unit;
    } else {
      return {};
    }
  }
  if (result.unit.word == "b" && (parts & (part_parameters | part_weight)) != 0 && (parts & part_backward) == 0) {
    if ((parts & part_count) != 0) {
      result.unit = {"b", part_count, 1e9};
    } else {
      result.ambiguous = (parts & (part_size | part_memory)) == 0;
    }
  }
  parts |= result.unit.part;
  result.what = column_of(parts);
  result.says_unit = !result.unit.word.empty() || (parts & (part_size | part_memory)) != 0;
  result.counts = result.what == column::parameters && (parts & part_count) != 0;
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
