// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/json/efficiencies_file.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using stagecut::io::read_efficiencies;
using stagecut::transformer::efficiencies;

std::string refused(const std::string& text, const stagecut::io::read_limits& limits = {}) {
  try {
    (void)read_efficiencies(text, "x", limits);
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("constants have the values of their file") {
  std::string text;
  efficiencies expected;
  double value = 0.25;
  for (const auto& [name, field] : stagecut::transformer::efficiency_names) {
    text += (text.empty() ? "{\"" : ", \"") + std::string(name) + "\": " + std::to_string(value);
    expected.*field = value;
    value += 0.03125;
  }
  CHECK(read_efficiencies(text + "}", "x") == expected);
}

TEST_CASE("constants that a file leaves out stay as they were") {
  CHECK(read_efficiencies("{}", "x") == efficiencies{});
  efficiencies expected;
  expected.memory = 0.5;
  CHECK(read_efficiencies(R"({"memory": 0.5, "gemm": null})", "x") == expected);
  expected = stagecut::transformer::serving_efficiencies;
  expected.launch = 1e-5;
  CHECK(read_efficiencies(R"({"launch": 1e-5})", "x", {}, stagecut::transformer::serving_efficiencies) == expected);
}

TEST_CASE("constants that are wrong are refused at their place") {
  CHECK(refused("") == "x:1: no JSON: the text ends too early");
  CHECK(refused("3") == "x: 3 is no object");
  CHECK(refused(R"({"gem": 1})") == "x#/gem: is not known");
  CHECK(refused(R"({"gemm": 1, "gemm": 1})") == "x#/gemm: stands twice in its object");
  CHECK(refused(R"({"gemm": "1"})") == "x#/gemm: \"1\" is not a number");
  CHECK(refused(R"({"gemm": -1})") == "x#/gemm: -1 is negative");
  CHECK(refused(R"({"gemm": 0})") == "x#/gemm: 0.000000 is not above 0 and at most 2");
  CHECK(refused(R"({"dispatch_hidden": 2})") == "x#/dispatch_hidden: 2.000000 is not from 0 to 1");
  CHECK(refused("{}", {.bytes = 1}).starts_with("x: "));
}
