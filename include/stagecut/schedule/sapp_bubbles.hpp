// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The bubbles of a pipeline in SAPP's terms: device time that was not useful, per unit of useful time.
///
/// Not shares of the whole: a part may exceed 1. real = ideal + imbalance + recomputation + communication.
struct sapp_bubbles {
  double real = 0;           ///< the total
  double ideal = 0;          ///< filling and draining if all stages take the same time
  double imbalance = 0;      ///< the remainder; below 0 if the other parts exceed the total
  double recomputation = 0;  ///< forward passes that backward passes repeat
  double communication = 0;  ///< an estimate from the shape of the schedule and the time of a message

  /// Equality of all members.
  friend bool operator==(const sapp_bubbles&, const sapp_bubbles&) = default;
};

namespace detail {

/// The number of message times that SAPP expects all ranks together to lose.
[[nodiscard]] STAGECUT_DECL double sapp_lost_messages(std::size_t ranks, std::size_t stages_per_rank,
                                                      std::size_t microbatches);

/// Sums times; each must be finite and not below 0.
[[nodiscard]] STAGECUT_DECL double sapp_sum(const char* argument, view<const double> times);

}  // namespace detail

/// Splits the bubbles of an iteration by cause, as the simulator of SAPP does.
///
/// @param ranks          p, at least 1
/// @param stages_per_rank v, stages per rank, at least 1
/// @param microbatches   m, at least p
/// @param forward        F of every stage, of length p v; not all 0; backward passes count twice that as useful
/// @param recomputation  the time of B beyond 2 F, per stage, of length p v; or empty: nothing
/// @param makespan       of the iteration, simulated or measured
/// @param message        time of a message between neighbouring ranks; 0: the makespan has no transfers
/// @return               the parts, over the useful time U = 3 m ΣF: (p makespan - U) / U, (p - 1) / (v m), m ΣR / U,
///                       and for transfers a polynomial in p, v and m times message / U
/// @throws               argument_error
///
/// A single rank loses nothing to transfers, a case that SAPP's polynomials do not cover. O(p v).
///
/// Source: the pipeline balance tool of MindSpore Transformers (SAPP), without the 1e-10 that it adds to `imbalance`.
[[nodiscard]] STAGECUT_DECL sapp_bubbles sapp_bubbles_of(std::size_t ranks, std::size_t stages_per_rank,
                                                         std::size_t microbatches, view<const double> forward,
                                                         view<const double> recomputation, double makespan,
                                                         double message = 0);

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/schedule/detail/sapp_bubbles.ipp>
#endif
