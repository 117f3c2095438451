// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/file_schema.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "options/did_you_mean.hpp"
#include "output/output.hpp"

// What a user should know of a file that was read: that its schema is an earlier one, and which names may be misspelt.

/// Prints that a file is of an earlier schema.
inline void say_former_schema(std::string_view text, const std::string& source) {
  const std::string_view schema = stagecut::io::schema_of(text);
  if (!stagecut::io::is_former_schema(schema)) return;
  say(fmt::format("{}: is of {}, written by stagecut before 0.2: old names are read until 0.3", source, schema));
}

/// Prints the unknown members of a plan or a profile that resemble known ones: each name once, and no more than three.
template <class PlanOrProfile>
void say_misspelt(const std::string& source, const PlanOrProfile& read) {
  constexpr std::size_t most = 3;
  std::vector<std::string> names;
  for (const auto& member : stagecut::io::unknown_members(read)) {
    if (std::find(names.begin(), names.end(), member.name) != names.end()) continue;
    const std::string guess = did_you_mean(member.name, {member.known.begin(), member.known.end()});
    if (guess.empty()) continue;
    names.push_back(member.name);
    if (names.size() > most) return say(fmt::format("{}: has more names that are not known", source));
    say(fmt::format("{}#{}: is not known, and kept{}", source, member.pointer, guess));
  }
}

/// Both, for a text from which a plan or a profile was read. A profile in a format of others has neither.
template <class PlanOrProfile>
void say_file_notes(std::string_view text, const std::string& source, const PlanOrProfile& read) {
  if (stagecut::io::schema_of(text).empty()) return;
  say_former_schema(text, source);
  say_misspelt(source, read);
}
