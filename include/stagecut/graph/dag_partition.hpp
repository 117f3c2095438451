// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/graph/weighted_dag.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Parts of a graph, each edge of which leads to the same or a later part, with their figures.
struct dag_partition {
  std::vector<std::size_t> part_of{};   ///< of every vertex, from 0
  std::vector<std::int64_t> weights{};  ///< of every part, of its vertices
  std::vector<std::int64_t> loads{};    ///< of every part, of its vertices and the outputs that it pays for
  std::int64_t cut = 0;                 ///< of the edges between parts
  std::int64_t bound = 0;               ///< no partition has a smaller objective: of `multilevel` alone

  /// The heaviest load.
  [[nodiscard]] std::int64_t load() const noexcept;
};

/// Reckons the figures of parts, from nothing but the graph: see `measure_partition`.
struct measure_partition_fn {
  /// @param graph    any
  /// @param part_of  of every vertex
  /// @param parts    how many there are; some may be empty
  /// @return         with a bound of 0
  /// @throws         argument_error for as many parts as there are not vertices and for a part that there is not;
  ///                 invalid_input with the edge, by the vertices at its ends, that leads to an earlier part. O(n + m)
  [[nodiscard]] dag_partition operator()(const weighted_dag& graph, view<const std::size_t> part_of,
                                         std::size_t parts) const;
};

/// Reckons what parts of a graph weigh, what they pay for outputs and what is cut between them, and refuses parts where an
/// edge leads back: what `multilevel` returns can be checked by it. See `measure_partition_fn`.
inline constexpr measure_partition_fn measure_partition{};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/dag_partition.ipp>
#endif
