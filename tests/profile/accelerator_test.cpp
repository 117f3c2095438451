// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/devices.hpp>
#include <stagecut/profile/accelerator.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <set>
#include <string>

namespace {

using stagecut::transformer::device;
using stagecut::transformer::efficiencies;

template <class Figures>
std::string refused(const Figures& of) {
  try {
    stagecut::transformer::check(of);
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "";
}

constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("the devices that are known have names of their own and figures that agree") {
  std::set<std::string_view> names;
  for (const device& each : stagecut::transformer::devices) {
    CAPTURE(std::string(each.name));
    CHECK(names.insert(each.name).second);
    CHECK(refused(each).empty());
    CHECK(each.gemm < each.flops);  // no measurement reaches the data sheet
    CHECK(each.gemm > each.flops / 2);
    CHECK((each.gemm_fp8 == 0 || each.gemm_fp8 > 1.5 * each.gemm));
    CHECK(each.link > each.network);
  }
  CHECK(names.contains("a100-40gb"));
  CHECK(names.contains("gb200-186gb"));
  CHECK(stagecut::transformer::devices[0] == device{});
}

TEST_CASE("a device that computes nothing is refused") {
  CHECK(refused(device{.flops = 0}) == "device.flops: 0.000000 is not above 0");
  CHECK(refused(device{.gemm = -1}) == "device.gemm: -1.000000 is not above 0");
  CHECK(refused(device{.gemm_fp8 = -1}) == "device.gemm_fp8: -1.000000 is negative");
  CHECK(refused(device{.flops_fp32 = -1}) == "device.flops_fp32: -1.000000 is not above 0");
  CHECK(refused(device{.bandwidth = infinite}) == "device.bandwidth: inf is not above 0");
  CHECK(refused(device{.memory = 0}) == "device.memory: 0.000000 is not above 0");
  CHECK(refused(device{.link = 0}) == "device.link: 0.000000 is not above 0");
  CHECK(refused(device{.pair = -2}) == "device.pair: -2.000000 is negative");
  CHECK(refused(device{.domain = 0}) == "device.domain: 0.000000 is not above 0");
  CHECK(refused(device{.network = std::numeric_limits<double>::quiet_NaN()}).starts_with("device.network: "));
}

TEST_CASE("efficiencies are above 0") {
  CHECK(refused(efficiencies{}).empty());
  CHECK(refused(efficiencies{.gemm = 0}) == "efficiency.gemm: 0.000000 is not above 0 and at most 2");
  CHECK(refused(efficiencies{.power = 2.5}) == "efficiency.power: 2.500000 is not above 0 and at most 2");
  CHECK(refused(efficiencies{.network = infinite}) == "efficiency.network: inf is not above 0 and at most 2");
}
