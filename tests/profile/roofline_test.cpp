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
                      .flops = 100,
                      .gemm = 100,
                      .gemm_fp8 = 200,
                      .flops_fp32 = 10,
                      .bandwidth = 100,
                      .link = 1000,
                      .domain = 4,
                      .network = 100,
                      .gemm_fp4 = 400,
                      .sustained_bandwidth = 0,
                      .sustained_link = 0,
                      .exponentials = 10};
constexpr efficiencies half{.gemm = 0.5, .power = 0.5, .network = 0.5, .link = 0.5, .memory = 0.85, .mxfp8 = 0.8};

}  // namespace

TEST_CASE("a product takes its work, its bytes and the end of its kernel") {
  const roofline clock(slow, number::bf16, half);
  const auto once = clock.product("x", 2, 3, 5);
  CHECK(once.flops == 2 * 2 * 3 * 5);
  CHECK(once.bytes == 2 * (6 + 15 + 10));
  CHECK(once.rate == 50);
  CHECK(once.seconds == 60. / 50 + 62. / 85 + half.tail);
  CHECK(once.alone == once.seconds);
  const auto four = clock.product("x", 2, 3, 5, 4);  // launched at once
  CHECK(four.seconds == 4 * 60. / 50 + 4 * 62. / 85 + half.tail);
}

TEST_CASE("numbers of other widths have other rates and bytes") {
  const roofline wide(slow, number::fp32, half);
  CHECK(wide.number_bytes() == 4);
  CHECK(wide.product("x", 2, 3, 5).seconds == 60. / 5 + 124. / 85 + half.tail);
  CHECK_FALSE(wide.is_narrow());
  const roofline narrow(slow, number::fp8, half);
  CHECK(narrow.number_bytes() == 2);
  CHECK(narrow.is_narrow());
  CHECK(narrow.product("x", 2, 3, 5).seconds == 60. / 100 + (6 + 15 + 2 * 10) / 85. + half.tail);
  const auto stays = narrow.product("x", 2, 3, 5, 1, {.narrow = false});
  CHECK(stays.seconds == 60. / 50 + 62. / 85 + half.tail);
  // in inference the first matrix is read and converted in the same term
  CHECK(narrow.served_product("x", 2, 3, 5).seconds == 60. / 100 + (6 + 15 + 2 * 10 + 3 * 6) / 85. + roofline::launch);
  CHECK(narrow.served_product("x", 2, 3, 5, 1, false).seconds == 60. / 50 + 62. / 85 + roofline::launch);
  CHECK(narrow.attention("x", 60, 1, 0).rate == 50);
  CHECK_THROWS_AS(roofline({}, number::fp8, {}), stagecut::invalid_input);
}

TEST_CASE("operands of 8 and 4 bits have their scales, and are converted") {
  struct expected {
    number precision;
    double operand, cast, rate;
  };
  for (const auto& [precision, operand, cast, rate] : {expected{number::bf16, 2, 0, 50},
                                                       {number::fp32, 4, 0, 5},
                                                       {number::fp8, 1, 6, 100},
                                                       {number::mxfp8, 1 + 1. / 32, 4.0625, 100 * half.mxfp8},
                                                       {number::nvfp4, 0.5 + 1. / 16, 8, 200}}) {
    const roofline clock(slow, precision, half);
    CHECK(clock.operand_bytes() == operand);
    CHECK(clock.operand_bytes(false) == (precision == number::fp32 ? 4 : 2));
    CHECK(clock.cast_bytes() == cast);
    const auto made = clock.product("x", 2, 3, 5);
    CHECK(made.rate == doctest::Approx(rate));
    CHECK(made.bytes == operand * (6 + 15) + clock.number_bytes() * 10);
  }
  device none = slow;
  none.gemm_fp4 = 0;
  CHECK_THROWS_WITH_AS(roofline(none, number::nvfp4, half),
                       "device.gemm_fp4: is 0: how fast the device multiplies 4-bit numbers is not known",
                       stagecut::invalid_input);
  CHECK_THROWS_WITH_AS(roofline(none, number::mxfp8, half),
                       "device.flops_fp4: is 0: the device has no 4-bit products, and with them no scales of blocks, which "
                       "mxfp8 needs: fp8 has a scale per tensor",
                       stagecut::invalid_input);
  none.gemm_fp8 = 0;
  CHECK_THROWS_WITH_AS(roofline(none, number::mxfp8, half),
                       "device.gemm_fp8: is 0: how fast the device multiplies 8-bit numbers is not known",
                       stagecut::invalid_input);
}

