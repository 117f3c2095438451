// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/detail/check_shape.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void refuse_shape(std::string_view function, std::string_view argument, std::size_t value,
                                std::string_view requirement) {
  fail(argument_error(function, argument, std::to_string(value), requirement));
}

STAGECUT_DECL void check_shape(std::string_view function, std::size_t ranks, std::size_t stages_per_rank,
                               std::size_t microbatches) {
  if (ranks == 0) refuse_shape(function, "ranks", ranks, "must be at least 1");
  if (stages_per_rank == 0) refuse_shape(function, "stages_per_rank", stages_per_rank, "must be at least 1");
  if (microbatches == 0) refuse_shape(function, "microbatches", microbatches, "must be at least 1");
  constexpr std::size_t most = std::size_t{1} << 28U;
  if (ranks <= most && stages_per_rank <= most / ranks && microbatches <= most / (ranks * stages_per_rank)) return;
  refuse_shape(function, "microbatches", microbatches, "makes more than 2^28 forward passes");
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
