// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/detail/sort.hpp>
#include <stagecut/joint/detail/layer_ways.hpp>

namespace stagecut::inline v0::detail {

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
  void add(const std::vector<layer_way>& alternatives) {
    std::vector<way_figures> before = std::move(sums_);
    if (from_.empty()) before.assign(1, {});
    sums_.clear();
    from_.clear();
    for (std::uint32_t p = 0; p < before.size(); ++p) {
      for (std::uint32_t a = 0; a < alternatives.size(); ++a) take(plus(before[p], alternatives[a]), {p, a});
    }
    order();
    thin();
  }

 private:
  [[nodiscard]] static way_figures plus(const way_figures& sum, const way_figures& one) {
    way_figures result;
    result.forward = sum.forward + one.forward;
    result.backward = sum.backward + one.backward;
    result.update = sum.update + one.update;
    result.parameters = sum.parameters + one.parameters;
    result.resident = sum.resident + one.resident;
    result.activations = sum.activations + one.activations;
    result.workspace = sum.workspace < one.workspace ? one.workspace : sum.workspace;
    return result;
  }

  void take(const way_figures& sum, origin from) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      if (sums_[i].covers(sum)) return;  // then none before was dropped
      if (sum.covers(sums_[i])) continue;
      if (kept != i) sums_[kept] = sums_[i], from_[kept] = from_[i];
      ++kept;
    }
    sums_.resize(kept);
    from_.resize(kept);
    sums_.push_back(sum);
    from_.push_back(from);
  }

  /// The fastest first.
  void order() {
    std::vector<std::size_t> places(sums_.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    detail::sort(places, [&](std::size_t a, std::size_t b) {
      return sums_[a].forward + sums_[a].backward < sums_[b].forward + sums_[b].backward;
    });
    std::vector<way_figures> sums;
    std::vector<origin> from;
    for (const std::size_t i : places) sums.push_back(sums_[i]), from.push_back(from_[i]);
    sums_ = std::move(sums);
    from_ = std::move(from);
  }

  void thin() {
    if (sums_.size() <= most) return;
    whole_ = false;
    std::vector<way_figures> sums;
    std::vector<origin> from;
    for (std::size_t k = 0; k < most; ++k) {
      const std::size_t i = hopeful_ ? k * sums_.size() / most : k * (sums_.size() - 1) / (most - 1);
      sums.push_back(sums_[i]);
      from.push_back(from_[i]);
      for (std::size_t j = i + 1; hopeful_ && j < (k + 1) * sums_.size() / most; ++j) sums.back().lower(sums_[j]);
    }
    sums_ = std::move(sums);
    from_ = std::move(from);
  }

  std::vector<way_figures> sums_{};
  std::vector<origin> from_{};
  bool hopeful_;
  bool whole_ = true;
};

}  // namespace stagecut::inline v0::detail
