// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/text.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace detail = stagecut::io::detail;

TEST_CASE("lines end in any way, blank ones are skipped, and numbers count all") {
  detail::line_reader lines(
      "\xEF\xBB\xBF"
      "a\r\n\n \t\nb\nc",
      "file");
  std::vector<std::string> seen;
  while (lines.next()) seen.push_back(std::string(lines.line()) + "@" + lines.place());
  CHECK(seen == std::vector<std::string>{"a@file:1", "b@file:4", "c@file:5"});
}

TEST_CASE("amounts are finite numbers, not negative") {
  CHECK(detail::amount(" 1.5e3\t", "f", "p") == 1500);
  CHECK(detail::amount("0", "f", "p") == 0);
  const auto refuse = [](const char* text, const char* message) {
    CHECK_THROWS_WITH_AS((void)detail::amount(text, "forward", "x:3"), message, stagecut::invalid_input);
  };
  refuse("", "x:3: forward: \"\" is not a number");
  refuse("1x", "x:3: forward: \"1x\" is not a number");
  refuse("1 2", "x:3: forward: \"1 2\" is not a number");
  refuse("nan", "x:3: forward: \"nan\" is NaN");
  refuse("inf", "x:3: forward: \"inf\" is infinite");
  refuse("-1", "x:3: forward: \"-1\" is negative");
  refuse("1e999", "x:3: forward: \"1e999\" is out of range");
}
