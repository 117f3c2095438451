// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/cost/pipeline_model.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL item_times::item_times(std::vector<double> forward, std::vector<double> backward,
                                     std::vector<double> weight, std::vector<double> sent)
    : forward_(std::move(forward)), backward_(std::move(backward)), weight_(std::move(weight)), sent_(std::move(sent)) {
  check("forward", forward_, false);
  check("backward", backward_, false);
  check("weight", weight_, true);
  check("sent", sent_, true);
  for (std::size_t i = 0; i < weight_.size(); ++i) {
    if (weight_[i] <= backward_[i]) continue;
    detail::fail(invalid_input(detail::joined({"weight[", i, "]"}), "is above the whole backward pass"));
  }
}

STAGECUT_DECL void item_times::check(const char* name, const std::vector<double>& values, bool may_be_empty) const {
  if (values.size() != forward_.size() && !(may_be_empty && values.empty())) {
    detail::fail(
        invalid_input(name, detail::joined({"has ", values.size(), " elements, forward has ", forward_.size()})));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (is_finite(values[i]) && !is_negative(values[i])) continue;
    detail::fail(invalid_input(detail::joined({name, "[", i, "]"}), "must be finite and not negative"));
  }
}

STAGECUT_DECL split_item_times::split_item_times(std::vector<double> forward, std::vector<double> backward,
                                                 std::vector<double> input, std::vector<double> weight,
                                                 std::vector<double> sent)
    : item_times(std::move(forward), std::move(backward), {}, std::move(sent)),
      input_(std::move(input)),
      weight_(std::move(weight)) {
  check("input", input_, false);
  check("weight", weight_, false);
}

}  // namespace stagecut::inline STAGECUT_ABI
