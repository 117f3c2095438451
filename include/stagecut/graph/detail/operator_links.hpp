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

/// Who takes whose output, and who shares which parameters: rows for every operator. An edge counts as often as it
/// stands, but not from an operator to itself.
class operator_links {
 public:
  operator_links() = default;

  /// @pre edges and shared parameters name operators that there are
  explicit operator_links(const operator_graph& graph);

  /// Who takes the output of an operator.
  [[nodiscard]] view<const std::uint32_t> consumers(std::size_t v) const noexcept { return consumers_[v]; }
  /// Whose outputs it takes.
  [[nodiscard]] view<const std::uint32_t> producers(std::size_t v) const noexcept { return producers_[v]; }
  /// Which parameters it shares.
  [[nodiscard]] view<const std::uint32_t> shared(std::size_t v) const noexcept { return shared_[v]; }

 private:
  using table = rows<std::uint32_t>;

  static table listed(std::size_t n, const std::vector<operator_edge>& pairs);

  table consumers_{};
  table producers_{};
  table shared_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/operator_links.ipp>
#endif
