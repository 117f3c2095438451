// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/json/parse_json.hpp>

#include <stagecut/core/error.hpp>

#include <doctest/doctest.h>

#include <string>

namespace io = stagecut::io;

namespace {

std::string refusal(const std::string& text, const io::read_limits& limits = {}) {
  try {
    (void)io::parse_json(text, "f", limits);
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "read";
}

}  // namespace

TEST_CASE("any JSON is read, the members in their order") {
  CHECK(io::parse_json(R"({"b": 1, "a": [null, 2.5]})", "f").dump() == R"({"b":1,"a":[null,2.5]})");
  CHECK(io::parse_json("3", "f") == 3);
}

TEST_CASE("what readers refuse is refused, with its place") {
  CHECK(refusal("{\n\"a\": }").starts_with("f:2: no JSON"));
  CHECK(refusal(R"({"a": {"b": 1, "b": 2}})").starts_with("f#/a/b: stands twice"));
  CHECK(refusal("[[[1]]]", {.depth = 3}) == "read");
  CHECK(refusal("[[[1]]]", {.depth = 2}).starts_with("f#/0/0: nested deeper than 2"));
  CHECK(refusal("[1, 2]", {.bytes = 5}).starts_with("f: is larger than 5 bytes"));
}
