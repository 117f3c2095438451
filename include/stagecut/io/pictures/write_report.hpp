// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/io/pictures/report.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// The files of a page: a skeleton with the places `{{title}}`, `{{style}}`, `{{data}}` and `{{script}}`, once each and in this
/// order, and what is put there.
struct report_page {
  std::string_view skeleton{};  ///< HTML
  std::string_view style{};     ///< CSS
  std::string_view script{};    ///< JavaScript, which reads the data
};

/// Writes the data of a report, as JSON. The script of the program's page says what its members are (examples/cli/report).
///
/// A pass takes about 60 bytes, and a message likewise.
///
/// @param write  is given the text in parts, one after the other, and none if the report is refused
/// @throws       argument_error if the parts of a picture do not belong together, for cuts of other layers, and for what is
///               NaN, infinite or negative; whatever `write` throws
STAGECUT_DECL void write_report_data(const report& all, function_ref<void(std::string_view)> write);

/// Writes a report as one page of HTML, which asks nothing of the network.
///
/// @param page   what stands around the data
/// @param write  is given the text in parts, one after the other, and none if the report or the page is refused
/// @throws       argument_error likewise, and for a skeleton without those places
STAGECUT_DECL void write_report(const report& all, const report_page& page, function_ref<void(std::string_view)> write);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/write_report.ipp>
#endif
