// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace published {

/// Errors of predictions: predicted / published - 1.
struct errors {
  std::vector<double> values{};

  [[nodiscard]] std::vector<double> sizes() const {
    std::vector<double> made;
    for (const double each : values) made.push_back(std::abs(each));
    std::sort(made.begin(), made.end());
    return made;
  }
  [[nodiscard]] double median() const {
    const std::vector<double> all = sizes();
    return (all[(all.size() - 1) / 2] + all[all.size() / 2]) / 2;
  }
  /// The error that at least nine of ten runs, or all of fewer, are within.
  [[nodiscard]] double nine_of_ten() const {
    const std::vector<double> all = sizes();
    return all[(9 * all.size() + 9) / 10 - 1];
  }
  [[nodiscard]] double worst() const { return sizes().back(); }
  [[nodiscard]] double mean() const {
    double sum = 0;
    for (const double each : values) sum += each;
    return sum / static_cast<double>(values.size());
  }
};

inline void print_errors(const std::string& name, const errors& of) {
  std::printf("| %s | %zu | %.1f %% | %.1f %% | %.1f %% | %+.1f %% |\n", name.c_str(), of.values.size(),
              100 * of.median(), 100 * of.nine_of_ten(), 100 * of.worst(), 100 * of.mean());
}

inline constexpr const char* error_head =
    "| group | runs | median error | nine of ten within | worst | mean |\n|---|---|---|---|---|---|\n";

}  // namespace published
