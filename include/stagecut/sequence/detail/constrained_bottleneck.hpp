// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/cost/constraint.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/sequence/detail/probe.hpp>
#include <stagecut/sequence/detail/rightmost_end.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A chain with costs from the user's function, and a constraint on its stages.
template <class Model, class Constraint>
struct constrained_chain {
  using model_type = Model;
  using cost_type = cost_t<Model>;

  const Model& model;
  const Constraint& allowed;

  [[nodiscard]] std::size_t at(std::size_t item) const { return item; }
  [[nodiscard]] cost_type cost(std::size_t first, std::size_t last) const { return model(first, last); }
};

/// The possible starts of the stages of a constrained chain, within a bound.
struct stage_beginnings {
  std::vector<std::size_t> highest;  ///< of length k + 1: no stage starts further right
  /// [s][d]: for stage s from `highest[s] - d` on, the nearest end from which the later stages can continue; 0: none
  std::vector<std::vector<std::size_t>> end;
  std::vector<std::size_t> cut;  ///< of length k + 1; the cut points of the last success

  stage_beginnings(std::size_t items, std::size_t stages);
  [[nodiscard]] std::size_t stages() const { return cut.size() - 1; }
  [[nodiscard]] std::size_t items() const { return cut.back(); }
};

/// The nearest end of stage s in `last` to `rightmost` from which the later stages can continue, if the items from
/// `first` on are an allowed stage `within` a bound; 0: none.
template <class Model, class Constraint, class Within>
[[nodiscard]] std::size_t nearest_end(const constrained_chain<Model, Constraint>& chain, std::size_t s,
                                      std::size_t first, std::size_t last, const stage_beginnings& where,
                                      const Within& within) {
  const std::size_t rightmost = where.highest[s + 1];
  const auto& behind = where.end[s + 1];
  for (; last <= rightmost; ++last) {
    if (rightmost - last >= behind.size() || behind[rightmost - last] == 0) continue;
    if (!within(first, last)) break;
    const bool may = chain.allowed(s, first, last);
    if (may) return last;
    if (detail::hopeless(chain.allowed, s, first, last, may)) break;
  }
  return 0;
}

/// Whether a chain can be cut into k non-empty allowed stages that cost at most `bound` each. Computes from the end of
/// the chain, for each stage, all starts from which the later stages can continue. `where.cut` holds the
/// lexicographically smallest cut points of a success. As the other `probe`, except that `enough` is an upper bound on
/// all relevant costs above `bound`.
///
/// Exact for a monotone cost under any constraint (docs/chains.md, "How far stages reach" and "Anything else"). Usually
/// O(k) calls of cost and constraint for each item in the window of a cut point; O(k n w) if the constraint forbids many
/// intervals without reporting them as hopeless.
template <class Model, class Constraint, class Cost = cost_t<Model>>
[[nodiscard]] verdict<Cost> probe(const constrained_chain<Model, Constraint>& chain, const Cost& bound, Cost least,
                                  Cost enough, stage_beginnings& where) {
  Cost& next = enough;  // smallest cost above the bound that would make a difference
  const std::size_t stages = where.stages();
  const std::size_t items = where.items();
  const auto within = [&](std::size_t first, std::size_t last) {
    Cost here = chain.cost(first, last);
    if (here <= bound) return true;
    detail::lower_to(next, std::move(here));
    return false;
  };
  where.highest[0] = 0;
  for (std::size_t s = 0; s + 1 < stages; ++s) {
    const std::size_t first = where.highest[s];
    where.highest[s + 1] = detail::rightmost_end(first + 1, items - (stages - 1 - s),
                                                 [&](std::size_t last) { return within(first, last); });
  }
  std::size_t lowest = items;  // smallest possible start of the next stage
  for (std::size_t s = stages; s-- > 0;) {
    where.end[s].clear();
    std::size_t found = items;
    for (std::size_t first = where.highest[s] + 1; first-- > s;) {
      const std::size_t last = lowest > first ? lowest : first + 1;
      if (!within(first, last)) break;
      const std::size_t chosen = detail::nearest_end(chain, s, first, last, where, within);
      where.end[s].push_back(chosen);
      if (chosen != 0) found = first;
    }
    if (found == items) return {false, std::move(next)};
    lowest = found;
  }
  Cost costliest = std::move(least);
  for (std::size_t s = 0; s < stages; ++s) {
    where.cut[s + 1] = where.end[s][where.highest[s] - where.cut[s]];
    Cost here = chain.cost(where.cut[s], where.cut[s + 1]);
    if (costliest < here) costliest = std::move(here);
  }
  return {true, std::move(costliest)};
}

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/sequence/detail/constrained_bottleneck.ipp>
#endif
