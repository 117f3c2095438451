// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/solution.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/weighted_dag.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Parts of a graph with their figures; every edge leads to the same or a later part.
struct dag_partition : solution<std::int64_t> {
  std::vector<std::size_t> assignment{};  ///< part of each vertex, from 0
  std::vector<std::int64_t> weights{};    ///< total vertex weight of each part
  std::vector<std::int64_t> loads{};      ///< for each part, its vertices and the outputs that it pays for
  std::int64_t cut = 0;                   ///< weight of the edges between parts

  /// The heaviest load.
  [[nodiscard]] std::int64_t load() const noexcept;
};

/// Computes the figures of parts from the graph alone: see `measure_partition`.
struct measure_partition_fn {
  /// @param graph    any
  /// @param part_of  part of each vertex
  /// @param parts    number of parts; some may be empty
  /// @return         with a bound of 0
  /// @throws         argument_error if `part_of` has another length than the vertices, and for a part that does not
  ///                 exist; invalid_input with the edge, by its end vertices, that leads to an earlier part. O(n + m)
  [[nodiscard]] dag_partition operator()(const weighted_dag& graph, view<const std::size_t> part_of,
                                         std::size_t parts) const;
};

/// Computes the weights of parts, the outputs they pay for and the cut, and rejects parts with an edge to an earlier
/// part. It can check what `multilevel` returns. See `measure_partition_fn`.
inline constexpr measure_partition_fn measure_partition{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/dag_partition.ipp>
#endif
