// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/error.hpp>

#include <doctest/doctest.h>

#include <string>

TEST_CASE("an argument error names function, argument, value and requirement") {
  const stagecut::argument_error error("cut", "stages", "0", "must be at least 1");
  CHECK(std::string(error.what()) == "stagecut::cut: stages = 0, must be at least 1");
  CHECK(error.argument() == "stages");
}

TEST_CASE("invalid input names its place") {
  const stagecut::invalid_input error("model.csv:12", "forward: \"x\" is not a number");
  CHECK(std::string(error.what()) == "model.csv:12: forward: \"x\" is not a number");
  CHECK(error.place() == "model.csv:12");
}

TEST_CASE("what is shown of a text is short and printable") {
  CHECK(stagecut::detail::in_quotes("a\tb\x01") == "\"a?b?\"");
  CHECK(stagecut::detail::in_quotes(std::string(100, 'x')) == "\"" + std::string(60, 'x') + "...\"");
}

TEST_CASE("both are std::invalid_argument") {
  CHECK_THROWS_AS(stagecut::detail::fail(stagecut::argument_error("f", "a", "v", "r")), std::invalid_argument);
  CHECK_THROWS_AS(stagecut::detail::fail(stagecut::invalid_input("p", "q")), std::invalid_argument);
}
