// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/yaml_subset.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <stagecut/io/json/parse_json.hpp>

#include "../refusal.hpp"

namespace {

using stagecut::io::detail::json;
using stagecut::io::detail::parse_yaml;

/// A text as JSON, on one line.
std::string read(std::string_view text) { return parse_yaml(text, "x").dump(); }
std::string refused(std::string_view text, const stagecut::io::read_limits& limits = {}) {
  return refusal<stagecut::invalid_input>([&] { return parse_yaml(text, "x", limits); });
}

}  // namespace

TEST_CASE("maps and lists by indentation") {
  CHECK(read("") == "null");
  CHECK(read("# nothing\n\n") == "null");
  CHECK(read("a: 1\nb:\n  c: 2\n  d:\n    e: 3\nf: 4") == R"({"a":1,"b":{"c":2,"d":{"e":3}},"f":4})");
  CHECK(read("a:\n  - 1\n  - b: 2\n    c: 3\n  -\n    d: 4\n  -\ne: 5") ==
        R"({"a":[1,{"b":2,"c":3},{"d":4},null],"e":5})");
  CHECK(read("a:\n- 1\n- 2\nb: 3") == R"({"a":[1,2],"b":3})");
  CHECK(read("- - 1\n  - 2\n- 3") == "[[1,2],3]");
  CHECK(read("- a:\n  - 1\n  b: 2") == R"([{"a":[1],"b":2}])");
  CHECK(read("a:\nb:\n") == R"({"a":null,"b":null})");
  CHECK(read("---\na: 1\n") == R"({"a":1})");
  CHECK(read("\xEF\xBB\xBF"
             "a : 1 # one\r\n# two\r\nb: 2\r\n") == R"({"a":1,"b":2})");
  CHECK(read("7") == "7");
}

