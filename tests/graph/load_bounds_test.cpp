// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/load_bounds.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "random_problems.hpp"

using stagecut::stage_role;
using stagecut::detail::average_bound;
using stagecut::detail::heaviest_bound;
using stagecut::detail::least_above;
using stagecut::detail::stage_counts;

namespace {

/// A set costs the sum of its elements, one number on an accelerator and another on a CPU.
template <class Value>
struct sums {
  std::vector<Value> device{};
  std::vector<Value> cpu{};
  Value total[2]{};

  [[nodiscard]] std::size_t size() const { return device.size(); }
  void add(std::size_t e) { total[0] += device[e], total[1] += cpu[e]; }
  void remove(std::size_t e) { total[0] -= device[e], total[1] -= cpu[e]; }
  [[nodiscard]] Value value(const stage_role& role) const { return total[role.kind]; }
  [[nodiscard]] Value weight(std::size_t e, std::size_t kind) const { return kind == 0 ? device[e] : cpu[e]; }
};

/// The least greatest load of any way to deal the elements out.
template <class Value>
Value best_deal(const sums<Value>& all, const stage_counts& counts) {
  Value best = std::numeric_limits<Value>::max();
  std::vector<Value> load(counts.devices + counts.cpus);
  const auto place = [&](const auto& self, std::size_t e) -> void {
    if (e == all.size()) {
      best = std::min(best, *std::max_element(load.begin(), load.end()));
      return;
    }
    for (std::size_t s = 0; s < load.size(); ++s) {
      const Value before = load[s];
      load[s] += s < counts.devices ? all.device[e] : all.cpu[e];
      self(self, e + 1);
      load[s] = before;
    }
  };
  place(place, 0);
  return best;
}

/// Of 400 random problems, how many have a bound above the best way to deal them out, and how many nearly that.
struct tally {
  int too_high = 0;
  int tight = 0;
};

template <class Value>
tally tally_of(std::uint64_t seed) {
  tally result;
  for (std::uint64_t round = 0; round < 400; ++round) {
    oracle::chance random(seed + round);
    sums<Value> all;
    for (std::size_t e = random.below(8); e > 0; --e) {
      all.device.push_back(random.one_in(3) ? 0 : static_cast<Value>(random.below(12)));
      all.cpu.push_back(random.one_in(4) ? 0 : static_cast<Value>(random.below(30)));
    }
    const stage_counts counts{1 + random.below(3), random.below(3), true};
    const Value best = best_deal(all, counts);
    const Value bound = std::max(average_bound(all, counts), heaviest_bound(all, counts));
    if (bound > best) ++result.too_high;
    if (static_cast<double>(bound) > 0.9 * static_cast<double>(best)) ++result.tight;
  }
  return result;
}

}  // namespace

TEST_CASE("no way to deal elements out has less than the average and the heaviest") {
  const tally whole = tally_of<long>(100);
  CHECK(whole.too_high == 0);
  CHECK(whole.tight > 133);
  const tally real = tally_of<double>(10000);
  CHECK(real.too_high == 0);
  CHECK(real.tight > 133);
}

TEST_CASE("with parts of elements on CPUs the average is met") {
  sums<double> all{{6, 6, 6}, {3, 6, 12}};
  CHECK(average_bound(all, {2, 0, true}) == doctest::Approx(9));
  // The first on the CPU, and a share of the second: (12 - 6 x) / 1 = 3 + 6 x.
  CHECK(average_bound(all, {1, 1, true}) == doctest::Approx(7.5));
  CHECK(heaviest_bound(all, {1, 1, true}) == 6);
  CHECK(heaviest_bound(all, {1, 0, true}) == 6);
}

TEST_CASE("whole numbers are at least the next above, real ones not more than the bound") {
  CHECK(least_above<int>(2.25) == 3);
  CHECK(least_above<int>(3) == 3);
  CHECK(least_above<long>(0) == 0);
  CHECK(least_above<long>(1e300) == std::numeric_limits<long>::max());
  CHECK(least_above<double>(2.25) <= 2.25);
  CHECK(least_above<double>(2.25) == doctest::Approx(2.25));
}
