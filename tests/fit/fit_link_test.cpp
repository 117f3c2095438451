// SPDX-License-Identifier: BSL-1.0
#include <stagecut/fit/fit_link.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../refusal.hpp"

using doctest::Approx;
using stagecut::fit_link;
using stagecut::invalid_input;
using stagecut::link_fit;
using stagecut::link_sample;
using stagecut::link_speed;

namespace {

using samples = std::vector<link_sample>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// What a link takes for messages of 1 byte to 1 GiB, in steps of 4, each `times` times, with relative noise.
samples measured(const link_speed& link, double noise, unsigned seed, int times = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> standard(0, 1);
  samples result;
  for (int i = 0; i < times; ++i) {
    for (double bytes = 1; bytes <= 1 << 30; bytes *= 4) {
      result.push_back({bytes, link(bytes) * std::max(0.2, 1 + noise * standard(random))});
    }
  }
  return result;
}

/// The sum of the squares of relative errors.
double squares(const samples& of, double latency, double seconds_per_byte) {
  double sum = 0;
  for (const auto& [bytes, seconds] : of) sum += std::pow((latency + bytes * seconds_per_byte) / seconds - 1, 2);
  return sum;
}

/// Latency and seconds per byte by the normal equations, each sample with its weight; they may be negative.
template <class Weight>
std::array<double, 2> normal_equations(const samples& of, const Weight& weight_of) {
  long double w = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [bytes, seconds] : of) {
    const long double weight = weight_of(seconds);
    w += weight;
    x += weight * bytes;
    y += weight * seconds;
    xx += weight * bytes * bytes;
    xy += weight * bytes * seconds;
  }
  const long double slope = (w * xy - x * y) / (w * xx - x * x);
  return {static_cast<double>((y - slope * x) / w), static_cast<double>(slope)};
}

/// Whether two figures are the same but for a share; Approx would take any two that are far below 1 for equal.
bool close(double a, double b, double share) { return std::abs(a - b) <= share * std::abs(b); }

constexpr auto relative = [](double seconds) { return 1 / (static_cast<long double>(seconds) * seconds); };

/// Random times that grow with the size faster or slower than a line, or hardly.
samples any_samples(std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  const double latency = uniform(random) < 0.3 ? 0 : std::pow(10, -7 + 3 * uniform(random));
  const double power = 0.4 + 0.8 * uniform(random);
  const double noise = 0.3 * uniform(random);
  samples result;
  const std::size_t n = 2 + random() % 20;
  for (std::size_t i = 0; i < n; ++i) {
    const double bytes = std::floor(std::pow(10, 8 * uniform(random)));
    result.push_back({bytes, (latency + 1e-9 * std::pow(bytes, power)) * (1 + noise * uniform(random))});
  }
  return result;
}

/// Whether larger messages take longer: other samples are refused.
bool grows(const samples& of) { return normal_equations(of, relative)[1] > 0; }

}  // namespace

TEST_CASE("a link is found again from exact times, whatever its speed") {
  for (const double latency : {1e-7, 5e-6, 3e-4, 0.2}) {
    for (const double bandwidth : {1e5, 1.25e8, 25e9, 9e11}) {
      CAPTURE(latency);
      CAPTURE(bandwidth);
      const link_fit fit = fit_link(measured({latency, bandwidth}, 0, 0));
      CHECK(close(fit.link.latency, latency, 1e-9));
      CHECK(close(fit.link.bandwidth, bandwidth, 1e-9));
      CHECK(fit.largest_error < 1e-12);
      CHECK(fit.r_squared == Approx(1).epsilon(1e-12));
    }
  }
}

TEST_CASE("two samples are enough, and are met") {
  const link_fit fit = fit_link({{0, 2e-6}, {1e6, 1.2e-5}});
  CHECK(close(fit.link.latency, 2e-6, 1e-9));
  CHECK(close(fit.link.bandwidth, 1e11, 1e-9));
  CHECK(fit.largest_error < 1e-14);
  CHECK(fit.r_squared == Approx(1));
}

TEST_CASE("without latency there is none") {
  const link_fit fit = fit_link(measured({0, 1e9}, 0, 0));
  CHECK(fit.link.latency < 1e-22);
  CHECK(close(fit.link.bandwidth, 1e9, 1e-12));
}

