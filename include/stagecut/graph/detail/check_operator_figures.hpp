// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/engine/tick_scale.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Refuses a figure that is negative or not finite; `place()` is whose.
template <class Place>
void check_operator_figure(const Place& place, const char* name, double value) {
  if (is_finite(value) && !is_negative(value)) return;
  fail(invalid_input(place(), joined({name, " = ", std::to_string(value), ", must be finite and not negative"})));
}

/// Refuses figures that are negative or not finite, and shared parameters of operators that there are not.
STAGECUT_DECL void check_operator_figures(const operator_graph& graph);

/// The largest power of two p for which `sum * 2^p` stays below 2^60: what a tick is the inverse of.
[[nodiscard]] STAGECUT_DECL engine::tick_scale tick_scale_of(double sum);

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/check_operator_figures.ipp>
#endif
