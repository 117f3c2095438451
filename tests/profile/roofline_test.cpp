// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/roofline.hpp>

#include <doctest/doctest.h>

#include <random>
#include <string>

namespace {

using stagecut::transformer::device;
using stagecut::transformer::device_group;
using stagecut::transformer::efficiencies;
using stagecut::transformer::number;
using stagecut::transformer::roofline;

// Round figures: a FLOP takes 1/50 s, a byte 1/85 s.
constexpr device slow{.name = "",
                      .gemm = 100,
                      .gemm_fp8 = 200,
                      .flops_fp32 = 10,
                      .bandwidth = 100,
                      .link = 1000,
                      .domain = 4,
                      .network = 100};
constexpr efficiencies half{.gemm = 0.5, .power = 0.5, .network = 0.5};

}  // namespace

TEST_CASE("a product takes its work, its bytes and a launch") {
  const roofline clock(slow, number::bf16, half);
  const auto once = clock.product("x", 2, 3, 5);
  CHECK(once.flops == 2 * 2 * 3 * 5);
  CHECK(once.bytes == 2 * (6 + 15 + 10));
  CHECK(once.rate == 50);
  CHECK(once.seconds == 60. / 50 + 62. / 85 + 3e-6);
  CHECK(once.alone == once.seconds);
  const auto four = clock.product("x", 2, 3, 5, 4);  // launched at once
  CHECK(four.seconds == 4 * 60. / 50 + 4 * 62. / 85 + 3e-6);
}

TEST_CASE("numbers of other widths have other rates and bytes") {
  const roofline wide(slow, number::fp32, half);
  CHECK(wide.number_bytes() == 4);
  CHECK(wide.product("x", 2, 3, 5).seconds == 60. / 5 + 124. / 85 + 3e-6);
  const roofline narrow(slow, number::fp8, half);
  CHECK(narrow.number_bytes() == 2);
  CHECK(narrow.product("x", 2, 3, 5).seconds == 60. / 100 + (6 + 15 + 2 * 10 + 3 * 6) / 85. + 3e-6);
  CHECK(narrow.product("x", 2, 3, 5, 1, false).seconds == 60. / 50 + 62. / 85 + 3e-6);  // one that stays wide
  CHECK(narrow.attention("x", 60, 1, 0).rate == 50);
  CHECK_THROWS_AS(roofline({}, number::fp8, {}), stagecut::invalid_input);
}

TEST_CASE("a power limit lowers the rate of products") {
  device limited = slow;
  limited.power_limited = true;
  CHECK(roofline(limited, number::bf16, half).product("x", 2, 3, 5).rate == 25);
  CHECK(roofline(limited, number::bf16, half).memory_rate() == 85);
}

TEST_CASE("messages take the link that their group shares") {
  const roofline clock(slow, number::bf16, half);
  const device_group near = clock.group(4, 1);
  CHECK(near.in_domain == 4);
  CHECK(clock.collective("x", 1000, near, 1).seconds == 750. / 500 + 10e-6);
  CHECK(clock.collective("x", 1000, near, 3).seconds == doctest::Approx(3 * (750. / 500 + 10e-6)));
  const device_group far = clock.group(8, 2);  // two of them in each domain
  CHECK(far.in_domain == 2);
  CHECK(clock.link_rate(far) == 100);  // two network cards at half
  CHECK(clock.collective("x", 1000, far, 1).seconds == 875. / 100 + 25e-6);
  CHECK(clock.group(2, 8).in_domain == 1);
  CHECK(clock.link_rate(clock.group(2, 8)) == 50);
  CHECK(clock.collective("x", 1000, clock.group(1, 1), 5).seconds == 0);
  device one = slow;
  one.network = 10'000;  // no faster than the links within
  CHECK(roofline(one, number::bf16, half).link_rate({8, 2}) == 500);
}

TEST_CASE("where no switch joins a domain, few devices have few links") {
  device meshed = slow;
  meshed.pair = 100;
  const roofline clock(meshed, number::bf16, half);
  CHECK(clock.link_rate({2, 2}) == 50);
  CHECK(clock.link_rate({4, 4}) == 150);
  meshed.pair = 500;
  CHECK(roofline(meshed, number::bf16, half).link_rate({4, 4}) == 500);  // no more than all together
}

TEST_CASE("what leaves the domain in an exchange goes by the network") {
  const roofline clock(slow, number::bf16, half);
  CHECK(clock.exchange("x", 800, {8, 4}, 1).seconds == 400. / 50 + 300. / 500 + 25e-6);
  CHECK(clock.exchange("x", 800, {4, 4}, 2).seconds == doctest::Approx(2 * (600. / 500 + 10e-6)));
  CHECK(clock.exchange("x", 800, {1, 1}, 2).seconds == 0);
}

TEST_CASE("a message behind work is seen as far as it is longer, and slows the work down") {
  using stagecut::transformer::seconds_seen;
  CHECK(seconds_seen(3, 10) == doctest::Approx(0.3));
  CHECK(seconds_seen(10, 3) == doctest::Approx(7.3));
  CHECK(seconds_seen(0, 3) == 0);
  CHECK(seconds_seen(3, 0) == 3);
}

TEST_CASE("a faster device is never slower") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(0.1, 3);
  for (int round = 0; round < 2000; ++round) {
    device one = slow;
    device other = slow;
    double device::*const fields[] = {&device::gemm, &device::bandwidth, &device::link, &device::network};
    for (const auto field : fields) {
      one.*field *= any(random);
      other.*field = one.*field * (1 + any(random));
    }
    const roofline first(one, number::bf16, half);
    const roofline second(other, number::bf16, half);
    const double m = 10 * any(random), k = 10 * any(random), n = 10 * any(random);
    CHECK(second.product("x", m, k, n).seconds < first.product("x", m, k, n).seconds);
    CHECK(second.attention("x", m, 0.5, k).seconds < first.attention("x", m, 0.5, k).seconds);
    for (const device_group group : {device_group{4, 4}, {8, 4}, {8, 2}, {2, 1}}) {
      CHECK(second.collective("x", 100 * m, group, 1).seconds < first.collective("x", 100 * m, group, 1).seconds);
      CHECK(second.exchange("x", 100 * m, group, 1).seconds < first.exchange("x", 100 * m, group, 1).seconds);
    }
  }
}
