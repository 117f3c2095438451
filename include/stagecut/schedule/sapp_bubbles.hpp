// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/schedule/detail/check_shape.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Why a pipeline stands still, as SAPP tells it: device time that was not useful, for each unit that was.
///
/// Not shares of the whole: a part may exceed 1. real = ideal + imbalance + recomputation + communication.
struct sapp_bubbles {
  double real = 0;           ///< all of it
  double ideal = 0;          ///< what filling and draining takes if all stages take the same time
  double imbalance = 0;      ///< what the other parts leave; below 0 where they explain more than there is
  double recomputation = 0;  ///< forward passes that backward passes run once more
  double communication = 0;  ///< an estimate from the shape of the schedule and the time of a message

  /// Equal in every part.
  friend bool operator==(const sapp_bubbles&, const sapp_bubbles&) = default;
};

namespace detail {

/// How many messages' time SAPP expects all ranks together to lose.
[[nodiscard]] inline double sapp_lost_messages(std::size_t ranks, std::size_t chunks, std::size_t microbatches) {
  const auto p = static_cast<double>(ranks);
  const auto v = static_cast<double>(chunks);
  const auto m = static_cast<double>(microbatches);
  const bool even = ranks % 2 == 0;
  if (ranks == 1) return 0;
  if (chunks == 1) return ranks == 2 ? 4 * m : 4 * p * m + 4 * p * p - (even ? 14 : 12) * p;
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

/// A sum of times, each of which must be a figure and not below 0.
[[nodiscard]] inline double sapp_sum(const char* argument, view<const double> times) {
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

/// Divides the bubbles of an iteration by their cause, as the simulator of SAPP does.
///
/// @param ranks          p, at least 1
/// @param chunks         v, stages of each rank, at least 1
/// @param microbatches   m, at least p
/// @param forward        F of every stage, of length p v; not all 0; backward passes count twice that as useful
/// @param recomputation  what B of every stage takes beyond 2 F, of length p v; or empty: nothing
/// @param makespan       of the iteration, simulated or measured
/// @param message        time of a message between neighbouring ranks; 0: the makespan knows no transfers
/// @return               the parts, over the useful time U = 3 m ΣF: (p makespan - U) / U, (p - 1) / (v m), m ΣR / U,
///                       and for transfers a polynomial in p, v and m times message / U
/// @throws               argument_error
///
/// A sole rank loses nothing to transfers, of which SAPP's polynomials know nothing. O(p v).
///
/// Source: the pipeline balance tool of MindSpore Transformers (SAPP), without the 1e-10 that it adds to `imbalance`.
[[nodiscard]] inline sapp_bubbles sapp_bubbles_of(std::size_t ranks, std::size_t chunks, std::size_t microbatches,
                                                  view<const double> forward, view<const double> recomputation,
                                                  double makespan, double message = 0) {
  constexpr const char* here = "sapp_bubbles_of";
  detail::check_shape(here, ranks, chunks, microbatches);
  if (microbatches < ranks) {
    detail::refuse_shape(here, "microbatches", microbatches, "must be at least as many as ranks");
  }
  if (forward.size() != ranks * chunks) {
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
  result.ideal = (p - 1) / (static_cast<double>(chunks) * m);
  result.recomputation = m * detail::sapp_sum("recomputation", recomputation) / useful;
  result.communication = detail::sapp_lost_messages(ranks, chunks, microbatches) * message / useful;
  result.imbalance = result.real - result.ideal - result.recomputation - result.communication;
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
