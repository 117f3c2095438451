// SPDX-License-Identifier: BSL-1.0
#pragma once

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

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/recent_paths.ipp>
#endif
