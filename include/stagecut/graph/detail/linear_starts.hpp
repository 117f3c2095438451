// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/random_bits.hpp>
#include <stagecut/graph/contraction.hpp>
#include <stagecut/graph/operator_graph.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Stages as runs of a few orders in which each element follows its predecessors.
class linear_starts {
 public:
  /// Which element is next, of those that may be.
  enum class next : std::uint8_t {
    as_listed,  ///< the least
    newest,     ///< the one that became ready last: depth first
    oldest,     ///< the one that became ready first: breadth first
    any,        ///< a random one
  };

  /// @param least  the first stage on which each element may stand
  /// @param most   the last one; neither is less for an element than for those before it
  linear_starts(const operator_graph& graph, const contraction& elements, std::vector<std::size_t> least,
                std::vector<std::size_t> most);

  /// An order of the elements.
  [[nodiscard]] std::vector<std::size_t> order(next which, random_bits& random) const;

  /// Cuts an order where stages of geometrically falling weights would end, and puts elements where they may stand.
  /// @param ratio  of the weights of a stage and the one before it
  /// @return       the stage of every operator
  [[nodiscard]] std::vector<std::size_t> cut(const std::vector<std::size_t>& order, std::size_t stages,
                                             double ratio) const;

 private:
  const contraction& elements_;
  std::vector<double> weight_;  // of every element
  std::vector<std::size_t> least_;
  std::vector<std::size_t> most_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/linear_starts.ipp>
#endif
