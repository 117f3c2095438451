// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/json_object.hpp>
#include <stagecut/io/json/json_line.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace detail = stagecut::io::detail;

namespace {

/// What the refusal of `write` says.
template <class Write>
std::string refusal(const Write& write) {
  try {
    write();
  } catch (const stagecut::argument_error& error) {
    return error.what();
  }
  return "not refused";
}

bool is_read(const std::string& text) {
  try {
    (void)detail::parse_json(text, "f");
  } catch (const stagecut::invalid_input&) {
    return false;
  }
  return true;
}

}  // namespace

TEST_CASE("UTF-8 is told from what is none") {
  for (const char* good :
       {"", "a", "\x7f", "\u0080", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0010ffff"}) {
    CHECK(detail::is_utf8(good));
  }
  for (const char* bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3(", "\xe0\x9f\xbf", "\xe2\x82", "\xed\xa0\x80",
                          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "a\xe9z"}) {
    CHECK(!detail::is_utf8(bad));
    CHECK(!is_read(stagecut::detail::joined({"\"", bad, "\""})));  // the reader says the same
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
        "stagecut::io::as_json: model#/layers/3/name = \"caf\\xe9\", must be UTF-8");
  const auto unknown = [&](const std::string& fields) {
    return refusal([&] { object.unknown(fields, std::array<std::string_view, 1>{"name"}); });
  };
  const std::string what = ", must be a JSON object, and not nested too deep";
  const std::string place = "stagecut::io::as_json: model#/layers/3/unknown_fields = ";
  CHECK(unknown("[1]") == place + "\"[1]\"" + what);
  CHECK(unknown("{") == place + "\"{\"" + what);
  CHECK(unknown("{\"a\": \"\xE9\"}").ends_with(what));
  CHECK(unknown("{\"a\":" + std::string(100000, '[')).ends_with(what));
  CHECK(unknown("{\"a\":" + std::string(500, '[') + std::string(500, ']') + "}").ends_with(what));
  CHECK(unknown(R"({"name": 1})") == place + R"("{"name": 1}", must not hold "name")");
  CHECK(unknown(R"({"b": [1]})") == "not refused");
  CHECK(stagecut::io::json_line(object.members()) == R"({"b": [1]})");
}

TEST_CASE("half a million unknown members are each looked at once when they are written: else this would not end") {
  std::string fields = R"({"k":0)";
  for (int i = 0; i < 500000; ++i) fields += ",\"k" + std::to_string(i) + "\":" + std::to_string(i);
  fields += "}";
  detail::json_object object("o");
  object.unknown(fields, std::vector<std::string_view>{"known"});
  CHECK(object.members().dump() == fields);
}
