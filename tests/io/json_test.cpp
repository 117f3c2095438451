// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/json.hpp>
#include <stagecut/io/json_object.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace detail = stagecut::io::detail;
using detail::json_value;

namespace {

/// What the refusal of `read` says.
template <class Read>
std::string refusal(const Read& read) {
  try {
    read();
  } catch (const stagecut::invalid_input& error) {
    return error.what();
  } catch (const stagecut::argument_error& error) {
    return error.what();
  }
  return "not refused";
}

std::string no_json(std::string_view text) {
  return refusal([&] { (void)detail::parse_json(text, "f"); });
}

/// What `read` says of the member `x` of a text.
template <class Read>
std::string member(const std::string& text, const Read& read) {
  const auto parsed = detail::parse_json(text, "f");
  return refusal([&] { read(json_value(parsed, "f").at("x")); });
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
  CHECK(no_json("[NaN]") == "f:1: no JSON: unexpected \"NaN\"");
  CHECK(no_json("[-]") == "f:1: no JSON: unexpected \"]\"");
  CHECK(no_json("[\n1e999]") == "f:2: number \"1e999\" is out of range");
  CHECK(no_json("[\"a\nb\"]").starts_with("f:1: no JSON: invalid string: control character"));
  CHECK(no_json("[\"caf\xE9\"]") == "f:1: no JSON: invalid string: ill-formed UTF-8 byte");
  CHECK(no_json("\"out_of_range\" x") == "f:1: no JSON: unexpected \"x\"");
  CHECK(no_json(std::string_view("\0", 1)) == "f:1: no JSON: unexpected \"?\"");
}

TEST_CASE("what JSON leaves open is refused with its pointer") {
  CHECK(no_json(R"({"a": [1, {"b/~": 1, "b/~": 2}]})") == "f#/a/1/b~1~0: stands twice in its object");
  CHECK(no_json(std::string(100, '[') + std::string(100, ']')).ends_with(": nested deeper than 64"));
  CHECK(no_json(std::string(1000000, '[')).starts_with("f:1: no JSON"));
  CHECK(no_json("\xEF\xBB\xBF{\"a\": {\"a\": 1}}") == "not refused");
}

TEST_CASE("values are read as what they should be, or refused with their pointer") {
  const auto text = [](const json_value& x) { (void)x.text(); };
  const auto flag = [](const json_value& x) { (void)x.flag(); };
  const auto amount = [](const json_value& x) { (void)x.amount(); };
  const auto count = [](const json_value& x) { (void)x.count(2); };
  const auto elements = [](const json_value& x) { (void)x.elements(); };
  CHECK(member(R"({"x": 1})", text) == "f#/x: 1 is no string");
  CHECK(member(R"({"x": "y"})", flag) == "f#/x: \"y\" is neither true nor false");
  CHECK(member(R"({"x": "1"})", amount) == "f#/x: \"1\" is not a number");
  CHECK(member(R"({"x": -0.5})", amount) == "f#/x: -0.5 is negative");
  CHECK(member(R"({"x": 1})", count) == "f#/x: 1 is below 2");
  CHECK(member(R"({"x": 2.5})", count) == "f#/x: 2.5 is no whole number");
  CHECK(member(R"({"x": 1e300})", count) == "f#/x: 1e+300 is no whole number");
  CHECK(member(R"({"x": -3})", count) == "f#/x: -3 is negative");
  CHECK(member(R"({"x": {}})", elements) == "f#/x: {} is no array");
  CHECK(member(R"({"x": []})", [](const json_value& x) { (void)x.object(); }) == "f#/x: [] is no object");
  CHECK(member(R"({"y": 1})", text) == "f#: \"x\" is missing");
  CHECK(member(R"({"x": null})", text) == "f#: \"x\" is missing");
  CHECK(member(R"({"x": {"a": 1, "b": 2}})", [](const json_value& x) { x.only({"a"}); }) == "f#/x/b: is not known");
  CHECK(member(R"({"x": 1})", [](const json_value& x) { x.fail_at("/y/0", "is ", "bad"); }) == "f#/x/y/0: is bad");
}

TEST_CASE("numbers and texts as they stand") {
  const auto parsed = detail::parse_json(R"([3, 3.0, 18446744073709551615, "a", true, 1e-3])", "f");
  const auto values = json_value(parsed, "f").elements();
  CHECK(values[0].count() == 3);
  CHECK(values[1].count() == 3);
  CHECK(values[2].count() == 18446744073709551615U);
  CHECK(values[3].text() == "a");
  CHECK(values[4].flag());
  CHECK(values[5].amount() == 1e-3);
}

TEST_CASE("what is shown is short, in whole characters") {
  const detail::json value = std::string(58, 'x') + "\u00e9\u00e9";
  CHECK(json_value(value, "f").shown() == "\"" + std::string(58, 'x') + "...");
  CHECK(json_value(detail::json("a"), "f").shown() == "\"a\"");
}

TEST_CASE("unknown members are kept as text, but not nested too deep") {
  const auto parsed = detail::parse_json(R"({"a": 1, "b": [1, {"c": "]"}], "n": null})", "f");
  CHECK(json_value(parsed, "f").unknown({"a"}) == R"({"b":[1,{"c":"]"}],"n":null})");
  CHECK(json_value(parsed, "f").unknown({"a", "b", "n"}).empty());
  const auto deep = detail::parse_json("{\"a\": " + std::string(40, '[') + std::string(40, ']') + "}", "f");
  CHECK(refusal([&] { (void)json_value(deep, "f").unknown({"b"}); }) == "f#: unknown fields are nested deeper than 32");
  CHECK(detail::json_nesting(R"({"[[\"[": [{}]})") == 3);
  CHECK(detail::json_nesting("]]][\"") == 1);
}

TEST_CASE("numbers are written without a fraction where they have none") {
  CHECK(detail::json_number(3).dump() == "3");
  CHECK(detail::json_number(0.1).dump() == "0.1");
  CHECK(detail::json_number(9007199254740992.0).dump() == "9007199254740992");
  CHECK(detail::json_number(1e300).dump() == "1e+300");
  CHECK(detail::json_number(5e-324).dump() == "5e-324");
}

TEST_CASE("UTF-8 is told from what is none") {
  for (const char* good :
       {"", "a", "\x7f", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff"}) {
    CHECK(detail::is_utf8(good));
  }
  for (const char* bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3(", "\xe0\x9f\xbf", "\xe2\x82", "\xed\xa0\x80",
                          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "a\xe9z"}) {
    CHECK(!detail::is_utf8(bad));
    CHECK(no_json(stagecut::detail::joined("\"", bad, "\"")) != "not refused");  // the reader says the same
  }
}

TEST_CASE("what could not be read back is not written") {
  detail::json_object object("model#/layers/3");
  const auto amount = [&](double x) { return refusal([&] { object.amount("forward", x); }); };
  const std::string start = "stagecut::io::as_json: model#/layers/3/forward = ";
  CHECK(amount(-1) == start + "-1.0, must be finite and not negative");
  CHECK(amount(std::nan("")) == start + "NaN, must be finite and not negative");
  CHECK(amount(std::numeric_limits<double>::infinity()) == start + "infinity, must be finite and not negative");
  CHECK(refusal([&] { object.text("name", "caf\xE9"); }) ==
        "stagecut::io::as_json: model#/layers/3/name = \"caf\xE9\", must be UTF-8");
  const auto unknown = [&](const std::string& fields) {
    return refusal([&] { object.unknown(fields, std::array<std::string_view, 1>{"name"}); });
  };
  const std::string what = ", must be a JSON object, and not nested too deep";
  const std::string place = "stagecut::io::as_json: model#/layers/3/unknown_fields = ";
  CHECK(unknown("[1]") == place + "\"[1]\"" + what);
  CHECK(unknown("{") == place + "\"{\"" + what);
  CHECK(unknown("{\"a\": \"\xE9\"}").ends_with(what));
  CHECK(unknown("{\"a\":" + std::string(100000, '[')).ends_with(what));
  CHECK(unknown("{\"a\":" + std::string(40, '[') + std::string(40, ']') + "}").ends_with(what));
  CHECK(unknown(R"({"name": 1})") == place + R"("{"name": 1}", must not hold "name")");
  CHECK(unknown(R"({"b": [1]})") == "not refused");
  CHECK(detail::json_line(object.members()) == R"({"b": [1]})");
}
