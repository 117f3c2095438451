// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/detail/whole_times.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using stagecut::detail::whole_times;

namespace {

const std::vector<double> once(20, 1);

/// How far the sums of all times may be off, added up one by one.
double off_by(const whole_times& unit, const std::vector<double>& times, const std::vector<double>& counts) {
  double sum = 0;
  for (std::size_t i = 0; i < times.size(); ++i)
    sum += std::abs(unit.whole(times[i]) * unit.unit - times[i]) * counts[i];
  return sum;
}

}  // namespace

TEST_CASE("times that people write have a decimal unit") {
  const whole_times tenths({0.1, 2.5, 30}, once, 100);
  CHECK(tenths.unit == 0.1);
  CHECK(tenths.step == 1);
  CHECK(tenths.error == 0);
  CHECK(tenths.whole(0.1) + tenths.whole(0.1) + tenths.whole(0.1) == tenths.whole(0.3));

  const whole_times thousands({4000, 6000}, once, 1e5);
  CHECK(thousands.unit == 1000);
  CHECK(thousands.step == 2);

  const whole_times nothing({0, 0}, once, 0);
  CHECK(nothing.unit == 1);
  CHECK(nothing.step == 1);
  CHECK(nothing.whole(0) == 0);
}

TEST_CASE("decimal fractions of any length: exact, and the step is what divides all") {
  std::mt19937 dice(1);
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    const int digits = static_cast<int>(dice() % 10);
    const long long factor = 1 + static_cast<long long>(dice() % 12);
    std::vector<long long> written;
    std::vector<double> times;
    for (int i = 0; i < 8; ++i) {
      written.push_back(factor * static_cast<long long>(dice() % 100'000));
      times.push_back(std::strtod((std::to_string(written.back()) + "e-" + std::to_string(digits)).c_str(), nullptr));
    }
    const double most = 1000 * std::accumulate(times.begin(), times.end(), 0.0);
    if (most == 0) continue;
    const whole_times unit(times, once, most);
    CHECK(unit.error == 0);
    long long common = 0;
    for (const long long each : written) common = std::gcd(common, each);
    // The unit may be 10, 100 or 1000 of the last digit.
    const double tens = std::round(unit.unit * std::pow(10, digits));
    CHECK(std::abs(unit.unit * std::pow(10, digits) - tens) < 1e-12 * tens);
    for (std::size_t i = 0; i < times.size(); ++i) {
      CHECK(unit.whole(times[i]) * tens == static_cast<double>(written[i]));
      CHECK(std::fmod(unit.whole(times[i]), unit.step) == 0);
    }
    CHECK(unit.step * tens == static_cast<double>(common));
  }
}

TEST_CASE("other times are rounded to a power of two, and it is told how far off sums may be") {
  std::mt19937 dice(2);
  std::uniform_real_distribution<double> any(0, 1);
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    const double scale = std::pow(10, static_cast<int>(dice() % 40) - 20);
    std::vector<double> times;
    std::vector<double> counts;
    double most = 0;
    for (int i = 0; i < 8; ++i) {
      times.push_back(any(dice) * scale);
      counts.push_back(1 + static_cast<double>(dice() % 50));
      most += times.back() * counts.back();
    }
    const whole_times unit(times, counts, most);
    int power = 0;
    CHECK(std::frexp(unit.unit, &power) == 0.5);
    CHECK(most / unit.unit >= 0x1p48);
    CHECK(most / unit.unit < 0x1p50);
    CHECK(unit.error >= off_by(unit, times, counts));
    CHECK(unit.error <= most * 0x1p-40);
    for (const double time : times) {
      CHECK(std::abs(unit.whole(time) * unit.unit - time) <= unit.unit / 2);
      CHECK(std::fmod(unit.whole(time), unit.step) == 0);
    }
  }
}

TEST_CASE("a power of two that divides all leaves no error") {
  const double third = 0x1.5555554p-2;  // of 28 decimals
  const whole_times unit({third, 2 * third}, once, 1000);
  CHECK(unit.error == 0);
  CHECK(unit.whole(2 * third) == 2 * unit.whole(third));
  CHECK(unit.step == unit.whole(third));
}

TEST_CASE("an iteration of too many units is rounded though its times are decimal") {
  const whole_times unit({1e-3}, once, 1e13);
  CHECK(unit.unit > 1e-3);
  CHECK(unit.error > 0);
}
