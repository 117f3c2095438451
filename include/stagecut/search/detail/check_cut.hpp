// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <stagecut/core/error.hpp>
#include <stagecut/search/candidate_space.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// The cuts that an evaluator accepts.
struct cut_shape {
  const char* evaluator;
  std::size_t stages;  ///< 0: any number
  std::size_t items;   ///< of the chain
  bool whole;          ///< whether the last point must be its end

  /// Rejects any other candidate.
  /// @throws argument_error
  void check(candidate points) const {
    if (stages == 0 ? points.size() < 2 : points.size() != stages + 1) {
      refuse("points.size()", points.size(),
             stages == 0 ? "must be at least 2"
                         : stagecut::detail::joined({"must be ", stages + 1, ", one more than stages"}));
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i] <= items && (i == 0 || points[i - 1] <= points[i])) continue;
      refuse(stagecut::detail::joined({"points[", i, "]"}), points[i],
             stagecut::detail::joined({"must not fall, nor lie beyond the ", items, " items"}));
    }
    const std::size_t last = points.size() - 1;
    if (whole && points[0] != 0) refuse("points[0]", points[0], "must be 0");
    if (whole && points[last] != items) {
      refuse(stagecut::detail::joined({"points[", last, "]"}), points[last],
             stagecut::detail::joined({"must be the number of items, ", items}));
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& what, std::size_t value, const std::string& requirement) const {
    stagecut::detail::fail(argument_error(evaluator, what, std::to_string(value), requirement));
  }
};

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
