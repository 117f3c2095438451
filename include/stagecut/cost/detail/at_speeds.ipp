// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/cost/at_speeds.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL stage_speeds::stage_speeds(std::string_view function, std::vector<double> speeds)
    : function_(function), speeds_(std::move(speeds)), said_(true) {
  for (std::size_t s = 0; s < speeds_.size(); ++s) {
    if (is_finite(speeds_[s]) && speeds_[s] > 0) continue;
    fail(argument_error(function, joined({"speeds[", s, "]"}), std::to_string(speeds_[s]),
                        "must be finite and above 0"));
  }
}

STAGECUT_DECL double stage_speeds::operator()(double work, std::size_t stage) const {
  if (!said_) return work;
  if (stage >= speeds_.size()) {
    fail(argument_error(function_, "speeds.size()", std::to_string(speeds_.size()),
                        joined({"must be the number of stages, above ", stage})));
  }
  return as_computed(work / as_computed(speeds_[stage]));
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