TEST_CASE("noise of both signs hardly moves the link, and the largest error tells it") {
  for (unsigned seed = 1; seed <= 50; ++seed) {
    CAPTURE(seed);
    const link_speed link{5e-6, 25e9};
    const link_fit fit = fit_link(measured(link, 0.05, seed, 9));
    CHECK(close(fit.link.latency, link.latency, 0.04));
    CHECK(close(fit.link.bandwidth, link.bandwidth, 0.04));
    CHECK(fit.largest_error > 0.06);
    CHECK(fit.largest_error < 0.3);
    CHECK(fit.r_squared > 0.99);
  }
}

TEST_CASE("relative noise of s makes the times 2 s^2 too short") {
  for (const double noise : {0.05, 0.1}) {
    const link_speed link{5e-6, 25e9};
    const link_fit fit = fit_link(measured(link, noise, 7, 20000));
    CHECK(close(1 - fit.link.latency / link.latency, 2 * noise * noise, 0.15));
    CHECK(close(fit.link.bandwidth / link.bandwidth - 1, 2 * noise * noise, 0.15));
  }
}

TEST_CASE("errors in seconds would leave the latency to chance") {
  const link_speed link{5e-6, 25e9};
  double worst_here = 0;
  double mean_there = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    const samples with_noise = measured(link, 0.03, seed);
    const double here = fit_link(with_noise).link.latency;
    const double there = normal_equations(with_noise, [](double) { return 1.0L; })[0];
    worst_here = std::max(worst_here, std::abs(here / link.latency - 1));
    mean_there += std::abs(there / link.latency - 1) / 100;
  }
  CHECK(worst_here < 0.05);
  CHECK(mean_there > 1);  // off by itself and more
}

TEST_CASE("the answer is that of the normal equations, where both figures are positive") {
  std::mt19937 random(20261122);
  int compared = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const samples of = any_samples(random);
    const auto [latency, slope] = normal_equations(of, relative);
    if (!(latency > 0 && slope * 1e8 > 1e-6 * latency)) continue;
    const link_fit fit = fit_link(of);
    ++compared;
    REQUIRE(close(fit.link.latency, latency, 1e-6));
    REQUIRE(close(fit.link.bandwidth, 1 / slope, 1e-6));
  }
  CHECK(compared > 1000);
}

TEST_CASE("no other link has less squares of errors") {
  std::mt19937 random(3);
  int clamped = 0;
  int compared = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const samples of = any_samples(random);
    if (!grows(of)) continue;
    ++compared;
    const link_speed link = fit_link(of).link;
    const double least = squares(of, link.latency, 1 / link.bandwidth);
    clamped += link.latency == 0 ? 1 : 0;
    // On a grid over all latencies and speeds that could be, and close to the answer.
    double other = infinity;
    for (int i = -1; i <= 60; ++i) {
      const double latency = i < 0 ? 0 : std::pow(10, -10 + i / 10.0);
      for (int j = 0; j <= 60; ++j) other = std::min(other, squares(of, latency, std::pow(10, -13 + j / 10.0)));
    }
    for (const double a : {-1e-3, 0.0, 1e-3}) {
      for (const double b : {-1e-3, 0.0, 1e-3}) {
        const double latency = link.latency == 0 ? std::max(0.0, a * 1e-6) : link.latency * (1 + a);
        other = std::min(other, squares(of, latency, (1 + b) / link.bandwidth));
      }
    }
    REQUIRE(other >= least * (1 - 1e-9));
  }
  CHECK(compared > 200);
  CHECK(clamped > 20);
  CHECK(clamped < compared - 20);
}

TEST_CASE("times that grow faster than the sizes have no latency, and the best bandwidth without") {
  samples of;
  for (double bytes = 1; bytes <= 1e6; bytes *= 10) of.push_back({bytes, 1e-9 * std::pow(bytes, 1.1)});
  CHECK(normal_equations(of, relative)[0] < 0);
  const link_fit fit = fit_link(of);
  CHECK(fit.link.latency == 0);
  double sum = 0;
  double square = 0;
  for (const auto& [bytes, seconds] : of) sum += bytes / seconds, square += (bytes / seconds) * (bytes / seconds);
  CHECK(close(fit.link.bandwidth, square / sum, 1e-9));
  CHECK(fit.largest_error > 0.3);
}