TEST_CASE("in brackets, on any number of lines") {
  CHECK(read("a: [1, -2, [3, []], {b: 4, c: }, ]") == R"({"a":[1,-2,[3,[]],{"b":4,"c":null}]})");
  CHECK(read("a: [1, # one\n\n    2,\n3]\nb: 4") == R"({"a":[1,2,3],"b":4})");
  CHECK(read("{\"a\":1, 'b' : x:y, c: 'd, e'}") == R"({"a":1,"b":"x:y","c":"d, e"})");
  CHECK(read("{\n\t\"a\": [\n\t\t1]}") == R"({"a":[1]})");
  CHECK(read("- [a#b, a #b\n]") == R"([["a#b","a"]])");
}

TEST_CASE("scalars") {
  CHECK(read("[true, False, TRUE, ~, null, '', yes ok]") == R"([true,false,true,null,null,"","yes ok"])");
  CHECK(read("[0, -0, +12, 1.5, .5, 5., 1e3, -2.5E-1, 18446744073709551615]") ==
        "[0,0,12,1.5,0.5,5.0,1000.0,-0.25,18446744073709551615]");
  CHECK(read("[1_000, 0x10, 1:30, 1.2.3, e5, -x]") == R"(["1_000","0x10","1:30","1.2.3","e5","-x"])");
  CHECK(read("a: it's \"so\"") == R"({"a":"it's \"so\""})");
  CHECK(read("a: 'it''s # no comment'") == R"({"a":"it's # no comment"})");
  CHECK(read(R"(a: "\"\\\/\b\f\n\r\t\u0041\u00e4\u20ac\ud83d\ude00")").find("A\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80") !=
        std::string::npos);
  CHECK(read("a b: c d  ") == R"({"a b":"c d"})");
  CHECK(read("'a: b': http://c") == R"({"a: b":"http://c"})");
  CHECK(read("file: folder/a:b") == R"({"file":"folder/a:b"})");
}

TEST_CASE("what is not read is refused at its line") {
  CHECK(refused("a: 1\nb: &c 2") == "x:2: \"&c 2\" is an anchor: they are not read");
  CHECK(refused("a: *b") == "x:1: \"*b\" is an alias: they are not read");
  CHECK(refused("a: !!int 3") == "x:1: \"!!int 3\" is a tag: they are not read");
  CHECK(refused("a:\n  - |\n    b") == "x:2: \"|\" begins a text of several lines: they are not read");
  CHECK(refused("a: >-\n  b") == "x:1: \">-\" begins a text of several lines: they are not read");
  CHECK(refused("%YAML 1.2\n---\na: 1") == "x:1: \"%YAML 1.2\" is a directive: they are not read");
  CHECK(refused("a: b\n  c") == "x:2: goes on with the value of the line before: texts of several lines are not read");
  CHECK(refused("a: \"b\n  c\"") == "x:1: a quote is not closed on its line: texts of several lines are not read");
  CHECK(refused("a: 1\n---\nb: 2") == "x:2: ends a document: one is read, up to the end");
  CHECK(refused("a: 1\n...\n") == "x:2: ends a document: one is read, up to the end");
  CHECK(refused("- 1\n---\n") == "x:2: ends a document: one is read, up to the end");
  CHECK(refused("? a\n: b") == "x:1: \"? a\" begins no text: it needs quotes");
  CHECK(refused("a: @b") == "x:1: \"@b\" begins no text: it needs quotes");
  CHECK(refused("a: no") ==
        "x:1: \"no\" is true or false to some and a text to others: write true, false, or quote it");
  CHECK(refused("a: 010") == "x:1: \"010\" begins with 0: without it, it is one number to all");
  CHECK(refused("a: .nan") == "x:1: \".nan\" is no finite number");
  CHECK(refused("a: 1e999") == "x:1: number \"1e999\" is out of range");
  CHECK(refused(R"(a: "\x41")") == R"(x:1: "\x41"" begins with an escape that is none of JSON's)");
}

TEST_CASE("what is wrong is refused at its line") {
  CHECK(refused("a: 1\n b: 2") ==
        "x:2: goes on with the value of the line before: texts of several lines are not read");
  CHECK(refused("a:\n    b: 1\n  c: 2") == "x:3: does not fit to the lines before");
  CHECK(refused("  a: 1\nb: 2") == "x:2: does not fit to the lines before");
  CHECK(refused("- 1\na: 2") == "x:2: does not fit to the lines before");
  CHECK(refused("a: 1\n- 2") == "x:2: is an item of a list among keys");
  CHECK(refused("a: 1\nb") == "x:2: \"b\" is no \"KEY: VALUE\", as the lines before are");
  CHECK(refused("a: - 1") == "x:1: begins a list on the line of its key");
  CHECK(refused("a: b: c") == "x:1: holds a colon behind a value: a text with one needs quotes");
  CHECK(refused(": b") == "x:1: a key is missing");
  CHECK(refused("a:\n\tb: 1") == "x:2: is indented by a tabulator: YAML wants blanks");
  CHECK(refused("a: 1\nb: 2\na: 3") == "x:3: \"a\" stands twice in its map");
  CHECK(refused("{a: 1,\na: 3}") == "x:2: \"a\" stands twice in its map");
  CHECK(refused("a: [1, 2\nb: 3") == "x:2: ',' or ']' is missing before \"b: 3\"");
  CHECK(refused("a: [1,\n 2") == "x:1: a bracket, or a pair in it, begins here and does not end");
  CHECK(refused("a: [1,, 2]") == "x:1: a value is missing before \", 2]\"");
  CHECK(refused("a: [b: 1]") == "x:1: ',' or ']' is missing before \": 1]\"");
  CHECK(refused("{a}") == "x:1: a colon is missing behind a key");
  CHECK(refused("a: [1] 2") == "x:1: \"2\" stands behind the end of a value");
  CHECK(refused("a: 'b' c") == "x:1: \"c\" stands behind the end of a value");
  CHECK(refused("a: \xFF") == "x:1: is not UTF-8");
  CHECK(refused("a: b\x01") == "x:1: holds a control character");
}

TEST_CASE("limits hold") {
  CHECK(refused("a: [[1]]", {.depth = 2}).starts_with("x:1: nested deeper than 2, "));
  CHECK(refused("a: [[1]]", {.depth = 3}) == "not refused");
  CHECK(refused("- - - 1", {.depth = 2}).starts_with("x:1: nested deeper than 2, "));
  CHECK(refused("a:\n b:\n  c: 1", {.depth = 2}).starts_with("x:3: nested deeper than 2, "));
  CHECK(refused("a: 1234", {.bytes = 6}).starts_with("x: is larger than 6 bytes"));
  CHECK(refused(std::string(100'000, '['), {.depth = 5000}).starts_with("x:1: nested deeper than 1000, "));
}

TEST_CASE("JSON is read as it is") {
  const std::string text = R"({"a": [1, -2.5, 1e+20, true, null, "b\u0001\"\\ \/: # ,"], "c": {}, "d": [[], {"": 0}]})";
  CHECK(parse_yaml(text, "x") == stagecut::io::parse_json(text, "x"));
}
