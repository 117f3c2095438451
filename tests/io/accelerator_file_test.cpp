// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/json/accelerator_file.hpp>

#include <doctest/doctest.h>

#include <string>

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
  CHECK(made.figures == stagecut::transformer::device{"", 1, 2, 3, 4, 5, 6e9, 7, 8, 9, 10, true});
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
  CHECK(refused(R"({"gemm": 0, "bandwidth": 1, "memory": 1})") == "x#/gemm: 0.000000 is not above 0");
  CHECK(refused(R"({"gemm": 1, "bandwidth": 1, "memory": 0})") == "x#/memory: 0.000000 is not above 0");
  CHECK(refused(device(), {.bytes = 10}).starts_with("x: "));
}
