// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <limits>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/orders/detail/mixed_orders.hpp>
#include <stagecut/orders/detail/order_bytes.hpp>
#include <stagecut/orders/detail/order_heads.hpp>
#include <stagecut/orders/detail/order_proof.hpp>
#include <stagecut/orders/detail/order_ticks.hpp>
#include <stagecut/orders/detail/schedule_problem.hpp>
#include <stagecut/orders/synthesis_request.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The makespan of `schedule_bound` alone, without limits; infinite if a rank cannot hold one microbatch.
template <arithmetic T>
[[nodiscard]] T order_makespan_bound(const pass_times<T>& times, const transfer_times<T>& transfers,
                                     const synthesis_request& request) {
  schedule_problem problem = placed_problem(times.forward.size(), request);
  const order_bytes bytes(request, problem);
  const order_ticks<T> ticks(times, transfers, problem);
  if (bytes.shortage()) return std::numeric_limits<T>::infinity();
  problem = least_problem(problem);
  order_heads heads(problem, precedence_of(problem));
  heads.settle();
  return ticks.time(heads.bound());
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
