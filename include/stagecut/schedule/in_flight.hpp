// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>

namespace stagecut::inline v0 {

/// A schedule that is told by how many microbatches each stage lets in before their backward passes take turns with
/// forward passes.
enum class schedule_kind : std::uint8_t {
  gpipe,                    ///< all forward passes, then all backward passes (Huang et al., NeurIPS 2019)
  one_forward_one_backward  ///< 1F1B, PipeDream-Flush, DAPPLE: a stage keeps no more than there are stages from it on
};

/// The name of a schedule, as it is given on a command line and written to plans.
[[nodiscard]] constexpr const char* to_string(schedule_kind kind) noexcept {
  return kind == schedule_kind::gpipe ? "gpipe" : "1f1b";
}

/// The most microbatches whose activations each stage holds at a time.
///
/// @param kind          the schedule
/// @param stages        number of stages p, each on a device of its own
/// @param microbatches  of one iteration, m; 0: not known, as many as the schedule ever needs
/// @return              for every stage s: m under GPipe, min(p - s, m) under 1F1B
/// @throws              argument_error for GPipe with no number of microbatches, whose need has no limit
[[nodiscard]] inline std::vector<std::size_t> microbatches_in_flight(schedule_kind kind, std::size_t stages,
                                                                     std::size_t microbatches) {
  if (kind == schedule_kind::gpipe && microbatches == 0) {
    detail::fail(argument_error("microbatches_in_flight", "microbatches", "0",
                                "must be known: GPipe keeps all of them in flight"));
  }
  std::vector<std::size_t> result(stages, microbatches);
  for (std::size_t s = 0; s < stages && kind == schedule_kind::one_forward_one_backward; ++s) {
    result[s] = microbatches != 0 && microbatches < stages - s ? microbatches : stages - s;
  }
  return result;
}

}  // namespace stagecut::inline v0
