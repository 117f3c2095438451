// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/efficiencies.hpp>

#include <string>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

namespace detail {

/// The range of a constant.
struct efficiency_range {
  double efficiencies::*field;
  bool zero;         ///< whether it may be 0
  double most;       ///< 0: any
  const char* text;  ///< for errors
};

inline constexpr efficiency_range efficiency_ranges[] = {
    {&efficiencies::gemm, false, 2, "is not above 0 and at most 2"},
    {&efficiencies::power, false, 2, "is not above 0 and at most 2"},
    {&efficiencies::network, false, 2, "is not above 0 and at most 2"},
    {&efficiencies::link, false, 2, "is not above 0 and at most 2"},
    {&efficiencies::memory, false, 2, "is not above 0 and at most 2"},
    {&efficiencies::attention, false, 2, "is not above 0 and at most 2"},
    {&efficiencies::backward, false, 2, "is not above 0 and at most 2"},
    {&efficiencies::hidden, true, 1, "is not from 0 to 1"},
    {&efficiencies::tail, true, 1, "is not from 0 to 1"},
    {&efficiencies::mxfp8, false, 2, "is not above 0 and at most 2"},
    {&efficiencies::expert_tokens, true, 1e6, "is not from 0 to a million"},
    {&efficiencies::expert_bytes, true, 100, "is not from 0 to 100"},
    {&efficiencies::dispatch_rate, false, 0, "is not above 0"},
    {&efficiencies::dispatch_hidden, true, 1, "is not from 0 to 1"},
    {&efficiencies::launch, true, 1, "is not from 0 to 1"},
    {&efficiencies::loop, true, 100, "is not from 0 to 100"},
    {&efficiencies::sync, true, 1, "is not from 0 to 1"}};

}  // namespace detail

STAGECUT_DECL void check(const efficiencies& reached) {
  for (const detail::efficiency_range& range : detail::efficiency_ranges) {
    const double value = reached.*range.field;
    const bool low = range.zero ? is_negative(value) : !(value > 0);
    if (is_finite(value) && !low && (range.most == 0 || value <= range.most)) continue;
    stagecut::detail::fail(
        stagecut::invalid_input(stagecut::detail::joined({"efficiency.", stagecut::name_of(efficiency_names, range.field)}),
                                stagecut::detail::joined({std::to_string(value), " ", range.text})));
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
