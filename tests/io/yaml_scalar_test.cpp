// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/yaml_scalar.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

using stagecut::io::detail::is_yaml_number;
using stagecut::io::detail::json;
using stagecut::io::detail::plain_scalar;
using stagecut::io::detail::quoted_scalar;

namespace {

/// A text in quotes, and where it ends.
std::string quoted(std::string_view line, std::size_t end) {
  std::size_t at = 0;
  const auto read = quoted_scalar(line, at);
  CHECK(read.problem.empty());
  CHECK(at == end);
  return read.value.get<std::string>();
}
std::string problem(std::string_view line) {
  std::size_t at = 0;
  return quoted_scalar(line, at).problem;
}

}  // namespace

TEST_CASE("what a number is") {
  bool whole = false;
  for (const char* const text : {"0", "-12", "+7", "0012"}) {
    CAPTURE(text);
    CHECK(is_yaml_number(text, whole));
    CHECK(whole);
  }
  for (const char* const text : {"1.", ".5", "-1.5", "1e3", "1.5E-3", "+.5e+1"}) {
    CAPTURE(text);
    CHECK(is_yaml_number(text, whole));
    CHECK(!whole);
  }
  for (const char* const text : {"", "-", ".", "-.", "e3", "1e", "1e+", "1.2.3", "1x", "--1", "0x1", "1_0", "1:2"}) {
    CAPTURE(text);
    CHECK(!is_yaml_number(text, whole));
  }
}

TEST_CASE("whole numbers as far as 64 bits hold them, others as doubles") {
  CHECK(plain_scalar("18446744073709551615").value == json(18446744073709551615U));
  CHECK(plain_scalar("-9223372036854775808").value.is_number_integer());
  CHECK(plain_scalar("18446744073709551616").value == json(18446744073709551616.0));
  CHECK(plain_scalar("-1e-400").problem == "number \"-1e-400\" is out of range");
  CHECK(plain_scalar("-0").value == json(0));
  CHECK(plain_scalar("-01").problem == "\"-01\" begins with 0: without it, it is one number to all");
  CHECK(plain_scalar("00.5").value == json(0.5));
}

TEST_CASE("texts in quotes") {
  CHECK(quoted("'a''b' c", 6) == "a'b");
  CHECK(quoted("''", 2).empty());
  CHECK(quoted("''''", 4) == "'");
  CHECK(quoted("\"a'\\\"b\" c", 7) == "a'\"b");
  CHECK(quoted(R"("\u00e9\u20AC\uD834\uDD1E")", 26) == "\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9E");
  CHECK(problem("'a").ends_with("not read"));
  CHECK(problem("'a''").ends_with("not read"));
  CHECK(problem("\"a\\").starts_with("\"\\\" begins with an escape"));
  for (const char* const text :
       {R"("\q")", R"("\u12")", R"("\u12g4")", R"("\ud834")", R"("\ud834\u0041")", R"("\udd1e")"}) {
    CAPTURE(text);
    CHECK(problem(text).ends_with("begins with an escape that is none of JSON's"));
  }
}
