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

/// Devices for the layers of a model that are no pipeline: edges lead to any of them.
struct graph_placement {
  communication_partition placement{};   ///< the device of every layer, and what is proved
  std::vector<placed_device> devices{};  ///< what each holds and hands over
  std::string of{};                      ///< what is handed over: `sent time`, seconds, or `sent bytes`
};

/// See `place_graph`.
struct place_graph_fn {
  /// See `place_graph`.
  [[nodiscard]] outcome<graph_placement> operator()(const profile& model, const plan_request& request) const;
};

/// Places the layers of a model on devices as `minimize_communication` does where the placement is not contiguous. It
/// is no plan: devices may wait for each other in a circle, which a pipeline cannot run. `plan_graph` makes a plan of a
/// contiguous placement.
///
/// @param model    a graph; a chain is one, too
/// @param request  `devices`, `imbalance`, `at_most`, one link, `limits` and the method `communication`; what does not
///                 go with that is refused
/// @return         as `minimize_communication`
/// @throws         as `plan_graph`
inline constexpr place_graph_fn place_graph{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/place_graph.ipp>
#endif
