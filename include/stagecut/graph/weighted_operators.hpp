// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A graph whose operators cost a weighted sum of time and memory instead of their time, each as a share of the whole
/// graph's: the cost of PyTorch's RFC-0022, without messages.
///
/// @param graph        the operators
/// @param time_weight  W of W * time + (1 - W) * memory, where memory is an operator's resident bytes and its
///                     activations of one microbatch; 0.6 in the RFC
/// @return             the same operators, edges and memory; `forward` is the cost, without a unit
/// @throws             argument_error for a weight outside 0 to 1
[[nodiscard]] STAGECUT_DECL operator_graph weighted_operators(operator_graph graph, double time_weight = 0.6);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/weighted_operators.ipp>
#endif
