// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/efficiencies.hpp>

#include <cstddef>
#include <string>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

namespace detail {

/// The range of a constant: from 0, or above it.
struct efficiency_range {
  double efficiencies::*field;
  bool zero;    ///< whether it may be 0
  double most;  ///< 0: any
};

inline constexpr efficiency_range efficiency_ranges[] = {{&efficiencies::gemm, false, 2},
                                                         {&efficiencies::power, false, 2},
                                                         {&efficiencies::network, false, 2},
                                                         {&efficiencies::link, false, 2},
                                                         {&efficiencies::memory, false, 2},
                                                         {&efficiencies::attention, false, 2},
                                                         {&efficiencies::backward, false, 2},
                                                         {&efficiencies::hidden, true, 1},
                                                         {&efficiencies::tail, true, 1},
                                                         {&efficiencies::mxfp8, false, 2},
                                                         {&efficiencies::expert_tokens, true, 1e6},
                                                         {&efficiencies::expert_bytes, true, 100},
                                                         {&efficiencies::dispatch_rate, false, 0},
                                                         {&efficiencies::dispatch_hidden, true, 1},
                                                         {&efficiencies::launch, true, 1},
                                                         {&efficiencies::loop, true, 100},
                                                         {&efficiencies::sync, true, 1},
                                                         {&efficiencies::near_latency, true, 1},
                                                         {&efficiencies::far_latency, true, 1},
                                                         {&efficiencies::near_dispatch, true, 1},
                                                         {&efficiencies::far_dispatch, true, 1}};

/// What a constant outside its range is not.
inline std::string outside_text(const efficiency_range& range) {
  if (range.most == 0) return " is not above 0";
  const auto most = static_cast<std::size_t>(range.most);
  using stagecut::detail::joined;
  return range.zero ? joined({" is not from 0 to ", most}) : joined({" is not above 0 and at most ", most});
}

}  // namespace detail

STAGECUT_DECL void check(const efficiencies& reached) {
  for (const detail::efficiency_range& range : detail::efficiency_ranges) {
    const double value = reached.*range.field;
    const bool low = range.zero ? is_negative(value) : !(value > 0);
    if (is_finite(value) && !low && (range.most == 0 || value <= range.most)) continue;
    stagecut::detail::fail(stagecut::invalid_input(
        stagecut::detail::joined({"efficiency.", stagecut::name_of(efficiency_names, range.field)}),
        std::to_string(value) + detail::outside_text(range)));
  }
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
