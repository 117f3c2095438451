// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Stages as intervals of a few topological orders.
class linear_starts {
 public:
  /// Which available element is next.
  enum class next : std::uint8_t {
    as_listed,  ///< the least
    newest,     ///< the one that became ready last: depth first
    oldest,     ///< the one that became ready first: breadth first
    any,        ///< a random one
  };

  /// @param least  the first stage allowed for each element
  /// @param most   the last one; both are monotone along precedence
  linear_starts(const operator_graph& graph, const contraction& elements, std::vector<std::size_t> least,
                std::vector<std::size_t> most);

  /// An order of the elements.
  [[nodiscard]] std::vector<std::size_t> order(next which, random_bits& random) const;

  /// Cuts an order into stages of geometrically falling weights, within the stages allowed for each element.
  /// @param ratio  of the weights of a stage and the one before it
  /// @return       the stage of each operator
  [[nodiscard]] std::vector<std::size_t> cut(const std::vector<std::size_t>& order, std::size_t stages,
                                             double ratio) const;

 private:
  const contraction& elements_;
  std::vector<double> weight_;  // of each element
  std::vector<std::size_t> least_;
  std::vector<std::size_t> most_;
};

inline linear_starts::linear_starts(const operator_graph& graph, const contraction& elements,
                                    std::vector<std::size_t> least, std::vector<std::size_t> most)
    : elements_(elements), weight_(elements.elements()), least_(std::move(least)), most_(std::move(most)) {
  for (std::size_t e = 0; e < weight_.size(); ++e) {
    for (const std::size_t v : elements.operators_of(e)) {
      weight_[e] += graph.operators[v].forward + graph.operators[v].backward;
    }
  }
}

inline std::vector<std::size_t> linear_starts::order(next which, random_bits& random) const {
  const precedence& below = elements_.below();
  if (which == next::as_listed) return {below.order().begin(), below.order().end()};
  std::vector<std::size_t> waits(weight_.size());
  std::vector<std::size_t> ready;
  std::vector<std::size_t> result;
  for (std::size_t e = weight_.size(); e-- > 0;) {
    waits[e] = below.predecessors(e).size();
    if (waits[e] == 0) ready.push_back(e);
  }
  if (which == next::oldest) std::reverse(ready.begin(), ready.end());
  for (std::size_t first = 0; first < ready.size();) {
    std::size_t e = ready[first];
    if (which == next::oldest) {
      ++first;
    } else {
      if (which == next::any) std::swap(ready[random.remainder(ready.size())], ready.back());
      e = ready.back();
      ready.pop_back();
    }
    result.push_back(e);
    for (const std::size_t to : below.successors(e)) {
      if (--waits[to] == 0) ready.push_back(to);
    }
  }
  return result;
}

inline std::vector<std::size_t> linear_starts::cut(const std::vector<std::size_t>& order, std::size_t stages,
                                                   double ratio) const {
  double total = 0;
  for (const double weight : weight_) total += weight;
  double shares = 0;
  for (std::size_t s = 0; s < stages; ++s) shares += std::pow(ratio, static_cast<double>(s));
  std::vector<std::size_t> result(order.size());
  double before = 0;
  double end = total / shares;
  double share = end;
  std::size_t s = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t e = order[i];
    const bool must = order.size() - i <= stages - 1 - s;
    if (i > 0 && s + 1 < stages && (must || before + weight_[e] / 2 > end)) ++s, end += share *= ratio;
    before += weight_[e];
    result[e] = std::max(least_[e], std::min(most_[e], s));
  }
  return elements_.expanded(result);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
