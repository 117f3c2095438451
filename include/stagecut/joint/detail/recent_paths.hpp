// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The critical paths that were met last, each a bound of every plan, with their lengths for the plan at hand.
class recent_paths {
 public:
  static constexpr std::size_t places = 64;
  using lengths = std::array<double, places>;

  /// @param slots  durations of a plan
  explicit recent_paths(std::size_t slots);

  lengths now{};  ///< of the plan at hand

  /// Takes a path, in place of the oldest one.
  void add(const std::vector<double>& counts, const std::vector<double>& times);

  /// Lengths that change as a duration does.
  void change(std::size_t slot, double by, lengths& of) const;

  /// Of a plan made anew.
  void measure(const std::vector<double>& times);

  [[nodiscard]] static double longest(const lengths& of);
  [[nodiscard]] static double mean(const lengths& of);

 private:
  std::vector<lengths> counts_;
  std::size_t next_ = 0;
};

inline recent_paths::recent_paths(std::size_t slots) : counts_(slots) {
  for (auto& each : counts_) each.fill(0);
  now.fill(0);
}

inline void recent_paths::add(const std::vector<double>& counts, const std::vector<double>& times) {
  double length = 0;
  for (std::size_t j = 0; j < counts.size(); ++j) length += counts[j] * times[j];
  for (std::size_t j = 0; j < counts.size(); ++j) counts_[j][next_] = counts[j];
  now[next_] = length;
  next_ = (next_ + 1) % places;
}

inline void recent_paths::change(std::size_t slot, double by, lengths& of) const {
  const lengths& here = counts_[slot];
  for (std::size_t k = 0; k < places; ++k) of[k] += by * here[k];
}

inline void recent_paths::measure(const std::vector<double>& times) {
  now.fill(0);
  for (std::size_t j = 0; j < times.size(); ++j) {
    if (times[j] != 0) change(j, times[j], now);
  }
}

inline double recent_paths::longest(const lengths& of) {
  double most = 0;
  for (const double each : of) most = std::max(most, each);
  return most;
}

inline double recent_paths::mean(const lengths& of) {
  double sum = 0;
  for (const double each : of) sum += each;
  return sum / static_cast<double>(places);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
