// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/sequence/minimize_variance.hpp>

#include <cstddef>
#include <optional>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/sequence/chain_partition.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL std::optional<outcome<chain_partition<double>>> minimize_variance_fn::too_many(std::size_t items,
                                                                                             std::size_t stages) {
  if (stages == 0) detail::fail(argument_error("minimize_variance", "stages", "0", "must be at least 1"));
  if (stages <= items) return std::nullopt;
  return outcome<chain_partition<double>>::infeasible({reason::cause::more_stages_than_layers, stages, items});
}

}  // namespace stagecut::inline STAGECUT_ABI
