// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/detail/layer_ways.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The ways to run an interval of layers, each in one of its ways: their sums, but for those that another one beats. It grows by
/// a layer before it.
class stage_mixtures {
 public:
  /// How many there are at most; beyond, some of those between the fastest and the leanest are left out, or neighbours
  /// become one.
  static constexpr std::size_t most = 192;

  /// @param hopeful  where there are too many, whether sums that are as good as any of several take their place: what is
  ///                 planned with them is a bound
  explicit stage_mixtures(bool hopeful = false) : hopeful_(hopeful) {}

  /// Of what a sum is made: the sum of the layers behind, and the way of the first layer.
  struct origin {
    std::uint32_t point = 0;
    std::uint32_t alternative = 0;
  };

  [[nodiscard]] std::size_t size() const noexcept { return sums_.size(); }
  [[nodiscard]] const way_figures& operator[](std::size_t point) const noexcept { return sums_[point]; }
  [[nodiscard]] origin from(std::size_t point) const noexcept { return from_[point]; }
  [[nodiscard]] bool is_whole() const noexcept { return whole_; }

  /// Puts a layer before them.
  void add(const std::vector<layer_way>& alternatives);

 private:
  [[nodiscard]] static way_figures plus(const way_figures& sum, const way_figures& one);

  /// Keeps those that none covers which comes before, the fastest first; of equally fast ones the leanest comes first.
  void keep_best(const std::vector<way_figures>& all, const std::vector<origin>& from);

  void thin();

  std::vector<way_figures> sums_{};
  std::vector<origin> from_{};
  bool hopeful_;
  bool whole_ = true;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/stage_mixtures.ipp>
#endif
