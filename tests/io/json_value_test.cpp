// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/json_value.hpp>

#include <stagecut/core/outcome.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "../refusal.hpp"

namespace detail = stagecut::io::detail;
using detail::json_value;

namespace {

/// What `read` says of the member `x` of a text.
template <class Read>
std::string member(const std::string& text, const Read& read) {
  const auto parsed = detail::parse_json(text, "f");
  return refusal([&] { read(json_value(parsed, "f").at("x")); });
}

}  // namespace

TEST_CASE("values are read as what they should be, or refused with their pointer") {
  const auto text = [](const json_value& x) { (void)x.text(); };
  const auto flag = [](const json_value& x) { (void)x.flag(); };
  const auto amount = [](const json_value& x) { (void)x.amount(); };
  const auto count = [](const json_value& x) { (void)x.count(2); };
  const auto elements = [](const json_value& x) { (void)x.elements(); };
  CHECK(member(R"({"x": 1})", text) == "f#/x: 1 is no string");
  const auto state = [](const json_value& each) { (void)each.one_of(stagecut::state_names); };
  CHECK(member(R"({"x": "optimal"})", state) == "not refused");
  CHECK(member(R"({"x": "y"})", state) == "f#/x: \"y\" is none of optimal, feasible, infeasible, unknown");
  CHECK(member(R"({"x": 1})", state) == "f#/x: 1 is no string");
  CHECK(member(R"({"x": "y"})", flag) == "f#/x: \"y\" is neither true nor false");
  CHECK(member(R"({"x": "1"})", amount) == "f#/x: \"1\" is not a number");
  CHECK(member(R"({"x": -0.5})", amount) == "f#/x: -0.5 is negative");
  CHECK(member(R"({"x": 1})", count) == "f#/x: 1 is below 2");
  CHECK(member(R"({"x": 2.5})", count) == "f#/x: 2.5 is no whole number");
  CHECK(member(R"({"x": 1e300})", count) == "f#/x: 1e+300 is no whole number");
  CHECK(member(R"({"x": -3})", count) == "f#/x: -3 is negative");
  CHECK(member(R"({"x": {}})", elements) == "f#/x: {} is no array");
  CHECK(member(R"({"x": []})", [](const json_value& x) { (void)x.object(); }) == "f#/x: [] is no object");
  CHECK(member(R"({"y": 1})", text) == "f: \"x\" is missing");
  CHECK(member(R"({"x": null})", text) == "f: \"x\" is missing");
  CHECK(member(R"({"x": {"a": 1, "b": 2}})", [](const json_value& x) { x.only({"a"}); }) == "f#/x/b: is not known");
  const auto now = [](const json_value& x) { CHECK(x.find_renamed("b", "a", false)->count() == 2); };
  const auto former = [](const json_value& x) { CHECK(x.find_renamed("b", "a", true)->count() == 1); };
  CHECK(member(R"({"x": {"b": 2}})", now) == "not refused");
  CHECK(member(R"({"x": {"a": 1}})", former) == "not refused");
  const auto read_now = [](const json_value& x) { (void)x.find_renamed("b", "a", false); };
  const auto read_former = [](const json_value& x) { (void)x.find_renamed("b", "a", true); };
  CHECK(member(R"({"x": {"a": 1, "b": 2}})", read_now) == "f#/x/a: is \"b\" in this schema");
  CHECK(member(R"({"x": {"a": 1, "b": 2}})", read_former) == "f#/x/b: is \"a\" in this schema");
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
  CHECK(refusal([&] {
          (void)json_value(deep, "f").unknown({"b"});
        }).starts_with("f: unknown fields are nested deeper than 32, "));
  CHECK(detail::json_nesting(R"({"[[\"[": [{}]})") == 3);
  CHECK(detail::json_nesting("]]][\"") == 1);
}

TEST_CASE("half a million members that are not known are each looked at once: else this would not end") {
  std::string text = R"({"x": 1)";
  for (int i = 0; i < 500000; ++i) text += ", \"k" + std::to_string(i) + "\": " + std::to_string(i);
  const auto parsed = detail::parse_json(text + "}", "f");
  const std::string unknown = json_value(parsed, "f").unknown({"x"});
  CHECK(unknown.starts_with(R"({"k0":0,"k1":1,)"));
  CHECK(unknown.ends_with(R"("k499999":499999})"));
  CHECK(refusal([&] { (void)detail::parse_json(text + ", \"k7\": 0}", "f"); }) == "f#/k7: stands twice in its object");
}
