// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <string>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/plan/sweep_row.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// How to draw the rows of a sweep.
struct scatter_options {
  std::string title = "Time and memory";  ///< above the picture
  bool seconds = true;                    ///< whether times are seconds; else they have no unit
  std::optional<double> memory_limit{};   ///< bytes of a device, drawn as a line; unset: none
};

/// The rows of a sweep as one self-contained SVG file without scripts: a point for each row with a plan, memory on the x
/// axis, time on the y axis, coloured by schedule, with a description as tooltip. Rows on the Pareto front are larger and
/// joined by a step line: nothing that was found lies below or left of it.
///
/// @param rows     rows without a plan have no point; the front is `on_front`'s
/// @param options  title and further facts
/// @throws         argument_error for a time or memory that is negative or not finite
[[nodiscard]] STAGECUT_DECL std::string sweep_scatter(view<const sweep_row> rows, const scatter_options& options = {});

}  // namespace stagecut::inline STAGECUT_ABI::io

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/sweep_scatter.ipp>
#endif
