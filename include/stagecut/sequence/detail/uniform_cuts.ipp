// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/sequence/uniform_cuts.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/sequence/chain_partition.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<chain_partition<std::size_t>> uniform_cuts(std::size_t items, std::size_t stages) {
  using answer = outcome<chain_partition<std::size_t>>;
  if (stages == 0) detail::fail(argument_error("uniform_cuts", "stages", "0", "must be at least 1"));
  if (stages > items) return answer::infeasible({reason::cause::more_stages_than_layers, stages, items});
  const std::size_t longer = items % stages;
  std::vector<std::size_t> points{0};
  for (std::size_t s = 0; s < stages; ++s) points.push_back(points.back() + items / stages + (s < longer ? 1 : 0));
  const std::size_t longest = items / stages + (longer != 0 ? 1 : 0);
  return answer::optimal({{longest, longest}, cuts(std::move(points))});
}

}  // namespace stagecut::inline STAGECUT_ABI
