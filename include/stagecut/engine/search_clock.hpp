// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/deadline.hpp>
#include <stagecut/core/search_options.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// Decides when a search must end, and reports its progress.
class search_clock {
 public:
  explicit search_clock(const search_options& limits)
      : limits_(limits), end_(limits.time_limit, limits.stop, limits.ended) {}
  search_clock(const search_clock&) = delete;
  search_clock& operator=(const search_clock&) = delete;
  ~search_clock() { spend(); }

  /// Whether a limit is reached. Cheap enough for every node and every simulation.
  [[nodiscard]] bool over();

  /// Counts choices examined while a graph is built: a hundred count as a node.
  void work(std::size_t choices);

  /// Like `over`, but for steps that take long.
  [[nodiscard]] bool look();

  /// Treats the limit as reached after `nodes` more nodes, until `resume`: to share work with others.
  void pause_after(std::size_t nodes) { pause_ = state.nodes + nodes; }
  void resume() { pause_ = ~std::size_t{0}; }

  /// Reports progress.
  void tell();

  search_progress state{};  ///< in the unit of the model

 private:
  /// Adds the nodes since the last call to those of the limits.
  void spend() noexcept;
  /// Whether the limit of nodes is reached, which ends the search.
  [[nodiscard]] bool spent_all() noexcept;

  const search_options& limits_;
  detail::deadline end_;
  std::size_t asked_ = 0;
  std::size_t pause_ = ~std::size_t{0};
  std::size_t choices_ = 0;
  std::size_t spent_ = 0;
  bool over_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::engine

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/engine/detail/search_clock.ipp>
#endif
