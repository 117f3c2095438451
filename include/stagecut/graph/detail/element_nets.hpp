// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline v0::detail {

/// Rows of numbers, one after the other.
template <class T>
class rows {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return end_.size() - 1; }
  [[nodiscard]] view<const T> operator[](std::size_t i) const noexcept {
    return {all_.data() + end_[i], end_[i + 1] - end_[i]};
  }
  template <class Row>
  void push_back(const Row& row) {
    all_.insert(all_.end(), row.begin(), row.end());
    end_.push_back(all_.size());
  }
  /// Of every number below `count`, the rows that hold it, in ascending order.
  [[nodiscard]] rows<std::uint32_t> holding(std::size_t count) const {
    rows<std::uint32_t> result;
    result.end_.assign(count + 1, 0);
    for (const T& each : all_) ++result.end_[each + std::size_t{1}];
    for (std::size_t i = 0; i < count; ++i) result.end_[i + 1] += result.end_[i];
    std::vector<std::size_t> at = result.end_;
    result.all_.resize(all_.size());
    for (std::size_t i = 0; i < size(); ++i) {
      for (const T& each : (*this)[i]) result.all_[at[each]++] = static_cast<std::uint32_t>(i);
    }
    return result;
  }

 private:
  template <class>
  friend class rows;

  std::vector<T> all_{};
  std::vector<std::size_t> end_{0};
};

/// What a producer puts out, or several that speak with the same elements: a stage pays for it if it holds some of the
/// elements and not all of them.
struct net_weight {
  double forward = 0;   ///< seconds, of the forward pass
  double backward = 0;  ///< likewise
  double bytes = 0;     ///< of what is put out
};

/// The nets of a graph: of each producer one, with its element and those of its consumers; equal ones are summed.
struct element_nets {
  rows<precedence::element> pins{};   ///< of every net, in ascending order, two at least
  std::vector<net_weight> weights{};  ///< of every net

  element_nets(const operator_graph& graph, const contraction& parts) {
    const auto all = rows_of(graph, parts);
    std::vector<std::uint32_t> order;  // of those that speak with others, by whom they speak with
    for (std::size_t u = 0; u < all.size(); ++u) {
      if (all[u].size() > 1) order.push_back(static_cast<std::uint32_t>(u));
    }
    const auto less = [&](std::uint32_t a, std::uint32_t b) {
      return std::lexicographical_compare(all[a].begin(), all[a].end(), all[b].begin(), all[b].end());
    };
    std::stable_sort(order.begin(), order.end(), less);
    for (std::size_t i = 0; i < order.size();) {
      const std::uint32_t first = order[i];
      net_weight sum;
      for (; i < order.size() && !less(first, order[i]); ++i) {
        const graph_operator& from = graph.operators[order[i]];
        (from.is_backward ? sum.backward : sum.forward) += from.sent + graph.latency;
        if (!from.is_backward) sum.bytes += from.output;
        if (from.sent_back > 0 || graph.sends_back) sum.backward += from.sent_back + graph.latency;
      }
      if (sum.forward == 0 && sum.backward == 0 && sum.bytes == 0) continue;
      pins.push_back(all[first]);
      weights.push_back(sum);
    }
  }

 private:
  /// Of every operator, its element and those of its consumers, in ascending order.
  static rows<precedence::element> rows_of(const operator_graph& graph, const contraction& parts) {
    const std::size_t n = graph.operators.size();
    std::vector<std::size_t> end(n + 1, 0);
    for (const operator_edge& each : graph.edges) ++end[each.from + 1];
    for (std::size_t u = 0; u < n; ++u) end[u + 1] += end[u];
    std::vector<precedence::element> to(graph.edges.size());
    std::vector<std::size_t> at = end;
    for (const operator_edge& each : graph.edges) to[at[each.from]++] = parts.element_of(each.to);
    rows<precedence::element> result;
    std::vector<precedence::element> row;
    for (std::size_t u = 0; u < n; ++u) {
      row.assign(1, parts.element_of(u));
      row.insert(row.end(), to.begin() + static_cast<std::ptrdiff_t>(end[u]),
                 to.begin() + static_cast<std::ptrdiff_t>(end[u + 1]));
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      result.push_back(row);
    }
    return result;
  }
};

/// Of every shared copy of parameters, the elements that need it.
[[nodiscard]] inline rows<precedence::element> sharing_elements(const operator_graph& graph, const contraction& parts) {
  rows<precedence::element> result;
  for (const shared_parameters& each : graph.shared) {
    std::vector<precedence::element> row;
    for (const std::size_t v : each.operators) row.push_back(parts.element_of(v));
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    result.push_back(row);
  }
  return result;
}

}  // namespace stagecut::inline v0::detail