TEST_CASE("a product that adds to a gradient reads and writes it") {
  const roofline clock(slow, number::fp8, half);
  const auto made = clock.product("x", 2, 3, 5, 7, {.accumulates = true}, 4);
  CHECK(made.bytes == 7 * (6 + 15 + 2 * 4 * 10));
  CHECK(clock.product("x", 2, 3, 5, 7, {.accumulates = true}).bytes == 7 * (6 + 15 + 2 * 2 * 10));
  CHECK(clock.product("x", 2, 3, 5, 7, {.share = 0.25}).rate == 25);
}

TEST_CASE("products keep the rate of long runs where it is known") {
  device on = slow;
  on.power_limited = true;
  on.sustained = 80;
  CHECK(roofline(on, number::bf16, half).product("x", 2, 3, 5).rate == 40);
  CHECK(roofline(on, number::fp8, half).product("x", 2, 3, 5).rate == 50);  // of which none is known
  on.sustained_fp8 = 160;
  on.sustained_fp4 = 280;
  CHECK(roofline(on, number::fp8, half).product("x", 2, 3, 5).rate == 80);
  CHECK(roofline(on, number::nvfp4, half).product("x", 2, 3, 5).rate == 140);
  on.sustained_bandwidth = 70;
  CHECK(roofline(on, number::bf16, half).memory_rate() == 70);
  // FLOP per byte, of the rate before `gemm` and the bandwidth of the data sheet
  CHECK(roofline(on, number::bf16, half).intensity() == doctest::Approx(0.8));
  CHECK(roofline(on, number::fp8, half).intensity() == doctest::Approx(1.6));
}

TEST_CASE("the core of attention takes the hypotenuse of its products and its exponentials") {
  const roofline clock(slow, number::bf16, half);
  CHECK(clock.core("x", 300, 40, false, false).seconds == doctest::Approx(5 / half.attention));
  CHECK(clock.core("x", 300, 40, true, false).seconds == doctest::Approx(5 / (half.attention * half.backward)));
  CHECK(clock.core("x", 600, 40, false, true).seconds == doctest::Approx(5 / half.attention));
  CHECK(clock.core("x", 300, 40, false, false).flops == 300);
  CHECK(clock.core("x", 300, 40, false, false).rate == doctest::Approx(60 * half.attention));
  CHECK(roofline(slow, number::fp32, half).core("x", 30, 40, false, false).seconds ==
        doctest::Approx(5 / half.attention));
  device unknown = slow;
  unknown.exponentials = 0;
  CHECK(roofline(unknown, number::bf16, half).core("x", 300, 40, false, false).seconds ==
        doctest::Approx(3 / half.attention));
}

TEST_CASE("each kernel that moves bytes has an end") {
  const roofline clock(slow, number::bf16, half);
  CHECK(clock.movement("x", 170).seconds == 2 + half.tail);
  CHECK(clock.movement("x", 170, 5).seconds == doctest::Approx(2 + 5 * half.tail));
  CHECK(clock.movement("x", 170, 5).kernels == 5);
  CHECK(clock.movement("x", 170, 0).seconds == 2);
}

TEST_CASE("jobs use a part of a domain where the rest is spare") {
  device spare = slow;
  spare.used = 3;
  const roofline clock(spare, number::bf16, half);
  CHECK(clock.group(3, 1).in_domain == 3);
  CHECK(clock.group(4, 1).in_domain == 3);
  CHECK(clock.group(2, 2).in_domain == 1);
}

