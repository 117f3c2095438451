// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/device_shares.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

using stagecut::io::detail::device_interval;
using stagecut::io::detail::share_device;

TEST_CASE("an instant is divided among the kernels that run in it") {
  CHECK(share_device({}).busy == 0);
  const auto one = share_device({{5, 8}});
  CHECK(one.each == std::vector<double>{3});
  CHECK(one.busy == 3);
  // 0 to 4 alone, 4 to 10 both, 10 to 12 alone.
  const auto two = share_device({{0, 10}, {4, 12}});
  CHECK(two.each == std::vector<double>{7, 5});
  CHECK(two.busy == 12);
  // A gap belongs to nobody; what takes no time has none, though it runs.
  const auto gap = share_device({{0, 2}, {6, 6}, {6, 7}, {7, 8}});
  CHECK(gap.each == std::vector<double>{2, 0, 1, 1});
  CHECK(gap.busy == 4);
}

TEST_CASE("what is hidden takes the time in which nothing else runs") {
  const auto made = share_device({{2, 10, true}, {4, 7}, {9, 12}});
  CHECK(made.each == std::vector<double>{4, 3, 3});  // 2 to 4, and 7 to 9
  CHECK(made.busy == 10);
  const auto both = share_device({{0, 6, true}, {2, 6, true}, {4, 6}});
  CHECK(both.each == std::vector<double>{3, 1, 2});
}

TEST_CASE("shares by enumeration of instants, and they add up to the busy time") {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<device_interval> kernels(random() % 7);
    for (device_interval& kernel : kernels) {
      kernel.first = static_cast<double>(random() % 12);
      kernel.last = kernel.first + static_cast<double>(random() % 6);
      kernel.is_hidden = random() % 3 == 0;
    }
    std::vector<double> each(kernels.size());
    double busy = 0;
    for (int instant = 0; instant < 20; ++instant) {
      const auto runs = [&](const device_interval& kernel) { return kernel.first <= instant && instant < kernel.last; };
      const bool any_visible = std::any_of(kernels.begin(), kernels.end(), [&](const device_interval& kernel) {
        return runs(kernel) && !kernel.is_hidden;
      });
      const auto counts = [&](const device_interval& kernel) {
        return runs(kernel) && kernel.is_hidden != any_visible;
      };
      const auto number = std::count_if(kernels.begin(), kernels.end(), counts);
      for (std::size_t i = 0; i < kernels.size(); ++i) {
        if (counts(kernels[i])) each[i] += 1 / static_cast<double>(number);
      }
      if (number > 0) ++busy;
    }
    const auto made = share_device(kernels);
    REQUIRE(made.each.size() == kernels.size());
    CHECK(made.busy == busy);
    double sum = 0;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      CHECK(made.each[i] == doctest::Approx(each[i]));
      sum += made.each[i];
    }
    CHECK(sum == doctest::Approx(busy));
  }
}
