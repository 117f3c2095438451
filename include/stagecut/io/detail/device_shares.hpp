// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <stagecut/core/config.hpp>

// Device time of kernels that run at once on several streams.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// A kernel on a device, in any unit of time.
struct device_interval {
  double first = 0;
  double last = 0;         ///< at least `first`
  bool is_hidden = false;  ///< takes only time in which no kernel runs that is not hidden
};

/// The time of each kernel.
struct device_shares {
  std::vector<double> each{};  ///< its share; they add up to `busy`
  double busy = 0;             ///< in which any kernel ran
};

/// Divides each instant equally among the kernels that run in it: among those that are not hidden, if there are any.
/// O(n log n), however many run at once.
[[nodiscard]] inline device_shares share_device(const std::vector<device_interval>& kernels) {
  struct boundary {
    double at;
    std::size_t kernel;
    bool is_end;
  };
  std::vector<boundary> boundaries;
  boundaries.reserve(2 * kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    boundaries.push_back({kernels[i].first, i, false});
    boundaries.push_back({kernels[i].last, i, true});
  }
  std::sort(boundaries.begin(), boundaries.end(), [](const boundary& a, const boundary& b) {
    return a.at != b.at ? a.at < b.at : a.is_end != b.is_end ? b.is_end : a.kernel < b.kernel;
  });
  device_shares made{std::vector<double>(kernels.size())};
  // The share of a kernel from the beginning of time on, if it ran all the time.
  double elapsed[2] = {0, 0};  // visible, hidden
  std::size_t running[2] = {0, 0};
  double last = boundaries.empty() ? 0 : boundaries.front().at;
  for (const boundary& next : boundaries) {
    const double time = next.at - last;
    last = next.at;
    const std::size_t counted = running[0] != 0 ? 0 : 1;
    if (running[counted] != 0) {
      elapsed[counted] += time / static_cast<double>(running[counted]);
      made.busy += time;
    }
    const std::size_t group = kernels[next.kernel].is_hidden ? 1 : 0;
    if (next.is_end) {
      made.each[next.kernel] = elapsed[group] - made.each[next.kernel];
      --running[group];
    } else {
      made.each[next.kernel] = elapsed[group];
      ++running[group];
    }
  }
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
