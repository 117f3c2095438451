// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/detail/rows.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Producers, consumers and shared parameters: rows for each operator. An edge counts as often as it is listed; loops
/// are ignored.
class operator_links {
 public:
  operator_links() = default;

  /// @pre edges and shared parameters name existing operators
  explicit operator_links(const operator_graph& graph);

  /// The consumers of an operator's output.
  [[nodiscard]] view<const std::uint32_t> consumers(std::size_t v) const noexcept { return consumers_[v]; }
  /// The producers of its inputs.
  [[nodiscard]] view<const std::uint32_t> producers(std::size_t v) const noexcept { return producers_[v]; }
  /// The parameters that it shares.
  [[nodiscard]] view<const std::uint32_t> shared(std::size_t v) const noexcept { return shared_[v]; }

 private:
  using table = rows<std::uint32_t>;

  static table listed(std::size_t n, const std::vector<operator_edge>& pairs);

  table consumers_{};
  table producers_{};
  table shared_{};
};

inline operator_links::operator_links(const operator_graph& graph) {
  std::vector<operator_edge> pairs;
  for (const operator_edge& each : graph.edges) {
    if (each.from != each.to) pairs.push_back(each);
  }
  const std::size_t n = graph.operators.size();
  consumers_ = listed(n, pairs);
  for (operator_edge& each : pairs) each = {each.to, each.from};
  producers_ = listed(n, pairs);
  pairs.clear();
  for (std::size_t i = 0; i < graph.shared.size(); ++i) {
    for (const std::size_t v : graph.shared[i].operators) pairs.push_back({v, i});
  }
  shared_ = listed(n, pairs);
}

inline auto operator_links::listed(std::size_t n, const std::vector<operator_edge>& pairs) -> table {
  return {n, pairs.size(), [&](std::size_t i) { return pairs[i].from; },
          [&](std::size_t i) { return static_cast<std::uint32_t>(pairs[i].to); }};
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
