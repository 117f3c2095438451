// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/graph/communication_problem.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Devices for the layers of a model without a pipeline: edges lead to any device.
struct graph_placement {
  communication_partition placement{};   ///< device of each layer, and the bound
  std::vector<placed_device> devices{};  ///< what each holds, receives and sends
  std::string of{};                      ///< the unit of communication: `sent time`, seconds, or `sent bytes`
};

/// See `place_graph`.
struct place_graph_fn {
  /// See `place_graph`.
  [[nodiscard]] outcome<graph_placement> operator()(const profile& model, const plan_request& request) const;
};

/// Places the layers of a model on devices like `minimize_communication` for a placement that is not contiguous. The
/// result is no plan: devices may wait for each other in a cycle, which a pipeline cannot run. `plan_graph` makes a
/// plan from a contiguous placement.
///
/// @param model    a graph; a chain counts as one
/// @param request  `devices`, `imbalance`, `at_most`, one link, `search` and the method `communication`; anything
///                 incompatible is rejected
/// @return         as `minimize_communication`
/// @throws         as `plan_graph`
inline constexpr place_graph_fn place_graph{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/place_graph.ipp>
#endif
