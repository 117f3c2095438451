// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/generators/backward_first.hpp>

#include <cstddef>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL void check_chain_of_ranks(view<const stage_edge> edges, std::size_t ranks) {
  bool chain = edges.size() == 0 || edges.size() + 1 == ranks;
  for (std::size_t e = 0; e < edges.size(); ++e) chain = chain && edges[e] == stage_edge{e, e + 1};
  if (chain) return;
  fail(argument_error("backward_first", "edges", joined({edges.size(), " edges"}),
                      "must be those of a chain, from each stage to the next and no others"));
}

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI
