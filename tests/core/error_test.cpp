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
  using stagecut::detail::in_quotes;
  CHECK(in_quotes("") == R"("")");
  CHECK(in_quotes("a\tb\x01\u202e\xff") == R"("a\u0009b\u0001\u202e\xff")");
  CHECK(in_quotes(std::string(100, 'x')) == "\"" + std::string(60, 'x') + "...\"");
  CHECK(in_quotes(std::string(60, 'x')) == "\"" + std::string(60, 'x') + "\"");
  // It is not cut in a character.
  CHECK(in_quotes(std::string(59, 'x') + "\u20ac\u20ac") == "\"" + std::string(59, 'x') + "\u20ac...\"");
}

TEST_CASE("what errors say shows no character that would mislead, wherever it stands; their places are as they were") {
  const std::string name = "m\u009b\u202e.csv\x1b";
  const std::string shown = R"(m\u009b\u202e.csv\u001b)";
  const stagecut::invalid_input input(name, name);
  CHECK(input.what() == shown + ": " + shown);
  CHECK(input.place() == name);
  const stagecut::argument_error argument(name, name, name, name);
  CHECK(argument.what() == "stagecut::" + shown + ": " + shown + " = " + shown + ", " + shown);
  CHECK(argument.argument() == name);
}

TEST_CASE("both are std::invalid_argument") {
  CHECK_THROWS_AS(stagecut::detail::fail(stagecut::argument_error("f", "a", "v", "r")), std::invalid_argument);
  CHECK_THROWS_AS(stagecut::detail::fail(stagecut::invalid_input("p", "q")), std::invalid_argument);
}

TEST_CASE("one base catches the exceptions of the library, and so does the standard one") {
  const auto caught = [](const auto& error) {
    try {
      throw error;
    } catch (const stagecut::error& of_library) {
      return std::string(of_library.what());
    }
  };
  const stagecut::argument_error argument("f", "n", "0", "must be at least 1");
  CHECK(caught(argument) == "stagecut::f: n = 0, must be at least 1");
  CHECK(caught(stagecut::invalid_input("item 3", "is NaN")) == "item 3: is NaN");
  const std::invalid_argument& standard = argument;
  CHECK(standard.what() == caught(argument));
}
