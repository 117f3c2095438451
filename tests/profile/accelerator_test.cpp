// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/accelerator.hpp>
#include <stagecut/profile/devices.hpp>
#include <stagecut/profile/roofline.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <set>
#include <string>
#include <utility>

namespace {

using stagecut::transformer::device;

std::string refused(const device& of) {
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
    for (const auto& [measured, peak] : {std::pair(each.gemm, each.flops),
                                         {each.sustained, each.flops},
                                         {each.gemm_fp8, each.flops_fp8},
                                         {each.sustained_fp8, each.flops_fp8},
                                         {each.gemm_fp4, each.flops_fp4},
                                         {each.sustained_fp4, each.flops_fp4}}) {
      CHECK((measured == 0 || (measured < peak && measured > 0.45 * peak)));  // none reaches the data sheet
    }
    CHECK((each.gemm == 0 || each.gemm > each.flops / 2));
    CHECK((each.gemm_fp8 == 0 || each.gemm_fp8 > 1.5 * each.gemm));
    CHECK(each.sustained_bandwidth < each.bandwidth);
    CHECK(each.sustained_link < each.link);
    CHECK(each.link > each.network);
    CHECK(each.pair <= each.link);
    CHECK(each.sinks >= 1);
    CHECK((each.used == 0 || each.used < each.domain));
  }
  CHECK(names.contains("a100-40gb"));
  for (const char* const name : {"b300-288gb", "gb200-186gb", "gb300-288gb", "mi325x-256gb", "mi355x-288gb"}) {
    CHECK(names.contains(name));
  }
  CHECK(stagecut::transformer::devices[0] == device{});
}

TEST_CASE("a device that computes nothing is refused") {
  CHECK(refused(device{.flops = 0}) == "device.flops: 0.000000 is not above 0");
  CHECK(refused(device{.gemm = -1}) == "device.gemm: -1.000000 is negative");
  CHECK(refused(device{.gemm = 0}) == "device.gemm: 0.000000 is not above 0, and there is no sustained rate");
  CHECK(refused(device{.gemm = 0, .sustained = 1}).empty());
  CHECK(refused(device{.gemm_fp8 = -1}) == "device.gemm_fp8: -1.000000 is negative");
  CHECK(refused(device{.flops_fp32 = -1}) == "device.flops_fp32: -1.000000 is not above 0");
  CHECK(refused(device{.bandwidth = infinite}) == "device.bandwidth: inf is not above 0");
  CHECK(refused(device{.memory = 0}) == "device.memory: 0.000000 is not above 0");
  CHECK(refused(device{.link = 0}) == "device.link: 0.000000 is not above 0");
  CHECK(refused(device{.pair = -2}) == "device.pair: -2.000000 is negative");
  CHECK(refused(device{.domain = 0}) == "device.domain: 0.000000 is not above 0");
  CHECK(refused(device{.network = std::numeric_limits<double>::quiet_NaN()}).starts_with("device.network: "));
}

TEST_CASE("figures that may be unknown are not negative") {
  constexpr std::pair<double device::*, const char*> fields[] = {{&device::flops_fp8, "flops_fp8"},
                                                                 {&device::flops_fp4, "flops_fp4"},
                                                                 {&device::gemm_fp4, "gemm_fp4"},
                                                                 {&device::sustained, "sustained"},
                                                                 {&device::sustained_fp8, "sustained_fp8"},
                                                                 {&device::sustained_fp4, "sustained_fp4"},
                                                                 {&device::sustained_bandwidth, "sustained_bandwidth"},
                                                                 {&device::sustained_link, "sustained_link"},
                                                                 {&device::exponentials, "exponentials"},
                                                                 {&device::dispatch_sms, "dispatch_sms"},
                                                                 {&device::host_link, "host_link"}};
  for (const auto& [field, name] : fields) {
    device on;
    on.*field = 0;
    CHECK(refused(on).empty());
    on.*field = -1;
    CHECK(refused(on) == std::string("device.") + name + ": -1.000000 is negative");
  }
  CHECK(refused(device{.sinks = 0}) == "device.sinks: 0.000000 is not above 0");
  CHECK(refused(device{.used = 9}) == "device.used: 9.000000 is above the devices of the domain");
  CHECK(refused(device{.used = 8}).empty());
}

TEST_CASE("peaks of narrow numbers are twice and four times those of 16 bits where the data sheet has none") {
  using stagecut::transformer::number;
  using stagecut::transformer::peak_flops;
  const device plain{.flops = 100, .flops_fp32 = 10};
  for (const auto& [precision, peak] : {std::pair(number::bf16, 100),
                                        {number::fp16, 100},
                                        {number::fp32, 10},
                                        {number::fp8, 200},
                                        {number::mxfp8, 200},
                                        {number::nvfp4, 400}}) {
    CHECK(peak_flops(plain, precision) == peak);
  }
  const device stated{.flops = 100, .flops_fp8 = 210, .flops_fp4 = 630};
  CHECK(peak_flops(stated, number::mxfp8) == 210);
  CHECK(peak_flops(stated, number::nvfp4) == 630);
}
