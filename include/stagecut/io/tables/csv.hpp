// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/io/table_options.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// Whether a line begins a table or a plain list.
[[nodiscard]] STAGECUT_DECL bool begins_csv(std::string_view line);

}  // namespace detail

/// Reads a profile from comma-separated values, one layer per line; skips blank lines.
///
/// @param text     the content: either a plain list of weights (one number per line, with the header `time` or none), or
///                 a table with a header that names its columns in any order, at least one of them a figure of layers
/// @param source   its name in errors
/// @param limits   limits on the input
/// @param options  bytes per parameter, and where assumptions are noted
/// @return         the layers in the order of the lines. For a plain list, each weight is the forward time of a layer
///                 named by its number from 0, with `weights_only`
/// @throws         invalid_input with `SOURCE:LINE`, the field and its value; with `SOURCE` beyond the limit;
///                 argument_error if the bytes per parameter are not finite and above 0
///
/// Columns are those that `as_csv` writes, and `backward_input`, `backward_weight`, `workspace`, `recomputed` and
/// `resident`, also under other names and in other units (`Fwd time (ms)`, `mem_mib`, `# params`): docs/profiles.md lists
/// them. Missing columns are 0 or empty, a missing name is the layer's number; a time without a pass is the forward time;
/// other columns are ignored, and noted. Semicolons or tabs separate fields if they give more known columns in the header
/// than commas. If the header names no unit, fields may (`12 MB`).
///
/// Uses memory only for the profile and one line.
[[nodiscard]] STAGECUT_DECL profile parse_csv(std::string_view text, std::string_view source,
                                              const read_limits& limits = {}, const table_options& options = {});

namespace detail {

/// A field of a CSV, quoted if needed. A line feed, which would end the line even in quotes, becomes a space.
STAGECUT_DECL std::string csv_field(std::string_view text);

/// The shortest text that reads back as the same number.
STAGECUT_DECL std::string csv_number(double value);

}  // namespace detail

/// Writes the layers of a profile as comma-separated values that `parse_csv` reads: for a profile of weights the plain
/// list, the time of each layer under `time`; for any other the columns.
///
/// Shared parameters count in the first layer that has them. Omits all other fields: see `as_json`. Numbers read back bit
/// for bit; a line break in a text becomes a space.
///
/// @throws argument_error for a graph or a module tree
[[nodiscard]] STAGECUT_DECL std::string as_csv(const profile& model);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/csv.ipp>
#endif
