// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/generators/interleaved.hpp>

#include <cstddef>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/schedule/detail/check_shape.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL void check_group(std::string_view function, std::size_t ranks, std::size_t microbatches,
                               std::size_t group) {
  if (fits_group(ranks, microbatches, group)) return;
  const auto least = joined({"must be at least the number of ranks, ", ranks});
  if (microbatches < ranks) refuse_shape(function, "microbatches", microbatches, least);
  if (group < ranks) refuse_shape(function, "group", group, least);
  if (group > microbatches) {
    refuse_shape(function, "group", group, joined({"must be at most the number of microbatches, ", microbatches}));
  }
  const std::size_t rest = microbatches % group;
  refuse_shape(
      function, "microbatches", microbatches,
      joined({"must be a multiple of the group, ", group, ", or leave at least ", ranks, ", the ranks, not ", rest}));
}

}  // namespace detail

STAGECUT_DECL schedule interleaved_one_forward_one_backward(std::size_t ranks, std::size_t stages_per_rank,
                                                            std::size_t microbatches, std::size_t group) {
  constexpr const char* function = "interleaved_one_forward_one_backward";
  detail::check_shape(function, ranks, stages_per_rank, microbatches);
  if (group == 0) group = ranks;
  if (stages_per_rank > 1) detail::check_group(function, ranks, microbatches, group);
  return detail::grouped_schedule("interleaved", ranks, stages_per_rank, microbatches, group, group, [&](std::size_t r) {
    return stages_per_rank == 1 ? ranks - 1 - r : 2 * (ranks - 1 - r) + (stages_per_rank - 1) * group;
  });
}

}  // namespace stagecut::inline STAGECUT_ABI
