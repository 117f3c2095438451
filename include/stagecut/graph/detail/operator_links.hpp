// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/detail/rows.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Producers, consumers, tensors and shared parameters: rows for each operator. An edge counts as often as it is listed;
/// loops are ignored.
class operator_links {
 public:
  operator_links() = default;

  /// @pre edges and shared parameters name existing operators
  explicit operator_links(const operator_graph& graph);

  /// The consumers of an operator's output.
  [[nodiscard]] view<const std::uint32_t> consumers(std::size_t v) const noexcept { return consumers_[v]; }
  /// The producers whose outputs it consumes.
  [[nodiscard]] view<const std::uint32_t> producers(std::size_t v) const noexcept { return producers_[v]; }
  /// The edges with tensors of their own that begin at an operator, and those that end there.
  [[nodiscard]] view<const std::uint32_t> tensors_from(std::size_t v) const noexcept { return tensors_from_[v]; }
  [[nodiscard]] view<const std::uint32_t> tensors_to(std::size_t v) const noexcept { return tensors_to_[v]; }
  /// The parameters that it shares.
  [[nodiscard]] view<const std::uint32_t> shared(std::size_t v) const noexcept { return shared_[v]; }

 private:
  using table = rows<std::uint32_t>;

  using pair = std::pair<std::size_t, std::size_t>;

  static table listed(std::size_t n, const std::vector<pair>& pairs);

  table consumers_{};
  table producers_{};
  table tensors_from_{};
  table tensors_to_{};
  table shared_{};
};

inline operator_links::operator_links(const operator_graph& graph) {
  std::vector<pair> outputs;
  std::vector<pair> begins;  // of edges with tensors
  std::vector<pair> ends;
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const operator_edge& each = graph.edges[i];
    if (each.from == each.to) continue;
    if (each.tensor) {
      begins.emplace_back(each.from, i);
      ends.emplace_back(each.to, i);
    } else {
      outputs.emplace_back(each.from, each.to);
    }
  }
  const std::size_t n = graph.operators.size();
  consumers_ = listed(n, outputs);
  for (auto& [from, to] : outputs) std::swap(from, to);
  producers_ = listed(n, outputs);
  tensors_from_ = listed(n, begins);
  tensors_to_ = listed(n, ends);
  std::vector<pair> shares;
  for (std::size_t i = 0; i < graph.shared.size(); ++i) {
    for (const std::size_t v : graph.shared[i].operators) shares.emplace_back(v, i);
  }
  shared_ = listed(n, shares);
}

inline auto operator_links::listed(std::size_t n, const std::vector<pair>& pairs) -> table {
  return {n, pairs.size(), [&](std::size_t i) { return pairs[i].first; },
          [&](std::size_t i) { return static_cast<std::uint32_t>(pairs[i].second); }};
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
