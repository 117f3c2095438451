// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/cost/item_sums.hpp>
#include <stagecut/profile/dry_runs.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Rejects choices without a name or with a duplicate name.
inline void check_choices(view<const std::string> choices) {
  if (choices.empty()) fail(invalid_input("choices", "there is none"));
  for (std::size_t c = 0; c < choices.size(); ++c) {
    for (std::size_t before = 0; before < c; ++before) {
      if (choices[before] == choices[c]) fail(invalid_input("choices", in_quotes(choices[c]) + " is there twice"));
    }
  }
}

/// Rejects invalid runs.
inline void check_peaks(const dry_runs& runs) {
  const auto refuse = [](std::size_t i, std::string_view name, double value) {
    const std::string shown = is_nan(value) ? "NaN" : number_text(value);
    fail(invalid_input(joined({"peak ", i}), joined({name, " = ", shown, ", must be finite and not negative"})));
  };
  check_choices(runs.choices);
  if (runs.peaks.empty()) fail(invalid_input("peaks", "there is none"));
  for (std::size_t i = 0; i < runs.peaks.size(); ++i) {
    const rank_peak& peak = runs.peaks[i];
    if (!is_finite(peak.bytes) || is_negative(peak.bytes)) refuse(i, "bytes", peak.bytes);
    if (peak.kept.size() != runs.choices.size()) {
      fail(invalid_input(joined({"peak ", i}), joined({"kept has the size ", peak.kept.size(), ", and there are ",
                                                       runs.choices.size(), " choices"})));
    }
    for (std::size_t c = 0; c < peak.kept.size(); ++c) {
      if (!is_finite(peak.kept[c]) || is_negative(peak.kept[c])) refuse(i, joined({"kept[", c, "]"}), peak.kept[c]);
      if (peak.layers > 0 || !(peak.kept[c] > 0)) continue;
      fail(invalid_input(joined({"peak ", i}), "activations are kept where there is no layer"));
    }
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
