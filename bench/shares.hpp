// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>

namespace bench {

/// Numbers summarized by mean and maximum, in per cent.
class shares {
 public:
  void add(double value) {
    ++count_;
    sum_ += value;
    most_ = std::max(most_, value);
  }
  void tell(benchmark::State& state, const std::string& name) const {
    if (count_ == 0) return;
    state.counters[name + "_percent"] = 100 * sum_ / count_;
    if (count_ > 1) state.counters[name + "_most_percent"] = 100 * most_;
  }
  [[nodiscard]] double count() const { return count_; }

 private:
  double count_ = 0, sum_ = 0, most_ = 0;
};

}  // namespace bench
