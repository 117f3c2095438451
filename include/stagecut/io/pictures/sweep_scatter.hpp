// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/plan/sweep_row.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// How the rows of a sweep are drawn. What is not said stays at its default.
struct scatter_options {
  std::string title = "Time and memory";  ///< above the picture
  bool seconds = true;                    ///< whether times are seconds; else they have no unit
  std::optional<double> memory_limit{};   ///< bytes of a device, drawn as a line; unset: none
};

/// The rows of a sweep as one SVG file, without scripts or anything from elsewhere: a point for each row with a plan, its
/// memory to the right, its time upwards, the colour that of its schedule; what it is stands in its tooltip. The rows of the
/// Pareto front are larger, and a line with steps joins them: nothing that was found lies below it or at its left.
///
/// @param rows     those without a plan have no point; the front is that of `on_front`
/// @param options  the title and what is known beside the rows
/// @throws         argument_error for a time or memory that is negative or not finite
[[nodiscard]] STAGECUT_DECL std::string sweep_scatter(view<const sweep_row> rows, const scatter_options& options = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/sweep_scatter.ipp>
#endif
