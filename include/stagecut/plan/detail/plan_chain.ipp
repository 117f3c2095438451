// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan_chain.hpp>

#include <stagecut/plan/detail/plan_stages.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL outcome<plan> plan_chain_fn::operator()(const profile& model, const plan_request& request) const {
  return detail::plan_stages("plan_chain", model, request);
}

}  // namespace stagecut::inline STAGECUT_ABI
