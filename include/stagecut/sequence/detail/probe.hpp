// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/gallop.hpp>
#include <stagecut/cost/interval_cost.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Lowers `value` to `candidate` if that is less.
template <class Cost>
constexpr void lower_to(Cost& value, std::type_identity_t<Cost> candidate) {
  if (candidate < value) value = std::move(candidate);
}

/// A stage with a given end that begins as far left as a bound on its cost allows.
template <class Mark, class Cost>
struct widest_stage {
  Mark first;  ///< its start
  Cost cost;   ///< its cost; above the bound if even the narrowest stage is
};

/// A chain with costs from the user's function.
template <class Model>
struct opaque_chain {
  using model_type = Model;
  using cost_type = cost_t<Model>;
  using mark = std::size_t;

  const Model& model;

  [[nodiscard]] mark at(std::size_t item) const { return item; }
  [[nodiscard]] static std::size_t item(mark m) { return m; }
  [[nodiscard]] cost_type cost(mark first, mark last) const { return model(first, last); }

  /// The stage that ends at `last` and begins in `[lowest, highest]`, likely at `likely`. Lowers `next` to its cost with
  /// one more item, if that start is also in the range.
  [[nodiscard]] widest_stage<mark, cost_type> widest(mark last, const cost_type& bound, std::size_t lowest,
                                                     std::size_t highest, std::size_t likely, cost_type& next) const {
    std::optional<cost_type> narrow;  // the cost from the smallest start that fits
    std::optional<cost_type> wide;    // the cost from the largest start that does not
    const std::size_t first = detail::gallop(lowest, highest, likely, [&](std::size_t begin) {
      cost_type here = model(begin, last);
      const bool fits = here <= bound;
      (fits ? narrow : wide) = std::move(here);
      return fits;
    });
    if (!narrow) narrow = model(first, last);
    if (wide) detail::lower_to(next, *std::move(wide));
    return {first, *std::move(narrow)};
  }
};

/// A chain with costs as differences of prefixes; looks up each cut point's prefix once.
template <additive_cost Model>
struct additive_chain {
  using model_type = Model;
  using cost_type = cost_t<Model>;
  struct mark {
    std::size_t item;
    cost_type prefix;
  };

  const Model& model;

  [[nodiscard]] mark at(std::size_t item) const { return {item, model.prefix(item)}; }
  [[nodiscard]] static std::size_t item(const mark& m) { return m.item; }
  [[nodiscard]] cost_type cost(const mark& first, const mark& last) const {
    return static_cast<cost_type>(detail::difference(last.prefix, first.prefix));
  }

  /// As `opaque_chain::widest`.
  [[nodiscard]] widest_stage<mark, cost_type> widest(const mark& last, cost_type bound, std::size_t lowest,
                                                     std::size_t highest, std::size_t likely, cost_type& next) const {
    const mark first = at(lower_cut(last.prefix, bound, lowest, highest, likely));
    if (first.item > lowest) detail::lower_to(next, cost(at(first.item - 1), last));
    return {first, cost(first, last)};
  }

 private:
  [[nodiscard]] std::size_t lower_cut(cost_type end, cost_type bound, std::size_t lowest, std::size_t highest,
                                      std::size_t likely) const {
    if constexpr (requires { model.lower_cut(end, bound, lowest, highest, likely); }) {
      return model.lower_cut(end, bound, lowest, highest, likely);
    } else {
      return detail::gallop(lowest, highest, likely,
                            [&](std::size_t i) { return detail::difference(end, model.prefix(i)) <= bound; });
    }
  }
};

/// Bounds on the cut points of a chain cut into k non-empty stages: separators (Pinar and Aykanat). The cut points of a
/// probe at any bound lie between those of a probe at a larger feasible bound and those at a smaller infeasible one:
/// docs/chains.md, "Monotone, the same for all stages".
struct separators {
  std::vector<std::size_t> lowest;   ///< of length k + 1; the cut points at the smallest known feasible bound
  std::vector<std::size_t> highest;  ///< of length k + 1; of the infeasible probes
  std::vector<std::size_t> cut;      ///< of the last probe: the starting guess

  [[nodiscard]] std::size_t stages() const { return cut.size() - 1; }
  [[nodiscard]] std::size_t items() const { return cut.back(); }

  /// Starts with all possible cut points, which also result from the cost of the whole chain as a bound, and with equal
  /// stages as a guess. Allocates only to grow.
  void reset(std::size_t items, std::size_t stages);
};

/// The result of a probe.
template <class Cost>
struct verdict {
  bool feasible;
  Cost value;  ///< feasible: the cost of the costliest stage; infeasible: above the bound, and no partition costs less
};

/// Whether a chain can be cut into k non-empty stages that cost at most `bound` each. From its end, each stage takes as
/// many items as it may, and leaves one for every stage before it. So each cut point is as far left as in any partition
/// within the bound: docs/chains.md, "Monotone, the same for all stages". Narrows `where`; stores the cut points of a
/// success in `where.lowest`.
///
/// @param least   a lower bound on all partitions
/// @param enough  a bound known to be feasible
/// @pre `bound` is below every feasible bound by which `where` was narrowed, and not below any infeasible one
///
/// Exact for a monotone cost; any other gets a wrong answer, within the chain. O(k log n) calls of the cost.
template <class Chain, class Cost = typename Chain::cost_type>
[[nodiscard]] verdict<Cost> probe(const Chain& chain, const Cost& bound, Cost least, Cost enough, separators& where) {
  Cost& costliest = least;  // of the stages so far, and at most any partition's costliest
  Cost& next = enough;      // the smallest cost above the bound that would have changed a cut point
  const std::size_t stages = where.stages();
  auto last = chain.at(where.items());
  std::size_t s = stages - 1;
  for (; s > 0; --s) {
    // A cost that is not monotone may have led astray: stay in the chain.
    const std::size_t before = Chain::item(last) - 1;
    const std::size_t right = where.highest[s] < before ? where.highest[s] : before;
    const std::size_t left = where.lowest[s] < right ? where.lowest[s] : right;
    // One item more than from `lowest[s]` on is impossible: it belongs to the previous stages, or exceeds the feasible
    // bound that set `lowest[s]`.
    auto stage = chain.widest(last, bound, left, right, where.cut[s], next);
    if (!(stage.cost <= bound)) {
      next = std::move(stage.cost);  // a single item: every partition has it in some stage
      break;
    }
    if (costliest < stage.cost) costliest = std::move(stage.cost);
    last = stage.first;
    where.cut[s] = Chain::item(last);
  }
  if (s == 0) {
    Cost first = chain.cost(chain.at(0), last);
    if (first <= bound) {
      if (costliest < first) costliest = std::move(first);
      for (s = 1; s < stages; ++s) where.lowest[s] = where.cut[s];
      return {true, std::move(costliest)};
    }
    detail::lower_to(next, std::move(first));
  }
  while (++s < stages) where.highest[s] = where.cut[s];
  return {false, std::move(next)};
}

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/sequence/detail/probe.ipp>
#endif
