// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>
#include <stagecut/search/detail/system.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

// Names for compiler errors about calls without a policy.
struct the_first_argument_is_an_execution_policy_of_thrust;

/// The deleted overload of every function of a policy for a call without one, explained in the first lines of a
/// compiler's message.
struct expects_policy {
  template <class Other, class... Rest>
  requires(!thrust_policy<Other>) the_first_argument_is_an_execution_policy_of_thrust  //
  operator()(const Other&, const Rest&...) const = delete;  // thrust::seq, thrust::device: docs/search.md
};

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
