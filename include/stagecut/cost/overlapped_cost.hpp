// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>

#include <stagecut/cost/interval_cost.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A cost that is the maximum of three: the cost of the items and of each end of the stage. Under a bound, it is
/// equivalent to a monotone cost on a chain with forbidden cuts.
///
/// Valid expressions, for `m` of type `const M`, in addition to those of a `staged_cost`:
///   `m.work(stage, first, last)`   monotone in the interval
///   `m.message(boundary, cut)`     for the boundary between the stages `boundary` and `boundary + 1`
///
/// Axiom: for each stage of a partition, `m(stage, first, last)` is the maximum of `work(stage, first, last)`,
/// `message(stage - 1, first)` if a stage precedes it, and `message(stage, last)` if a stage follows it.
template <class M>
concept overlapped_cost = staged_cost<M> && requires(const M& m, std::size_t i) {
  { m.work(i, i, i) } -> std::same_as<cost_t<M>>;
  { m.message(i, i) } -> std::same_as<cost_t<M>>;
};

}  // namespace stagecut::inline STAGECUT_ABI
