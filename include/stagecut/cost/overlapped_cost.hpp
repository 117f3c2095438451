// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>

#include <stagecut/cost/interval_cost.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A cost that is the greatest of three: what the items take, and what each end of the stage takes. Within a bound, it
/// is a monotone cost of a chain that may not be cut at some places.
///
/// Valid expressions, for `m` of type `const M`, beside those of a `staged_cost`:
///   `m.work(stage, first, last)`   monotone in the interval
///   `m.message(boundary, cut)`     of the boundary between the stages `boundary` and `boundary + 1`
///
/// Axiom: for each stage of a partition, `m(stage, first, last)` is the greatest of `work(stage, first, last)`, of
/// `message(stage - 1, first)` if there is a stage before it, and of `message(stage, last)` if there is one behind it.
template <class M>
concept overlapped_cost = staged_cost<M> && requires(const M& m, std::size_t i) {
  { m.work(i, i, i) } -> std::same_as<cost_t<M>>;
  { m.message(i, i) } -> std::same_as<cost_t<M>>;
};

}  // namespace stagecut::inline STAGECUT_ABI
