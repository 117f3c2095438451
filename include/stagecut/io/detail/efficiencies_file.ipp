// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/efficiencies_file.hpp>

#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/profile/efficiencies.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

STAGECUT_DECL transformer::efficiencies read_efficiencies(std::string_view text, std::string_view source,
                                                          const read_limits& limits,
                                                          const transformer::efficiencies& otherwise) {
  const auto parsed = detail::parse_json(text, source, limits);
  const detail::json_value whole(parsed, source, limits);
  std::vector<std::string_view> names;
  for (const auto& [name, field] : transformer::efficiency_names) names.emplace_back(name);
  whole.object().only(names);
  transformer::efficiencies made = otherwise;
  for (const auto& [name, field] : transformer::efficiency_names) {
    if (const auto found = whole.find(name)) made.*field = found->amount();
  }
  try {
    transformer::check(made);
  } catch (const invalid_input& error) {
    stagecut::detail::fail(invalid_input(stagecut::detail::joined({source, "#/", error.place().substr(11)}),
                                         std::string_view(error.what()).substr(error.place().size() + 2)));
  }
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
