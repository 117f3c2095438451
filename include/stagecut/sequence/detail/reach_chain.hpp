// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/cost/axioms.hpp>
#include <stagecut/cost/interval_cost.hpp>
#include <stagecut/cost/overlapped_cost.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A chain whose stages may differ, under a hereditary constraint, as the interface of `reach_probe` to its costs.
template <class Model, class Constraint>
struct reach_chain {
  using model_type = Model;
  using cost_type = cost_t<Model>;

  const Model& model;
  const Constraint& allowed;
  std::size_t gap;  ///< minimum number of items in a stage: 0 or 1

  /// Whether messages overlap with work.
  static constexpr bool overlapped = overlapped_cost<Model>;
  /// Whether of two stages with the same start the shorter one is as good, and for `left` with the same end.
  static constexpr bool right = overlapped || promises<Model, right_monotone>;
  static constexpr bool left = overlapped || promises<Model, left_monotone>;

  /// Whether the model has a work that is monotone on both sides and at most the cost.
  static constexpr bool apart =
      overlapped || (separable_cost<Model> && requires(const Model& m) { m.work(0U, 0U, 0U); });
  /// Whether there is such a bound: the work, or the cost itself.
  static constexpr bool worked = (left && right) || apart;

  [[nodiscard]] cost_type cost(std::size_t s, std::size_t first, std::size_t last) const {
    return detail::price(model, s, first, last);
  }
  /// The cost without overlapped messages.
  [[nodiscard]] cost_type beside_messages(std::size_t s, std::size_t first, std::size_t last) const {
    if constexpr (overlapped) {
      return model.work(s, first, last);
    } else {
      return cost(s, first, last);
    }
  }
  /// A lower bound for all cuts (docs/chains.md, "Where the search begins"): some stage begins with the first item, and
  /// some ends with the last.
  [[nodiscard]] cost_type least(std::size_t stages) const {
    const std::size_t items = model.size();
    std::optional<cost_type> result;
    const auto offer = [&](cost_type here) {
      if (!result || here < *result) result = std::move(here);
    };
    if constexpr (right) {
      for (std::size_t s = 0; s < (gap == 0 ? stages : 1); ++s) offer(beside_messages(s, 0, 1));
    } else if constexpr (left) {
      for (std::size_t s = gap == 0 ? 0 : stages - 1; s < stages; ++s) offer(beside_messages(s, items - 1, items));
    } else {
      for (std::size_t last = gap; last <= items; ++last) offer(cost(0, 0, last));
    }
    return *std::move(result);
  }
  /// The cost of the costliest stage between these cut points.
  [[nodiscard]] cost_type costliest(const std::vector<std::size_t>& cut) const {
    cost_type result = cost(0, 0, cut[1]);
    for (std::size_t s = 1; s + 1 < cut.size(); ++s) {
      cost_type here = cost(s, cut[s], cut[s + 1]);
      if (result < here) result = std::move(here);
    }
    return result;
  }
  /// A lower bound on the cost that is monotone on both sides.
  [[nodiscard]] cost_type work(std::size_t s, std::size_t first, std::size_t last) const {
    if constexpr (apart) {
      return model.work(s, first, last);
    } else {
      return cost(s, first, last);
    }
  }
};

/// A bound that everything satisfies.
template <arithmetic T>
[[nodiscard]] constexpr T greatest() {
  if constexpr (integer<T>) {
    return std::numeric_limits<T>::max();
  } else {
    return std::bit_cast<T>(infinity_bits<T>);
  }
}

/// The cost of a cut as a bound for others: a NaN, which breaks the promises, bounds nothing.
template <class Cost>
[[nodiscard]] constexpr Cost as_bound(const Cost& cost) {
  if constexpr (arithmetic<Cost>) {
    if (is_nan(cost)) return greatest<Cost>();
  }
  return cost;
}

/// The possible starts of the stages of a chain, within a bound.
struct reach_sets {
  std::vector<std::size_t> lowest;        ///< of length k + 1: no stage starts further left
  std::vector<std::size_t> highest;       ///< of length k + 1: no stage starts further right
  std::vector<std::vector<char>> begins;  ///< [s][i - lowest[s]]: whether stage s can begin with item i
  std::vector<std::size_t> cut;           ///< of length k + 1; the cut points of the last success, or of equal stages

  reach_sets(std::size_t items, std::size_t stages);
  [[nodiscard]] std::size_t stages() const { return cut.size() - 1; }
  [[nodiscard]] std::size_t items() const { return cut.back(); }
  [[nodiscard]] bool at(std::size_t s, std::size_t item) const {
    return lowest[s] <= item && item <= highest[s] && begins[s][item - lowest[s]] != 0;
  }
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/sequence/detail/reach_chain.ipp>
#endif
