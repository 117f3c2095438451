// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline v0::detail {

/// Who takes whose output, and who shares which parameters: rows for every operator. An edge counts as often as it
/// stands, but not from an operator to itself.
class operator_links {
 public:
  operator_links() = default;

  /// @pre edges and shared parameters name operators that there are
  explicit operator_links(const operator_graph& graph) {
    std::vector<operator_edge> pairs;
    for (const operator_edge& each : graph.edges) {
      if (each.from != each.to) pairs.push_back(each);
    }
    const std::size_t n = graph.operators.size();
    consumers_ = rows(n, pairs);
    for (operator_edge& each : pairs) each = {each.to, each.from};
    producers_ = rows(n, pairs);
    pairs.clear();
    for (std::size_t i = 0; i < graph.shared.size(); ++i) {
      for (const std::size_t v : graph.shared[i].operators) pairs.push_back({v, i});
    }
    shared_ = rows(n, pairs);
  }

  /// Who takes the output of an operator.
  [[nodiscard]] view<const std::uint32_t> consumers(std::size_t v) const noexcept { return consumers_.of(v); }
  /// Whose outputs it takes.
  [[nodiscard]] view<const std::uint32_t> producers(std::size_t v) const noexcept { return producers_.of(v); }
  /// Which parameters it shares.
  [[nodiscard]] view<const std::uint32_t> shared(std::size_t v) const noexcept { return shared_.of(v); }

 private:
  struct table {
    std::vector<std::size_t> end{};
    std::vector<std::uint32_t> all{};

    [[nodiscard]] view<const std::uint32_t> of(std::size_t v) const noexcept {
      return {all.data() + end[v], end[v + 1] - end[v]};
    }
  };

  static table rows(std::size_t n, const std::vector<operator_edge>& pairs) {
    table result;
    result.end.resize(n + 1);
    for (const operator_edge& each : pairs) ++result.end[each.from + 1];
    for (std::size_t v = 0; v < n; ++v) result.end[v + 1] += result.end[v];
    std::vector<std::size_t> at = result.end;
    result.all.resize(pairs.size());
    for (const operator_edge& each : pairs) result.all[at[each.from]++] = static_cast<std::uint32_t>(each.to);
    return result;
  }

  table consumers_{};
  table producers_{};
  table shared_{};
};

}  // namespace stagecut::inline v0::detail
