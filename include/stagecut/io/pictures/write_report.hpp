// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string_view>

#include <stagecut/core/config.hpp>
#include <stagecut/core/function_ref.hpp>
#include <stagecut/io/pictures/report.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// The files of a page: a skeleton with the placeholders `{{title}}`, `{{style}}`, `{{data}}` and `{{script}}`, once each
/// and in this order, and their contents.
struct report_page {
  std::string_view skeleton{};  ///< HTML
  std::string_view style{};     ///< CSS
  std::string_view script{};    ///< JavaScript, which reads the data
};

/// Writes the data of a report as JSON. The script of the program's page documents its members (examples/cli/report).
///
/// A pass takes about 60 bytes, and so does a message.
///
/// @param write  receives the text in consecutive parts, and none if the report is rejected
/// @throws       argument_error if the parts of a picture contradict each other, for cuts of other layers, and for values
///               that are NaN, infinite or negative; whatever `write` throws
STAGECUT_DECL void write_report_data(const report& all, function_ref<void(std::string_view)> write);

/// Writes a report as one page of HTML, which loads nothing from the network.
///
/// @param page   the files around the data
/// @param write  receives the text in consecutive parts, and none if the report or the page is rejected
/// @throws       argument_error as `write_report_data`, and for a skeleton without those placeholders
STAGECUT_DECL void write_report(const report& all, const report_page& page, function_ref<void(std::string_view)> write);

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/write_report.ipp>
#endif