TEST_CASE("the figures of trust are those of the link that is returned") {
  std::mt19937 random(11);
  int compared = 0;
  for (int trial = 0; trial < 500; ++trial) {
    const samples of = any_samples(random);
    if (!grows(of)) continue;
    ++compared;
    const link_fit fit = fit_link(of);
    double largest = 0;
    double one = 0;
    double square = 0;
    for (const auto& [bytes, seconds] : of) {
      largest = std::max(largest, std::abs(fit.link(bytes) - seconds) / seconds);
      one += 1 / seconds;
      square += 1 / (seconds * seconds);
    }
    REQUIRE(fit.largest_error == Approx(largest).epsilon(1e-9));
    const link_sample& worst = of[fit.worst];
    REQUIRE(std::abs(fit.link(worst.bytes) - worst.seconds) / worst.seconds == Approx(largest).epsilon(1e-9));
    const double best_constant = squares(of, one / square, 0);
    const double left = squares(of, fit.link.latency, 1 / fit.link.bandwidth);
    REQUIRE(fit.r_squared == Approx(1 - left / best_constant).epsilon(1e-6));
    REQUIRE(fit.r_squared >= 0);
    REQUIRE(fit.r_squared <= 1);
  }
  CHECK(compared > 300);
}

TEST_CASE("sizes that explain nothing show in r squared") {
  int low = 0;
  int fitted = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> factor(1, 0.05);
    samples of;
    for (int i = 0; i < 200; ++i) of.push_back({1.0 + i % 20, 5e-6 * factor(random)});
    if (!grows(of)) continue;
    ++fitted;
    low += fit_link(of).r_squared < 0.1 ? 1 : 0;
  }
  CHECK(fitted > 5);
  CHECK(low == fitted);
  for (int i = 1; i <= 50; ++i) {  // rounding makes neither more nor less of it
    const double r_squared = fit_link({{1, 1}, {1, 2}, {2, 1}, {2, 2 + i * 1e-10}}).r_squared;
    CHECK(r_squared >= 0);
    CHECK(r_squared < 1e-9);
  }
}

TEST_CASE("a time that is far too long moves little, and is named") {
  const link_speed link{5e-6, 25e9};
  samples of = measured(link, 0, 0, 3);
  of[20].seconds *= 10;
  of.push_back(of[20]);
  const link_fit fit = fit_link(of);
  CHECK(fit.worst == 20);
  CHECK(fit.largest_error == Approx(0.9).epsilon(0.05));
  CHECK(close(fit.link.latency, link.latency, 0.02));
  CHECK(close(fit.link.bandwidth, link.bandwidth, 0.02));
}

TEST_CASE("another unit of time or size changes the figures by that alone") {
  std::mt19937 random(5);
  int compared = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const samples of = any_samples(random);
    if (!grows(of)) continue;
    ++compared;
    const link_fit before = fit_link(of);
    for (const auto& [per_byte, per_second] :
         {std::pair(1.0, 0x1p20), std::pair(0x1p-13, 1.0), std::pair(0x1p9, 0x1p-300)}) {
      samples scaled = of;
      for (link_sample& sample : scaled) sample.bytes *= per_byte, sample.seconds *= per_second;
      const link_fit after = fit_link(scaled);
      REQUIRE(after.link ==
              link_speed{before.link.latency * per_second, before.link.bandwidth * per_byte / per_second});
      REQUIRE(after.largest_error == before.largest_error);
      REQUIRE(after.worst == before.worst);
      REQUIRE(after.r_squared == before.r_squared);
    }
    samples in_milliseconds = of;
    for (link_sample& sample : in_milliseconds) sample.seconds *= 1000;
    REQUIRE(close(fit_link(in_milliseconds).link.bandwidth, before.link.bandwidth / 1000, 1e-6));
  }
  CHECK(compared > 150);
}

TEST_CASE("neither the order of samples nor that each stands twice matters") {
  const samples of = measured({2e-6, 1e10}, 0.1, 4);
  const link_fit before = fit_link(of);
  samples twice(of.rbegin(), of.rend());
  twice.insert(twice.end(), of.begin(), of.end());
  const link_fit after = fit_link(twice);
  CHECK(close(after.link.latency, before.link.latency, 1e-10));
  CHECK(close(after.link.bandwidth, before.link.bandwidth, 1e-10));
  CHECK(after.largest_error == Approx(before.largest_error).epsilon(1e-10));
  CHECK(after.r_squared == Approx(before.r_squared).epsilon(1e-10));
}

