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

/// Chooses warm-up counts for the stages in a simulator.
class warm_up_climb {
 public:
  explicit warm_up_climb(stage_simulator& of) : of_(of) {}

  /// The most of a stage by itself: as many microbatches in flight as fit, at most m.
  /// @return none if not even one fits
  [[nodiscard]] static std::optional<std::size_t> most_of(double resident, double activations,
                                                          std::optional<double> memory, std::size_t microbatches);

  /// Lowers each limit to those of the stages before it.
  void limit(std::vector<std::size_t>& most) const {
    for_each_edge(true, [&](std::size_t s, std::size_t before) { most[s] = std::min(most[s], most[before]); });
  }

  /// Makes counts legal and within the limits: the least that are not below the given ones, except for the limits.
  void repair(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most) const;

  /// The number of later stages: on the longest path, or all with higher numbers.
  /// @{
  void by_depth(std::vector<std::size_t>& counts) const;
  void by_rank(std::vector<std::size_t>& counts) const;
  /// @}

  /// Changes counts while the makespan falls, or the counts at the same makespan: one up with those before it that must
  /// follow, or with all before it; one down with those after it that must; all up or down.
  /// @param counts  legal; overwritten
  /// @return        their makespan
  double improve(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most);

  /// The best reached from several starts: by rank, by depth, twice that, all that the limits allow, none.
  /// @param counts  overwritten
  double choose(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most) {
    return best_of(counts, most, [&] { return improve(found_, most); });
  }

  /// The best of these starts themselves.
  double screen(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most) {
    return best_of(counts, most, [&] { return price(found_); });
  }

  /// Tries all counts that edges and limits allow, if the limits alone leave at most `few`.
  /// @param counts  legal; overwritten if others are better, or equal with less in flight
  /// @return        whether it did
  bool exhaust(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most, std::size_t few = 4096);

  /// The makespan of counts.
  [[nodiscard]] double price(const std::vector<std::size_t>& counts);

  std::size_t runs = 0;  ///< of the simulator

 private:
  /// Prices `found_`, and keeps the best.
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

  /// Visits every stage with each one before it, upwards, or after it, downwards.
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

  /// Applies such a change; returns whether there is one.
  [[nodiscard]] bool change(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most, std::size_t which);

  [[nodiscard]] bool lower_behind(std::vector<std::size_t>& counts, std::size_t s);

  [[nodiscard]] bool change_all(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most, bool up) const;

  stage_simulator& of_;
  std::vector<std::size_t> trial_{};
  std::vector<std::size_t> found_{};
  std::vector<char> marked_{};
};

inline std::optional<std::size_t> warm_up_climb::most_of(double resident, double activations,
                                                         std::optional<double> memory, std::size_t microbatches) {
  if (!memory) return microbatches - 1;
  if (resident + activations > *memory) return {};
  // By bisection: a quotient rounds.
  std::size_t fits = 1;
  std::size_t too_many = microbatches + 1;
  while (too_many - fits > 1) {
    const std::size_t middle = fits + (too_many - fits) / 2;
    (resident + static_cast<double>(middle) * activations <= *memory ? fits : too_many) = middle;
  }
  return fits - 1;
}

inline void warm_up_climb::repair(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most) const {
  for (std::size_t s = 0; s < counts.size(); ++s) counts[s] = std::min(counts[s], most[s]);
  raise_before(counts);
}

inline void warm_up_climb::by_depth(std::vector<std::size_t>& counts) const {
  counts.assign(of_.forward.size(), 0);
  for_each_edge(false, [&](std::size_t s, std::size_t behind) { counts[s] = std::max(counts[s], counts[behind] + 1); });
}

inline void warm_up_climb::by_rank(std::vector<std::size_t>& counts) const {
  counts.resize(of_.forward.size());
  for (std::size_t s = 0; s < counts.size(); ++s) counts[s] = counts.size() - 1 - s;
}

inline double warm_up_climb::improve(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most) {
  double best = of_.run(counts.data());
  std::size_t total = sum(counts);
  ++runs;
  const std::size_t k = counts.size();
  const std::size_t changes = 4 * k + 2;
  for (std::size_t at = 0, idle = 0; idle < changes;) {
    trial_ = counts;
    const bool changed = change(trial_, most, at);
    const double found = changed ? of_.run(trial_.data()) : best;
    if (changed && ++runs > 0 && (found < best || (found == best && sum(trial_) < total))) {
      best = found;
      total = sum(trial_);
      counts.swap(trial_);
      idle = 0;
    } else {
      at = (at + 1) % changes;
      ++idle;
    }
  }
  return best;
}

inline bool warm_up_climb::exhaust(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most,
                                   std::size_t few) {
  std::size_t all = 1;
  for (const std::size_t each : most) {
    if (each >= few / all) return false;
    all *= each + 1;
  }
  double best = price(counts);
  std::size_t total = sum(counts);
  found_.assign(most.size(), 0);
  for (std::size_t s = 0; s < most.size();) {
    trial_ = found_;
    raise_before(trial_);
    if (trial_ == found_) {
      const double value = price(found_);
      if (value < best || (value == best && sum(found_) < total)) best = value, total = sum(found_), counts = found_;
    }
    for (s = 0; s < most.size() && ++found_[s] > most[s]; ++s) found_[s] = 0;
  }
  return true;
}

inline double warm_up_climb::price(const std::vector<std::size_t>& counts) {
  ++runs;
  return of_.run(counts.data());
}

inline std::size_t warm_up_climb::sum(const std::vector<std::size_t>& counts) noexcept {
  std::size_t result = 0;
  for (const std::size_t count : counts) result += count;
  return result;
}

inline bool warm_up_climb::change(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most,
                                  std::size_t which) {
  const std::size_t k = counts.size();
  const std::size_t s = which / 4;
  if (s == k) return change_all(counts, most, which % 4 == 0);
  if (which % 4 == 1 || which % 4 == 3) {  // down, with those that must follow, or with all after it
    if (counts[s] == 0) return false;
    if (which % 4 == 3) return lower_behind(counts, s);
    --counts[s];
    for_each_edge(true, [&](std::size_t q, std::size_t before) { counts[q] = std::min(counts[q], counts[before]); });
    return true;
  }
  if (counts[s] == most[s]) return false;
  if (which % 4 == 0) {
    ++counts[s];
    raise_before(counts);
    return true;
  }
  marked_.assign(k, 0);
  marked_[s] = 1;
  for_each_edge(false, [&](std::size_t p, std::size_t behind) { marked_[p] |= marked_[behind]; });
  for (std::size_t p = 0; p < k; ++p) {
    if (marked_[p] != 0) counts[p] = std::min(counts[p] + 1, most[p]);
  }
  raise_before(counts);
  return true;
}

inline bool warm_up_climb::lower_behind(std::vector<std::size_t>& counts, std::size_t s) {
  marked_.assign(counts.size(), 0);
  marked_[s] = 1;
  for_each_edge(true, [&](std::size_t q, std::size_t before) { marked_[q] |= marked_[before]; });
  for (std::size_t q = 0; q < counts.size(); ++q) {
    if (marked_[q] != 0 && counts[q] > 0) --counts[q];
  }
  return true;
}

inline bool warm_up_climb::change_all(std::vector<std::size_t>& counts, const std::vector<std::size_t>& most,
                                      bool up) const {
  for (std::size_t s = 0; s < counts.size(); ++s) {
    counts[s] = up ? std::min(counts[s] + 1, most[s]) : counts[s] - (counts[s] == 0 ? 0U : 1U);
  }
  return true;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
