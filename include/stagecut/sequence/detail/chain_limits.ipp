// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/sequence/chain_limits.hpp>

#include <string_view>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL void check_limits(std::string_view function, const chain_limits& limits) {
  if (!limits.time_limit || !is_nan(*limits.time_limit)) return;
  fail(argument_error(function, "limits.time_limit", "NaN", "must be a number"));
}

STAGECUT_DECL bool chain_clock::over(double share) {
  if (over_) return true;
  ++rows_;
  if (limits_.row_limit && rows_ > *limits_.row_limit) return over_ = true;
  return ++asked_ % 16 == 1 && look(share);
}

STAGECUT_DECL bool chain_clock::look(double share) {
  if (limits_.row_limit && rows_ > *limits_.row_limit) over_ = true;
  if (end_.over()) over_ = true;
  if (limits_.progress && end_.is_time_to_report()) limits_.progress({end_.report(), share});
  return over_;
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
