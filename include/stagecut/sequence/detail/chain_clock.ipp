// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/sequence/parts/chain_clock.hpp>

#include <string_view>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/search_end.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL void check_limits(std::string_view function, const search_options& options) {
  if (!options.time_limit || !is_nan(*options.time_limit)) return;
  fail(argument_error(function, "search.time_limit", "NaN", "must be a number"));
}

STAGECUT_DECL bool chain_clock::over(double share) {
  if (over_) return true;
  ++rows_;
  if (spent_all()) return true;
  return ++asked_ % 16 == 1 && look(share);
}

STAGECUT_DECL bool chain_clock::spent_all() {
  if (!options_.node_limit || rows_ <= *options_.node_limit) return false;
  record_end(options_.ended, search_end::node_limit);
  return over_ = true;
}

STAGECUT_DECL bool chain_clock::look(double share) {
  if (spent_all() || end_.over()) over_ = true;
  if (options_.progress && end_.is_time_to_report()) options_.progress({.seconds = end_.report(), .share = share});
  return over_;
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
