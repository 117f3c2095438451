// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <stagecut/core/detail/sort.hpp>
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
  void add(const std::vector<layer_way>& alternatives) {
    const std::vector<way_figures> before = from_.empty() ? std::vector<way_figures>(1) : std::move(sums_);
    std::vector<way_figures> all;
    std::vector<origin> from;
    for (std::uint32_t p = 0; p < before.size(); ++p) {
      for (std::uint32_t a = 0; a < alternatives.size(); ++a) {
        all.push_back(plus(before[p], alternatives[a]));
        from.push_back({p, a});
      }
    }
    keep_best(all, from);
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

  /// Keeps those that none covers which comes before, the fastest first; of equally fast ones the leanest comes first.
  void keep_best(const std::vector<way_figures>& all, const std::vector<origin>& from) {
    std::vector<std::size_t> places(all.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    detail::sort(places, [&](std::size_t a, std::size_t b) {
      const double one = all[a].forward + all[a].backward;
      const double other = all[b].forward + all[b].backward;
      return one != other ? one < other : all[a].activations < all[b].activations;
    });
    sums_.clear();
    from_.clear();
    double leanest = 0;
    for (const std::size_t i : places) {
      // What keeps fewer bytes than all before is covered by none.
      bool covered = false;
      for (std::size_t k = sums_.size(); k-- > 0 && !covered && !(all[i].activations < leanest);) {
        covered = sums_[k].covers(all[i]);
      }
      if (covered) continue;
      leanest = sums_.empty() || all[i].activations < leanest ? all[i].activations : leanest;
      sums_.push_back(all[i]);
      from_.push_back(from[i]);
    }
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
    if (!hopeful_) {  // what fits if anything does
      for (const auto part : {&way_figures::activations, &way_figures::resident}) {
        std::size_t least = 0;
        for (std::size_t i = 1; i < sums_.size(); ++i) least = sums_[i].*part < sums_[least].*part ? i : least;
        sums.push_back(sums_[least]);
        from.push_back(from_[least]);
      }
    }
    sums_ = std::move(sums);
    from_ = std::move(from);
  }

  std::vector<way_figures> sums_{};
  std::vector<origin> from_{};
  bool hopeful_;
  bool whole_ = true;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
