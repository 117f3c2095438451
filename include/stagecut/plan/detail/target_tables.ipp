// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/detail/target_tables.hpp>

#include <cstddef>
#include <string>

#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL std::string megatron_obstacle(std::size_t p, std::size_t, std::size_t m, std::size_t group) {
  if (p == 1) return "several stages on every device, and there is only one device";
  if (m == 0) return "";  // not known
  if (group == 0 || group == p) {
    if (m % p == 0) return "";
    const std::string groups =
        m < p ? std::string() : joined({", or come in groups, for example of ", smallest_group(p, m)});
    return joined({m, " microbatches, and interleaved they must be a multiple of the ", p, " ranks", groups});
  }
  if (group < p || group > m) {
    return joined({"groups of ", group, " microbatches, and it takes from ", p, ", the ranks, to ", m, ", all"});
  }
  if (m % group == 0 || m % group >= p) return "";
  return joined({m, " microbatches in groups of ", group, " leave ", m % group,
                 " over, and the last group must have at least as many as the ", p, " ranks"});
}

STAGECUT_DECL std::string deepspeed_obstacle(std::size_t p, std::size_t, std::size_t m, std::size_t) {
  if (m == 0 || m >= 2 * p) return "";
  return joined({m, " microbatches, and DualPipeV needs at least two for each of the ", p, " ranks: ", 2 * p});
}

STAGECUT_DECL std::string sapp_obstacle(std::size_t p, std::size_t, std::size_t, std::size_t group) {
  if (group == 0 || group == p) return "";
  return joined({"groups of ", group, " microbatches, and it has groups of as many as the ", p, " ranks"});
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
