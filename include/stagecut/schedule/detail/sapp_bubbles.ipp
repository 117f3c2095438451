// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/sapp_bubbles.hpp>

#include <cstddef>
#include <string>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/detail/check_shape.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

STAGECUT_DECL double sapp_lost_messages(std::size_t ranks, std::size_t stages_per_rank, std::size_t microbatches) {
  const auto p = static_cast<double>(ranks);
  const auto v = static_cast<double>(stages_per_rank);
  const auto m = static_cast<double>(microbatches);
  const bool even = ranks % 2 == 0;
  if (ranks == 1) return 0;
  if (stages_per_rank == 1) return ranks == 2 ? 4 * m : 4 * p * m + 4 * p * p - (even ? 14 : 12) * p;
  switch (ranks) {
    case 2: return 4 * p * v * m - 2 * p * m;
    case 3: return 6 * p * v * m - 2 * p * m - 6;
    case 4: return 4 * p * v * m + 12;
    case 5: return 6 * p * v * m - 2 * p * m + 40;
    default: break;
  }
  if (even) return 4 * p * v * m + 4 * p * p - 13 * p;
  return 6 * p * v * m - 2 * v * p * p + 4 * v * p - 2 * p * m + 6 * p * p - 16 * p;
}

STAGECUT_DECL double sapp_sum(const char* argument, view<const double> times) {
  double sum = 0;
  for (std::size_t s = 0; s < times.size(); ++s) {
    if (!is_finite(times[s]) || is_negative(times[s])) {
      fail(argument_error("sapp_bubbles_of", joined({argument, "[", s, "]"}), std::to_string(times[s]),
                          "must be finite and not negative"));
    }
    sum += times[s];
  }
  return sum;
}

}  // namespace detail

STAGECUT_DECL sapp_bubbles sapp_bubbles_of(std::size_t ranks, std::size_t stages_per_rank, std::size_t microbatches,
                                           view<const double> forward, view<const double> recomputation,
                                           double makespan, double message) {
  constexpr const char* here = "sapp_bubbles_of";
  detail::check_shape(here, ranks, stages_per_rank, microbatches);
  if (microbatches < ranks) {
    detail::refuse_shape(here, "microbatches", microbatches, "must be at least as many as ranks");
  }
  if (forward.size() != ranks * stages_per_rank) {
    detail::refuse_shape(here, "forward", forward.size(), "must have an element for each stage");
  }
  if (recomputation.size() != 0 && recomputation.size() != forward.size()) {
    detail::refuse_shape(here, "recomputation", recomputation.size(), "must have an element for each stage, or none");
  }
  const auto check = [&](const char* argument, double value) {
    if (is_finite(value) && !is_negative(value)) return;
    detail::fail(argument_error(here, argument, std::to_string(value), "must be finite and not negative"));
  };
  check("makespan", makespan);
  check("message", message);
  const auto p = static_cast<double>(ranks);
  const auto m = static_cast<double>(microbatches);
  const double useful = 3 * m * detail::sapp_sum("forward", forward);
  if (!(useful > 0)) {
    detail::fail(argument_error(here, "forward", "only zeros", "must have a stage that takes time"));
  }
  sapp_bubbles result;
  result.real = (p * makespan - useful) / useful;
  result.ideal = (p - 1) / (static_cast<double>(stages_per_rank) * m);
  result.recomputation = m * detail::sapp_sum("recomputation", recomputation) / useful;
  result.communication = detail::sapp_lost_messages(ranks, stages_per_rank, microbatches) * message / useful;
  result.imbalance = result.real - result.ideal - result.recomputation - result.communication;
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
