// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/json/accelerator_file.hpp>

#include <doctest/doctest.h>

#include <string>

#include <stagecut/io/file.hpp>
#include <stagecut/profile/devices.hpp>

namespace {

using stagecut::io::read_accelerator;

std::string refused(const std::string& text, const stagecut::io::read_limits& limits = {}) {
  try {
    (void)read_accelerator(text, "x", limits);
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "";
}

// What is needed, and more members.
std::string device(const std::string& more = "") {
  return R"({"gemm": 320, "bandwidth": 20, "memory": 30)" + (more.empty() ? "" : ", " + more) + "}";
}

}  // namespace

TEST_CASE("a device has the figures of its file") {
  const auto made = read_accelerator(R"({"name": "own", "flops": 1, "gemm": 2, "gemm_fp8": 3, "flops_fp32": 4,
      "bandwidth": 5, "memory": 6e9, "link": 7, "pair": 8, "domain": 9, "network": 10, "power_limited": true})",
                                     "x");
  CHECK(made.name == "own");
  stagecut::transformer::device expected{"", 1, 2, 3, 4, 5, 6e9, 7, 8, 9, 10, true};
  expected.sustained_bandwidth = expected.sustained_link = 0;  // not those of the default
  expected.exponentials = expected.host_link = 0;
  CHECK(made.figures == expected);
  CHECK(read_accelerator(device(R"("flops_fp8": 1, "flops_fp4": 2, "gemm_fp4": 3, "sustained": 4, "sustained_fp8": 5,
      "sustained_fp4": 6, "sustained_bandwidth": 7,
      "sustained_link": 13, "exponentials": 8, "sinks": 9, "dispatch_sms": 10, "host_link": 11,
      "link": 30e9, "domain": 72, "used": 64, "network": 12, "sources": {"link": "a data sheet"}, "note": "of no weight")"),
                         "x")
            .figures == stagecut::transformer::device{.name = "",
                                                      .flops = 320,
                                                      .gemm = 320,
                                                      .flops_fp32 = 20,
                                                      .bandwidth = 20,
                                                      .memory = 30,
                                                      .link = 30e9,
                                                      .domain = 72,
                                                      .network = 12,
                                                      .flops_fp8 = 1,
                                                      .flops_fp4 = 2,
                                                      .gemm_fp4 = 3,
                                                      .sustained = 4,
                                                      .sustained_fp8 = 5,
                                                      .sustained_fp4 = 6,
                                                      .sustained_bandwidth = 7,
                                                      .sustained_link = 13,
                                                      .exponentials = 8,
                                                      .sinks = 9,
                                                      .dispatch_sms = 10,
                                                      .host_link = 11,
                                                      .used = 64});
}

TEST_CASE("the files of the known devices have the figures of the table") {
  for (const auto& known : stagecut::transformer::devices) {
    const std::string name(known.name);
    CAPTURE(name);
    const std::string path = STAGECUT_TEST_DATA "/../examples/devices/" + name + ".json";
    const auto made = read_accelerator(stagecut::io::file_text(path), name);
    CHECK(made.name == name);
    auto expected = known;
    expected.name = {};
    CHECK(made.figures == expected);
  }
}