TEST_CASE("figures of any magnitude") {
  const link_fit small = fit_link({{1e-200, 2e-300}, {3e-200, 4e-300}});
  CHECK(close(small.link.latency, 1e-300, 1e-9));
  CHECK(close(small.link.bandwidth, 1e100, 1e-9));
  const link_fit large = fit_link({{1e300, 2e200}, {3e300, 4e200}});
  CHECK(close(large.link.latency, 1e200, 1e-9));
  CHECK(close(large.link.bandwidth, 1e100, 1e-9));
  const link_fit wide = fit_link({{0, 1e-140}, {1, 1e140}});
  CHECK(close(wide.link.latency, 1e-140, 1e-9));
  CHECK(close(wide.link.bandwidth, 1e-140, 1e-9));
  CHECK(refusal<invalid_input>([] {
          return fit_link({{0, 1e-300}, {1e100, 2e-300}});
        }) == "samples: latency or bandwidth is out of range");
  CHECK(refusal<invalid_input>([] {
          return fit_link({{0, 1e300}, {1e-300, 2e300}});
        }) == "samples: latency or bandwidth is out of range");  // 0 would say that it is infinite
}

TEST_CASE("too few sizes are refused") {
  const std::string one = "samples: all are of one size, and latency and bandwidth need two sizes at least";
  CHECK(refusal<invalid_input>([] { return fit_link(samples{}); }) ==
        "samples: there is none, and latency and bandwidth need two sizes at least");
  CHECK(refusal<invalid_input>([] { return fit_link({{8, 1}}); }) == one);
  CHECK(refusal<invalid_input>([] { return fit_link({{8, 1}, {8, 2}, {8, 3}}); }) == one);
  CHECK(refusal<invalid_input>([] { return fit_link({{0, 1}, {0, 2}}); }) == one);
  CHECK(refusal<invalid_input>([] { return fit_link({{1e12, 1}, {1e12 + 1, 2}}); }) == one);
  CHECK_NOTHROW(static_cast<void>(fit_link({{1e6, 1}, {1e6 + 1, 2}})));
}

TEST_CASE("figures that are none are refused, with the sample") {
  const auto said = [](double bytes, double seconds) {
    return refusal<invalid_input>([&] { return fit_link(samples{{1, 1}, {2, 2}, {bytes, seconds}}); });
  };
  CHECK(said(-1, 1) == "sample 2: bytes = -1, must be finite and not negative");
  CHECK(said(not_a_number, 1) == "sample 2: bytes = NaN, must be finite and not negative");
  CHECK(said(infinity, 1) == "sample 2: bytes = inf, must be finite and not negative");
  CHECK(said(1, -0.5) == "sample 2: seconds = -0.5, must be finite and above 0");
  CHECK(said(1, 0) == "sample 2: seconds = 0, must be finite and above 0");
  CHECK(said(1, -not_a_number) == "sample 2: seconds = NaN, must be finite and above 0");
  CHECK(said(1, infinity) == "sample 2: seconds = inf, must be finite and above 0");
}

TEST_CASE("times that do not grow with the size are refused, not made infinitely fast") {
  const std::string said =
      "samples: the time does not grow with the size: add larger messages, which determine the bandwidth";
  CHECK(refusal<invalid_input>([] { return fit_link({{1, 2}, {1e6, 1}}); }) == said);
  for (const double seconds : {1.0, 0.1, 1e-6, 1.0 / 3}) {
    samples flat;
    for (double bytes = 1; bytes < 1e7; bytes *= 3) {
      flat.push_back({bytes, seconds});
      CAPTURE(flat.size());
      if (flat.size() > 1) CHECK(refusal<invalid_input>([&] { return fit_link(flat); }) == said);
    }
  }
  for (int i = 1; i <= 50; ++i) {  // sizes close to each other make no growth of rounding errors
    const double seconds = i / 7.0;
    const double next = std::nextafter(seconds, infinity);
    const samples flat{{1e8, seconds}, {1e8 + 1, seconds}, {1e8 + i, next}};
    CHECK(refusal<invalid_input>([&] { return fit_link(flat); }) == said);
    CHECK(refusal<invalid_input>([&] { return fit_link({{1, seconds}, {1000, next}}); }) == said);
  }
  // A millionth more is growth.
  CHECK(fit_link({{1, 1}, {1001, 1.000001}}).link.bandwidth == Approx(1e9).epsilon(1e-3));
}
