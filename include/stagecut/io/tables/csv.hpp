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

/// Reads a profile from comma-separated values, one layer a line, blank lines skipped.
///
/// @param text     the content: either a plain list of weights (one number a line, below the header `time` or none), or
///                 a table below a header that names its columns in any order, at least one of them a figure of layers
/// @param source   what errors call the text
/// @param limits   how much is read
/// @param options  what a count of parameters is worth, and where to note what was taken for granted
/// @return         the layers in the order of the lines; of a plain list, each weight as the forward time of a layer
///                 named by its number from 0, and `weights_only`
/// @throws         invalid_input with `SOURCE:LINE`, the field and its value; with `SOURCE` beyond the limit;
///                 argument_error if the bytes of a parameter are not finite and above 0
///
/// Columns are those that `as_csv` writes, `backward_input`, `backward_weight`, `workspace`, `recomputed` and `resident`, in other
/// words and in other units as well (`Fwd time (ms)`, `mem_mib`, `# params`): docs/profiles.md lists them. What is
/// absent is 0 or empty, a name the number of the layer; a time of no pass is that of the forward one; others are left
/// out, and noted. Semicolons or tabulators separate fields where the header shows it: where they make more known
/// columns of it than commas. Where the header names no unit, fields may (`12 MB`).
///
/// Needs no memory but that of the profile and of a line.
[[nodiscard]] STAGECUT_DECL profile parse_csv(std::string_view text, std::string_view source,
                                              const read_limits& limits = {}, const table_options& options = {});

namespace detail {

/// A field of a CSV, in quotes where it needs them. A line feed would end the line, quoted or not: it becomes a space.
STAGECUT_DECL std::string csv_field(std::string_view text);

/// The shortest text that is read as the same number.
STAGECUT_DECL std::string csv_number(double value);

}  // namespace detail

/// Writes the layers of a profile as comma-separated values, in the form that `parse_csv` reads: of a profile of
/// weights the plain list, the time of each layer, below `time`; of any other the columns.
///
/// Parameters that layers share count in the first of them. All other fields are left out: see `as_json`. Numbers are
/// read back bit for bit; a line break in a text becomes a space.
///
/// @throws argument_error for a graph or a module tree
[[nodiscard]] STAGECUT_DECL std::string as_csv(const profile& model);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/csv.ipp>
#endif