TEST_CASE("what a file leaves out follows from what it says") {
  const auto made = read_accelerator(device(), "x");
  const stagecut::transformer::device usual;
  CHECK(made.name.empty());
  CHECK(made.figures.name.empty());
  CHECK(made.figures.gemm == 320);
  CHECK(made.figures.flops == 320);
  CHECK(made.figures.flops_fp32 == 20);
  CHECK(made.figures.gemm_fp8 == 0);
  CHECK(made.figures.pair == 0);
  CHECK(made.figures.domain == 1);
  CHECK(made.figures.link == usual.network);
  CHECK(read_accelerator(device(R"("network": 800e9)"), "x").figures.link == 800e9);
  CHECK(made.figures.network == usual.network);
  CHECK_FALSE(made.figures.power_limited);
  CHECK(made.figures.exponentials == 0);
  CHECK(made.figures.sustained_bandwidth == 0);
  CHECK(made.figures.host_link == 0);
  CHECK(made.figures.sustained_link == 0);
  CHECK(made.figures.sinks == 1);
  const auto unmeasured = read_accelerator(R"({"sustained": 160, "bandwidth": 20, "memory": 30})", "x").figures;
  CHECK(unmeasured.gemm == 0);
  CHECK(unmeasured.sustained == 160);
  CHECK(unmeasured.flops == 160);
  CHECK(unmeasured.flops_fp32 == 10);
  CHECK(read_accelerator(device(R"("flops": 1600)"), "x").figures.flops_fp32 == 20);
  CHECK(read_accelerator(device(R"("link": 5)"), "x").figures.domain == usual.domain);
  CHECK(read_accelerator(device(R"("link": 5, "domain": 4)"), "x").figures.domain == 4);
  CHECK(read_accelerator(device(R"("link": null)"), "x").figures.domain == 1);
}

TEST_CASE("a device that is wrong is refused at its place") {
  CHECK(refused("") == "x:1: no JSON: the text ends too early");
  CHECK(refused("3") == "x: 3 is no object");
  CHECK(refused("{}") == "x: \"gemm\" is missing");
  CHECK(refused(R"({"gemm": 1})") == "x: \"bandwidth\" is missing");
  CHECK(refused(R"({"gemm": 1, "bandwidth": 1})") == "x: \"memory\" is missing");
  CHECK(refused(device(R"("gemm": 2)")) == "x#/gemm: stands twice in its object");
  CHECK(refused(device(R"("tflops": 2)")) == "x#/tflops: is not known");
  CHECK(refused(device(R"("name": 2)")) == "x#/name: 2 is no string");
  CHECK(refused(device(R"("link": "5 GB/s")")) == "x#/link: \"5 GB/s\" is not a number");
  CHECK(refused(device(R"("link": -5)")) == "x#/link: -5 is negative");
  CHECK(refused(device(R"("link": 0)")) == "x#/link: 0.000000 is not above 0");
  CHECK(refused(device(R"("network": 0)")) == "x#/network: 0.000000 is not above 0");
  CHECK(refused(device(R"("flops_fp32": 0)")) == "x#/flops_fp32: 0.000000 is not above 0");
  CHECK(refused(device(R"("link": 5, "pair": -1)")) == "x#/pair: -1 is negative");
  CHECK(refused(device(R"("link": 5, "domain": 0)")) == "x#/domain: 0 is below 1");
  CHECK(refused(device(R"("link": 5, "domain": 1.5)")) == "x#/domain: 1.5 is no whole number");
  CHECK(refused(device(R"("domain": 8)")) == "x#/domain: goes with \"link\", the rate in a domain");
  CHECK(refused(device(R"("pair": 8)")) == "x#/pair: goes with \"link\", the rate in a domain");
  CHECK(refused(device(R"("power_limited": 1)")) == "x#/power_limited: 1 is neither true nor false");
  CHECK(refused(R"({"gemm": 0, "bandwidth": 1, "memory": 1})") ==
        "x#/gemm: 0.000000 is not above 0, and there is no sustained rate");
  CHECK(refused(device(R"("sinks": 0)")) == "x#/sinks: 0.000000 is not above 0");
  CHECK(refused(device(R"("exponentials": -1)")) == "x#/exponentials: -1 is negative");
  CHECK(refused(device(R"("link": 5, "domain": 8, "used": 9)")) ==
        "x#/used: 9.000000 is above the devices of the domain");
  CHECK(refused(device(R"("link": 5, "domain": 8, "used": 0)")) == "x#/used: 0 is below 1");
  CHECK(refused(R"({"gemm": 1, "bandwidth": 1, "memory": 0})") == "x#/memory: 0.000000 is not above 0");
  CHECK(refused(device(), {.bytes = 10}).starts_with("x: "));
}
