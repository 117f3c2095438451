// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <stagecut/engine/label_program.hpp>
#include <stagecut/joint/detail/latency_program.hpp>

#include <doctest/doctest.h>

using namespace stagecut;
using detail::latency_label;
using detail::length_order;

namespace {

bool beats(const latency_label& a, const latency_label& b, std::uint32_t period) {
  const bool alike = period == 0 ? a.devices == b.devices : a.devices % period == b.devices % period;
  return alike && a.stages == b.stages && a.sum <= b.sum && a.exposed <= b.exposed && a.devices <= b.devices &&
         a.load <= b.load && a.is_below <= b.is_below;
}

}  // namespace

TEST_CASE("what is left is not beaten, and beats the rest") {
  std::mt19937 dice(71);
  for (std::uint32_t round = 0; round < 200; ++round) {
    const std::uint32_t period = round % 4;
    std::vector<latency_label> all;
    const length_order order{period};
    engine::label_front<latency_label, length_order> labels;
    for (std::size_t i = dice() % 2000; i > 0; --i) {
      latency_label label;
      label.sum = static_cast<double>(dice() % 50);
      label.exposed = round % 3 == 0 ? static_cast<double>(dice() % 3) : 0;
      label.devices = static_cast<std::uint32_t>(dice() % 6);
      label.load = static_cast<std::uint32_t>(dice() % 9);
      label.stages = static_cast<std::uint32_t>(dice() % 2);
      label.is_below = round % 3 == 0 && dice() % 2 == 0;
      all.push_back(label);
      labels.add(label, order);
    }
    labels.settle(order);
    for (const latency_label& each : all) {
      bool is_kept = false;
      for (const latency_label& other : labels) is_kept = is_kept || beats(other, each, period);
      REQUIRE(is_kept);
    }
    for (const latency_label& each : labels) {
      std::size_t by = 0;
      for (const latency_label& other : labels) by += beats(other, each, period) ? 1 : 0;
      REQUIRE(by == 1);  // itself
    }
  }
}
