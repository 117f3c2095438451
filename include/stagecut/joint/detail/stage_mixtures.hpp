// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/layer_ways.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The ways to run an interval of layers, each in one of its ways: their sums, without dominated ones. It grows by one
/// layer at a time, at the front.
class stage_mixtures {
 public:
  /// The most sums; beyond that, some of those between the fastest and the leanest are left out, or neighbours are
  /// merged.
  static constexpr std::size_t most = 192;

  /// @param relaxed  whether surplus sums are merged into optimistic ones, each as good as several: planning with them
  ///                 yields a bound
  explicit stage_mixtures(bool relaxed = false) : relaxed_(relaxed) {}

  /// The origin of a sum: the sum of the layers after the first one, and the way of the first layer.
  struct origin {
    std::uint32_t point = 0;
    std::uint32_t alternative = 0;
  };

  [[nodiscard]] std::size_t size() const noexcept { return sums_.size(); }
  [[nodiscard]] const way_figures& operator[](std::size_t point) const noexcept { return sums_[point]; }
  [[nodiscard]] origin from(std::size_t point) const noexcept { return from_[point]; }
  [[nodiscard]] bool is_whole() const noexcept { return whole_; }

  /// Adds a layer at the front.
  void add(const std::vector<layer_way>& alternatives);

 private:
  [[nodiscard]] static way_figures plus(const way_figures& sum, const way_figures& one);

  /// Keeps those that no earlier one covers, the fastest first; ties: the leanest first.
  void keep_best(const std::vector<way_figures>& all, const std::vector<origin>& from);

  void thin();

  std::vector<way_figures> sums_{};
  std::vector<origin> from_{};
  bool relaxed_;
  bool whole_ = true;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/stage_mixtures.ipp>
#endif
