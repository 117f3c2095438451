// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/graph/detail/stage_simulator.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Chooses warm-up counts for what a simulator holds.
class warm_up_climb {
 public:
  explicit warm_up_climb(stage_simulator& of) : of_(of) {}

  /// The most of a stage by itself: as many microbatches in flight as fit, at most m.
  /// @return none if not even one fits
  [[nodiscard]] static std::optional<std::size_t> most_of(double resident, double activations,
                                                          std::optional<double> memory, std::size_t microbatches);

  /// What each stage may have so that none has more than one before it.
  void limit(std::vector<std::size_t>& most) const {
    for_each_edge(true, [&](std::size_t s, std::size_t before) { most[s] = std::min(most[s], most[before]); });
  }

  /// Makes counts legal and within the limits, the least that are not below what they were, but for the limits.
  void repair(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most) const;

  /// As many as stages behind: of the longest path, or all of higher numbers.
  /// @{
  void by_depth(std::vector<std::size_t>& counts) const;
  void by_rank(std::vector<std::size_t>& counts) const;
  /// @}

  /// Changes counts while the makespan falls, or the counts at the same makespan: one up with those before it that must
  /// follow, or with all before it; one down with those behind it that must; all up or down.
  /// @param counts  legal, is written
  /// @return        their makespan
  double improve(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most);

  /// The best that is reached from several beginnings: by rank, by depth, twice that, all that the limits allow, none.
  /// @param counts  is written
  double choose(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most) {
    return best_of(counts, most, [&] { return improve(found_, most); });
  }

  /// The best of these beginnings themselves.
  double screen(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most) {
    return best_of(counts, most, [&] { return price(found_); });
  }

  /// Looks at all counts that edges and limits allow, if these without edges are at most `few`.
  /// @param counts  legal, is written where others are better, or as good with less in flight
  /// @return        whether it did
  bool exhaust(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most, std::size_t few = 4096);

  /// The makespan of counts.
  [[nodiscard]] double price(const std::vector<std::size_t>& counts);

  std::size_t runs = 0;  ///< of the simulator

 private:
  /// Prices what `found_` holds, and keeps the best.
  template <class Price>
  double best_of(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most, const Price& price) {
    double best = std::numeric_limits<double>::max();
    for (int from = 0; from < 5; ++from) {
      if (from == 0) by_rank(found_);
      if (from == 1 || from == 2) by_depth(found_);
      if (from == 2) std::for_each(found_.begin(), found_.end(), [](std::size_t& each) { each *= 2; });
      if (from == 3) found_ = most;
      if (from == 4) found_.assign(most.size(), 0);
      repair(found_, most);
      const double value = price();
      if (!(value < best || (value == best && sum(found_) < sum(counts)))) continue;
      best = value;
      counts = found_;
    }
    return best;
  }

  [[nodiscard]] static std::size_t sum(const std::vector<std::size_t>& counts) noexcept;

  /// Every stage with each before it, upwards, or behind it, downwards.
  template <class Visit>
  void for_each_edge(bool before, const Visit& visit) const {
    const std::size_t k = of_.forward.size();
    const auto& ends = before ? of_.arriving_end : of_.returning_end;
    const auto& all = before ? of_.arriving : of_.returning;
    for (std::size_t i = 0; i < k; ++i) {
      const std::size_t s = before ? i : k - 1 - i;
      for (std::size_t e = s == 0 ? 0 : ends[s - 1]; e < ends[s]; ++e) visit(s, all[e].other);
    }
  }

  void raise_before(std::vector<std::size_t>& counts) const {
    for_each_edge(false, [&](std::size_t s, std::size_t behind) { counts[s] = std::max(counts[s], counts[behind]); });
  }

  /// Whether there is such a change.
  [[nodiscard]] bool change(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most, std::size_t which);

  [[nodiscard]] bool lower_behind(std::vector<std::size_t>& counts, std::size_t s);

  [[nodiscard]] bool change_all(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most, bool up) const;

  stage_simulator& of_;
  std::vector<std::size_t> trial_{};
  std::vector<std::size_t> found_{};
  std::vector<char> marked_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/warm_up_climb.ipp>
#endif