TEST_CASE("experts that are recomputed have their activation function recomputed, too") {
  using stagecut::transformer::layer_module;
  using stagecut::transformer::module_set;
  using stagecut::transformer::recomputes;
  struct expected {
    module_set modules;
    layer_module part;
  };
  for (const auto& [modules, part] : {expected{{.layernorm = true}, layer_module::layernorm},
                                      {{.moe_act = true}, layer_module::moe_act},
                                      {{.mla_up_proj = true}, layer_module::mla_up_proj},
                                      {{.core_attn = true}, layer_module::core_attn},
                                      {{.mlp = true}, layer_module::mlp},
                                      {{.moe = true}, layer_module::moe}}) {
    for (const auto other :
         {layer_module::other, layer_module::layernorm, layer_module::moe_act, layer_module::mla_up_proj,
          layer_module::core_attn, layer_module::mlp, layer_module::moe}) {
      const bool within = modules.moe && other == layer_module::moe_act;
      CHECK(recomputes(modules, other) == (other == part || within));
    }
  }
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
  CHECK(clock.latency(clock.group(2, 8)) == efficiencies{}.far_latency);
  CHECK(clock.latency(clock.group(4, 1)) == efficiencies{}.near_latency);
  CHECK(clock.collective("x", 1000, clock.group(1, 1), 5).seconds == 0);
  device one = slow;
  one.network = 10'000;  // no faster than the links within
  CHECK(roofline(one, number::bf16, half).link_rate({8, 2}) == 500);
}

TEST_CASE("links keep the rate of long runs where it is known") {
  device on = slow;
  on.sustained_link = 700;
  const roofline clock(on, number::bf16, half);
  CHECK(clock.link_rate({4, 4}) == 700);
  CHECK(clock.collective("x", 1000, {4, 4}, 1).seconds == 750. / 700 + 10e-6);
  CHECK(clock.exchange("x", 800, {8, 4}, 1).seconds == 400. / 50 + 300. / 700 + 25e-6);
}

TEST_CASE("where no switch joins a domain, few devices have few links") {
  device meshed = slow;
  meshed.pair = 100;
  const roofline clock(meshed, number::bf16, half);
  CHECK(clock.link_rate({2, 2}) == 50);
  CHECK(clock.link_rate({4, 4}) == 150);
  meshed.sustained_link = 600;  // few links have their share of the rate of all
  CHECK(roofline(meshed, number::bf16, half).link_rate({2, 2}) == doctest::Approx(60));
  meshed.sustained_link = 0;
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
  CHECK(seconds_seen(10, 3, 0.5) == doctest::Approx(8.5));
  CHECK(seconds_seen(10, 3, 0) == 7);
}

TEST_CASE("a faster device is never slower") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(0.1, 3);
  for (int round = 0; round < 2000; ++round) {
    device one = slow;
    device other = slow;
    double device::*const fields[] = {&device::gemm,    &device::bandwidth, &device::link,
                                      &device::network, &device::flops,     &device::exponentials};
    for (const auto field : fields) {
      one.*field *= any(random);
      other.*field = one.*field * (1 + any(random));
    }
    const roofline first(one, number::bf16, half);
    const roofline second(other, number::bf16, half);
    const double m = 10 * any(random), k = 10 * any(random), n = 10 * any(random);
    CHECK(second.product("x", m, k, n).seconds < first.product("x", m, k, n).seconds);
    CHECK(second.attention("x", m, 0.5, k).seconds < first.attention("x", m, 0.5, k).seconds);
    CHECK(second.core("x", m, k, true, false).seconds < first.core("x", m, k, true, false).seconds);
    for (const device_group group : {device_group{4, 4}, {8, 4}, {8, 2}, {2, 1}}) {
      CHECK(second.collective("x", 100 * m, group, 1).seconds < first.collective("x", 100 * m, group, 1).seconds);
      CHECK(second.exchange("x", 100 * m, group, 1).seconds < first.exchange("x", 100 * m, group, 1).seconds);
    }
  }
}
