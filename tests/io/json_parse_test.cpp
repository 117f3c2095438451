// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/json_parse.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace detail = stagecut::io::detail;

namespace {

std::string no_json(std::string_view text) {
  try {
    (void)detail::parse_json(text, "f");
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace

TEST_CASE("a text that is no JSON is refused at its line, with what stands there") {
  CHECK(no_json("") == "f:1: no JSON: the text ends too early");
  CHECK(no_json("{\n\n") == "f:3: no JSON: the text ends too early");
  CHECK(no_json("[\"abc") == "f:1: no JSON: the text ends too early");
  CHECK(no_json("[1,]") == "f:1: no JSON: unexpected \"]\"");
  CHECK(no_json("{\"a\": 1,\n}") == "f:2: no JSON: unexpected \"}\"");
  CHECK(no_json("{\"a\":\n tru}") == "f:2: no JSON: unexpected \"tru\"");
  CHECK(no_json("{\"a\":\n\n bogus\n}") == "f:3: no JSON: unexpected \"bogus\"");
  CHECK(no_json("[1]\nx") == "f:2: no JSON: unexpected \"x\"");
  CHECK(no_json("[\"long\" \"another\"]") == "f:1: no JSON: unexpected string \"another\"");
  CHECK(no_json("{'a': 1}") == "f:1: no JSON: unexpected \"'\"");
  // As Python's json writes what is no number.
  const std::string none = " is no number of JSON, though Python's json writes it: leave it out, or write null";
  CHECK(no_json("[NaN]") == "f#/0: NaN" + none);
  CHECK(no_json(R"({"a": [1, {"b": -Infinity}]})") == "f#/a/1/b: -Infinity" + none);
  CHECK(no_json(R"({"a": Infinity, "b": 1})") == "f#/a: Infinity" + none);
  CHECK(no_json("NaN") == "f: NaN" + none);
  CHECK(no_json("[NaNs]") == "f:1: no JSON: unexpected \"NaNs\"");
  CHECK(no_json("[-]") == "f:1: no JSON: unexpected \"]\"");
  CHECK(no_json("[\n1e999]") == "f:2: number \"1e999\" is out of range");
  CHECK(no_json("[\"a\nb\"]").starts_with("f:1: no JSON: invalid string: control character"));
  CHECK(no_json("[\"caf\xE9\"]") == "f:1: no JSON: invalid string: ill-formed UTF-8 byte");
  CHECK(no_json("\"out_of_range\" x") == "f:1: no JSON: unexpected \"x\"");
  CHECK(no_json(std::string_view("\0", 1)) == "f:1: no JSON: unexpected \"\\u0000\"");
}

TEST_CASE("what JSON leaves open is refused with its pointer") {
  CHECK(no_json(R"({"a": [1, {"b/~": 1, "b/~": 2}]})") == "f#/a/1/b~1~0: stands twice in its object");
  CHECK(no_json(R"({"a": [1, [2, {"b": 1}], {"c": [{"d": 1, "e": 1, "f": 1, "e": 2, "f": 2, "d": 2}]}]})") ==
        "f#/a/2/c/0/e: stands twice in its object");
  CHECK(no_json(R"([{"a": 1, "a": 1}, 1x])") == "f:1: no JSON: unexpected \"1x\"");
  CHECK(no_json(std::string(100, '[') + std::string(100, ']'))
            .find(": nested deeper than 64, the most that is read unless --input-depth") != std::string::npos);
  CHECK(no_json(std::string(1000000, '[')).starts_with("f:1: no JSON"));
  CHECK(no_json("\xEF\xBB\xBF{\"a\": {\"a\": 1}}") == "not refused");
}
