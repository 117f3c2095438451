// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/dot_lexer.hpp>

#include <doctest/doctest.h>

#include <string>

#include "../refusal.hpp"

namespace detail = stagecut::io::detail;

namespace {

/// The tokens of a text, each with its line if that is not the first; words in quotes in brackets.
std::string tokens(const std::string& text) {
  detail::dot_lexer lexer(text, "g");
  std::string result;
  for (auto token = lexer.next(); token.what != detail::dot_token::kind::end; token = lexer.next()) {
    if (!result.empty()) result += ' ';
    if (token.line != 1) result += std::to_string(token.line) + ":";
    result += token.what == detail::dot_token::kind::quoted ? "(" + token.text + ")" : token.text;
  }
  return result;
}

}  // namespace

TEST_CASE("words, numbers and signs") {
  CHECK(tokens("a->b") == "a -> b");
  CHECK(tokens("a1_ 1a -1.5 .5 2e-3 2e 1e+x -") == "a1_ 1 a -1.5 .5 2e-3 2 e 1 e + x -");
  CHECK(tokens("0->1") == "0 -> 1");
  CHECK(tokens("a--b;c=d,[{}]:") == "a -- b ; c = d , [ { } ] :");
  CHECK(tokens("caf\xC3\xA9") == "caf\xC3\xA9");
  CHECK(tokens("\x01") == "\x01");
  CHECK(tokens("") == "");
}

TEST_CASE("quotes, labels and comments") {
  CHECK(tokens(R"("a b" "\"" "\\" "\n" "")") == R"((a b) (") (\) (\n) ())");
  CHECK(tokens("\"a\\\nb\" c") == "(ab) 2:c");
  CHECK(tokens("\"a\nb\" c") == "(a\nb) 2:c");
  CHECK(tokens("<a<b>\n</b>> c") == "<...> 2:c");
  CHECK(tokens("a // b\n# c\nd/* e\n */f #") == "a 3:d 4:f 4:#");
  CHECK(tokens("\xEF\xBB\xBF# a\nb") == "2:b");
  for (const char* text : {"\"a", "/* a", "<a", "/*/"}) {
    CHECK(refusal<stagecut::invalid_input>([&] { return tokens(text); }).find("is not closed") != std::string::npos);
  }
}

TEST_CASE("the words of DOT itself are so in either case, and not in quotes") {
  detail::dot_lexer lexer("DiGraph \"digraph\" digraphs", "g");
  CHECK(lexer.next().is_keyword("digraph"));
  const auto quoted = lexer.next();
  CHECK_FALSE(quoted.is_keyword("digraph"));
  CHECK(quoted.is_id());
  CHECK_FALSE(lexer.next().is_keyword("digraph"));
  CHECK(lexer.place(3) == "g:3");
}
