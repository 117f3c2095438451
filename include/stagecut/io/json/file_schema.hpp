// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/profile/profile.hpp>

// What a program can tell its user about a file that was read: an old schema, members that are not known.
namespace stagecut::inline STAGECUT_ABI::io {

/// The schema of a profile or a plan in JSON: `stagecut-plan-3`; empty for any other text. Takes the first member
/// `schema` of the text, without parsing it.
[[nodiscard]] STAGECUT_DECL std::string_view schema_of(std::string_view text);

/// Whether files of a schema are read, but no longer written.
[[nodiscard]] STAGECUT_DECL bool is_former_schema(std::string_view schema);

/// A member of a file that this version does not know, and that is kept in `unknown_fields`: an addition of a later
/// version, of a user, or a misspelt name.
struct unknown_member {
  std::string pointer{};                 ///< its JSON pointer: `/layers/3/foward`
  std::string name{};                    ///< its name: `foward`
  view<const std::string_view> known{};  ///< the names that are known there
};

/// The unknown members of a profile, of its layers and of their variants, in order. O(n) for n layers.
/// @throws invalid_input if a text in `unknown_fields` is not JSON
/// @{
[[nodiscard]] STAGECUT_DECL std::vector<unknown_member> unknown_members(const profile& model);
/// The same for a plan and its profile.
[[nodiscard]] STAGECUT_DECL std::vector<unknown_member> unknown_members(const plan& made);
/// @}

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/file_schema.ipp>
#endif
