// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/detail/check_shape.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// `warm_up` forward passes, then one more and a backward pass in turn, then the backward passes that are left.
/// @pre as many backward passes as forward passes
[[nodiscard]] inline std::vector<op> one_and_one(view<const op> forward, view<const op> backward, std::size_t warm_up) {
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

/// One stage a rank, with so many microbatches in flight on each.
[[nodiscard]] inline schedule one_stage_a_rank(const char* name, view<const std::size_t> in_flight,
                                               std::size_t microbatches) {
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

/// The microbatches that a rank of 1F1B lets in: one, and `ahead` for each rank behind it.
[[nodiscard]] constexpr std::size_t let_in(std::size_t ahead, std::size_t ranks, std::size_t rank) noexcept {
  return ahead * (ranks - 1 - rank) + 1;
}

/// 1F1B that lets so many in.
[[nodiscard]] inline schedule letting_in(const char* name, std::size_t ahead, std::size_t ranks,
                                         std::size_t microbatches) {
  std::vector<std::size_t> in_flight(ranks);
  for (std::size_t r = 0; r < ranks; ++r) in_flight[r] = let_in(ahead, ranks, r);
  return one_stage_a_rank(name, in_flight, microbatches);
}

}  // namespace detail

/// Every rank lets its own number of microbatches in; then backward and forward passes take turns, first in, first out.
///
/// @param in_flight     N of every rank, at least 1; of length p, at least 1. Those above m count as m, and with that
///                      none may be above that of the rank before, which would wait for it forever
/// @param microbatches  m, at least 1
/// @return              rank r runs N forward passes, then a backward and a forward pass in turn, then what is left
/// @throws              argument_error
///
/// Rank r keeps the activations of min(N, m) microbatches. 1F1B, its eager form and GPipe are those with p - r,
/// 2(p - 1 - r) + 1 and m. Without transfers, for many microbatches, each adds the most of
/// Σ(F + B) / (N[r] - N[k] + 1) over all runs of ranks r..k to the makespan.
///
/// Source: the choice of N by memory is that of Fan et al., DAPPLE, PPoPP 2021.
[[nodiscard]] inline schedule in_flight_order(view<const std::size_t> in_flight, std::size_t microbatches) {
  if (in_flight.empty()) detail::refuse_shape("in_flight_order", "in_flight.size()", 0, "must be at least 1");
  detail::check_shape("in_flight_order", in_flight.size(), 1, microbatches);
  std::size_t before = microbatches;
  for (std::size_t r = 0; r < in_flight.size(); ++r) {
    const std::size_t here = in_flight[r] < microbatches ? in_flight[r] : microbatches;
    if (here == 0 || here > before) {
      detail::refuse_shape("in_flight_order", detail::joined({"in_flight[", r, "]"}), in_flight[r],
                           here == 0 ? "must be at least 1" : "must not be above that of the rank before: deadlock");
    }
    before = here;
  }
  return detail::one_stage_a_rank("in-flight", in_flight, microbatches);
}

/// 1F1B (PipeDream-Flush, DAPPLE; SageMaker calls it interleaved): a rank lets in what the ranks from it on can hold.
///
/// @param ranks         p, at least 1; each has one stage
/// @param microbatches  m, at least 1
/// @throws              argument_error
///
/// Rank r keeps the activations of min(p - r, m) microbatches. Equal stages take (m + p - 1)(F + B) +
/// 2c((p - 1) + floor((m - 1)(p - 1) / p)), where every transfer takes c.
///
/// Source: Narayanan et al., ICML 2021; Fan et al., PPoPP 2021.
[[nodiscard]] inline schedule one_forward_one_backward(std::size_t ranks, std::size_t microbatches) {
  detail::check_shape("one_forward_one_backward", ranks, 1, microbatches);
  return detail::letting_in("1f1b", 1, ranks, microbatches);
}

/// 1F1B that lets in as many microbatches again, for what they would wait for are transfers.
///
/// @param ranks         p, at least 1; each has one stage
/// @param microbatches  m, at least 1
/// @throws              argument_error
///
/// Rank r keeps the activations of min(2(p - 1 - r) + 1, m) microbatches. Equal stages take
/// (m + p - 1)(F + B) + 2c(p - 1) as long as a transfer's time c is at most (F + B) / 2.
///
/// Source: Fan et al., PPoPP 2021, the second of two policies; Zhuang et al., MLSys 2023.
[[nodiscard]] inline schedule eager_one_forward_one_backward(std::size_t ranks, std::size_t microbatches) {
  detail::check_shape("eager_one_forward_one_backward", ranks, 1, microbatches);
  return detail::letting_in("eager-1f1b", 2, ranks, microbatches);
}

}  // namespace stagecut::inline STAGECUT_ABI
