// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/generators/one_forward_one_backward.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/detail/check_shape.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL std::vector<op> one_and_one(view<const op> forward, view<const op> backward, std::size_t warm_up) {
  std::vector<op> result;
  result.reserve(forward.size() + backward.size());
  std::size_t back = 0;
  for (std::size_t i = 0; i < forward.size(); ++i) {
    result.push_back(forward[i]);
    if (i >= warm_up) result.push_back(backward[back++]);
  }
  while (back < backward.size()) result.push_back(backward[back++]);
  return result;
}

STAGECUT_DECL schedule one_stage_a_rank(const char* name, view<const std::size_t> in_flight, std::size_t microbatches) {
  schedule result = empty_schedule(name, loop_placement(in_flight.size(), 1), in_flight.size(), microbatches);
  for (std::size_t r = 0; r < in_flight.size(); ++r) {
    std::vector<op> forward;
    std::vector<op> backward;
    for (std::size_t k = 0; k < microbatches; ++k) {
      forward.push_back({op_kind::forward, r, k});
      backward.push_back({op_kind::backward, r, k});
    }
    result.orders[r] = one_and_one(forward, backward, in_flight[r] - 1);
  }
  return result;
}

STAGECUT_DECL schedule letting_in(const char* name, std::size_t ahead, std::size_t ranks, std::size_t microbatches) {
  std::vector<std::size_t> in_flight(ranks);
  for (std::size_t r = 0; r < ranks; ++r) in_flight[r] = let_in(ahead, ranks, r);
  return one_stage_a_rank(name, in_flight, microbatches);
}

}  // namespace detail

STAGECUT_DECL schedule in_flight_order(view<const std::size_t> in_flight, std::size_t microbatches) {
  if (in_flight.empty()) detail::refuse_shape("in_flight_order", "in_flight.size()", 0, "must be at least 1");
  detail::check_shape("in_flight_order", in_flight.size(), 1, microbatches);
  std::size_t before = microbatches;
  for (std::size_t r = 0; r < in_flight.size(); ++r) {
    const std::size_t here = in_flight[r] < microbatches ? in_flight[r] : microbatches;
    if (here == 0 || here > before) {
      detail::refuse_shape("in_flight_order", detail::joined({"in_flight[", r, "]"}), in_flight[r],
                           here == 0 ? "must be at least 1" : "must not be above the rank before: deadlock");
    }
    before = here;
  }
  return detail::one_stage_a_rank("in-flight", in_flight, microbatches);
}

STAGECUT_DECL schedule one_forward_one_backward(std::size_t ranks, std::size_t microbatches) {
  detail::check_shape("one_forward_one_backward", ranks, 1, microbatches);
  return detail::letting_in("1f1b", 1, ranks, microbatches);
}

STAGECUT_DECL schedule eager_one_forward_one_backward(std::size_t ranks, std::size_t microbatches) {
  detail::check_shape("eager_one_forward_one_backward", ranks, 1, microbatches);
  return detail::letting_in("eager-1f1b", 2, ranks, microbatches);
}

}  // namespace stagecut::inline STAGECUT_ABI
