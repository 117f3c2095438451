// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/memory_curve.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL double bytes_at(const std::vector<double>& values, const schedule& order, const op& each,
                              double otherwise) {
  if (values.empty()) return otherwise;
  return values[values.size() == order.stages() ? each.stage : each.stage * order.microbatches + each.microbatch];
}

STAGECUT_DECL void check_bytes(const schedule& order, const std::vector<double>& values, const char* name,
                               std::size_t each) {
  if (!values.empty() && values.size() != order.stages() && values.size() != order.stages() * each) {
    fail(invalid_input(name,
                       joined({"has ", values.size(), " elements, the schedule has ", order.stages(), " stages"})));
  }
  for (std::size_t s = 0; s < values.size(); ++s) {
    if (is_finite(values[s]) && !is_negative(values[s])) continue;
    fail(invalid_input(joined({name, "[", s, "]"}), "must be finite and not negative"));
  }
}

STAGECUT_DECL void check_peak(std::size_t rank, double bytes) {
  if (!is_finite(bytes)) fail(invalid_input(joined({"rank ", rank}), "holds more bytes than a double can represent"));
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
