// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/error.hpp>
#include <stagecut/fit/layer_times.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "../refusal.hpp"

using doctest::Approx;
using stagecut::layer_time;
using stagecut::layer_times;

namespace {

using seconds = std::vector<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

layer_time one(const seconds& samples, const stagecut::layer_time_options& options = {}) {
  return layer_times({samples}, options).at(0);
}

}  // namespace

TEST_CASE("the time of a layer is the median, with quartiles, whatever the order") {
  CHECK(one({3}) == layer_time{3, 3, 3, 1, 0});
  CHECK(one({4, 2}) == layer_time{3, 2.5, 3.5, 2, 0});
  CHECK(one({5, 1, 4, 2, 3}) == layer_time{3, 2, 4, 5, 0});
  CHECK(one({4, 1, 3, 2}) == layer_time{2.5, 1.75, 3.25, 4, 0});
  const auto two = layer_times({{1, 2, 3}, {0, 0}});
  REQUIRE(two.size() == 2);
  CHECK(two[0].seconds == 2);
  CHECK(two[1] == layer_time{0, 0, 0, 2, 0});
  CHECK(layer_times({}).empty());
}

TEST_CASE("outliers are left out and counted") {
  CHECK(one({10, 11, 12, 13, 14, 90}) == layer_time{12, 11, 13, 5, 1});
  CHECK(one({0.1, 10, 11, 12, 13, 14}) == layer_time{12, 11, 13, 5, 1});
  CHECK(one({10, 11, 12, 13, 14, 90}, {.outlier_limit = infinity}) == layer_time{12.5, 11.25, 13.75, 6, 0});
  // Of a coarse clock most are equal: those next to them are none, and one far off is.
  CHECK(one({5, 5, 5, 5, 6, 5, 4, 5}).outliers == 0);
  CHECK(one({5, 5, 5, 5, 5, 5, 5, 50}) == layer_time{5, 5, 5, 7, 1});
  CHECK(one({5, 5, 5, 5}, {.outlier_limit = infinity}) == layer_time{5, 5, 5, 4, 0});
}

TEST_CASE("the first samples are dropped") {
  CHECK(one({500, 100, 3, 2, 4}, {.dropped = 2}) == layer_time{3, 2.5, 3.5, 3, 0});
  CHECK(one({500, 100, 3}, {.dropped = 2}) == layer_time{3, 3, 3, 1, 0});
}

TEST_CASE("disturbed samples, less than half, move the time little") {
  std::mt19937 random(31);
  std::normal_distribution<double> noise(1, 0.02);
  std::uniform_real_distribution<double> delay(2, 100);
  for (int round = 0; round < 500; ++round) {
    const double truth = std::pow(10, -6 + round % 5);
    seconds samples(50);
    for (double& sample : samples) sample = truth * noise(random);
    const std::size_t disturbed = random() % 16;
    for (std::size_t i = 0; i < disturbed; ++i) samples[random() % 50] = truth * delay(random);
    const layer_time found = one(samples);
    CHECK(found.seconds == Approx(truth).epsilon(0.02));
    CHECK(std::abs(found.seconds / truth - 1) < 0.02);
    CHECK(found.samples + found.outliers == 50);
    CHECK(found.outliers >= static_cast<std::size_t>(std::count_if(samples.begin(), samples.end(),
                                                                   [&](double x) { return x > 2 * truth; })));
    CHECK(found.outliers <= disturbed + 8);
    CHECK(found.first_quartile <= found.seconds);
    CHECK(found.seconds <= found.third_quartile);
    std::shuffle(samples.begin(), samples.end(), random);
    CHECK(one(samples) == found);
  }
}

TEST_CASE("at least half of any samples are kept") {
  std::mt19937 random(37);
  std::uniform_real_distribution<double> power(-8, 8);
  for (int round = 0; round < 2000; ++round) {
    seconds samples(1 + random() % 12);
    for (double& sample : samples) sample = random() % 3 == 0 ? 1 : std::pow(10, power(random));
    const layer_time found = one(samples, {.outlier_limit = 1});
    CHECK(2 * found.samples >= samples.size());
    CHECK(found.samples + found.outliers == samples.size());
  }
}

TEST_CASE("samples that are none are refused") {
  const auto refused = [](const std::vector<seconds>& samples, const stagecut::layer_time_options& options = {}) {
    return refusal([&] { return layer_times(samples, options); });
  };
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  CHECK(refused({{1}, {}}) == "layer 1: has 0 samples, of which 0 are dropped");
  CHECK(refused({{1, 2}}, {.dropped = 2}) == "layer 0: has 2 samples, of which 2 are dropped");
  CHECK(refused({{1, -1}}) == "layer 0: sample 1 = -1, must be finite and not negative");
  CHECK(refused({{1}, {not_a_number, 1}}, {.dropped = 1}).find("layer 0: has 1 samples") == 0);
  CHECK(refused({{1, 1}, {not_a_number, 1}}, {.dropped = 1}) ==
        "layer 1: sample 0 = NaN, must be finite and not negative");
  CHECK(refused({{infinity}}).find("must be finite") != std::string::npos);
  CHECK(refused({{1}}, {.outlier_limit = 0.5}) ==
        "stagecut::layer_times: options.outlier_limit = 0.5, must be at least 1");
  CHECK(refused({{1}}, {.outlier_limit = not_a_number}).find("= NaN, must be at least 1") != std::string::npos);
}
