// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/visible.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>

using stagecut::detail::is_visible;
using stagecut::detail::misleading;
using stagecut::detail::utf8_size;
using stagecut::visible;

namespace {

std::string utf8(char32_t code) {
  const auto byte = [](char32_t value) { return static_cast<char>(static_cast<unsigned char>(value)); };
  if (code < 0x80) return {byte(code)};
  if (code < 0x800) return {byte(0xC0 | code >> 6U), byte(0x80 | (code & 0x3F))};
  if (code < 0x10000) return {byte(0xE0 | code >> 12U), byte(0x80 | (code >> 6U & 0x3F)), byte(0x80 | (code & 0x3F))};
  return {byte(0xF0 | code >> 18U), byte(0x80 | (code >> 12U & 0x3F)), byte(0x80 | (code >> 6U & 0x3F)),
          byte(0x80 | (code & 0x3F))};
}

}  // namespace

TEST_CASE("characters that would mislead are spelt, in each class") {
  CHECK(visible("\x1b[31m\t\n\x7f") == R"(\u001b[31m\u0009\u000a\u007f)");
  CHECK(visible(std::string_view("\0", 1)) == R"(\u0000)");
  CHECK(visible("\u0080\u0085\u009b\u009f") == R"(\u0080\u0085\u009b\u009f)");
  CHECK(visible("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e") ==
        R"(\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e)");
  CHECK(visible("\u2066\u2067\u2068\u2069\u2028\u2029") == R"(\u2066\u2067\u2068\u2069\u2028\u2029)");
  CHECK(visible("\u200b\u200c\u200d\u2060\u00ad\ufeff\ufff9\ufffa\ufffb") ==
        R"(\u200b\u200c\u200d\u2060\u00ad\ufeff\ufff9\ufffa\ufffb)");
  CHECK(visible("\U000e0001\U000e0041\U000e007f\U000e0100\ufe0f") ==
        R"(\U000e0001\U000e0041\U000e007f\U000e0100\ufe0f)");
  CHECK(visible("\ufffe\uffff\U0001fffe\U0010ffff") == R"(\ufffe\uffff\U0001fffe\U0010ffff)");
}

TEST_CASE("bytes that are no UTF-8 are spelt one by one") {
  CHECK(visible("caf\xe9!") == R"(caf\xe9!)");
  CHECK(visible("\xc0\x80\xc1\xbf\xe0\x9f\xbf\xf0\x8f\xbf\xbf") == R"(\xc0\x80\xc1\xbf\xe0\x9f\xbf\xf0\x8f\xbf\xbf)");
  CHECK(visible("\xed\xa0\x80\xed\xb0\x80") == R"(\xed\xa0\x80\xed\xb0\x80)");  // surrogates
  CHECK(visible("\xf4\x90\x80\x80\xff") == R"(\xf4\x90\x80\x80\xff)");
  CHECK(visible("\xe2\x82") == R"(\xe2\x82)");
  CHECK(visible("\x80\xe2\x82x") == R"(\x80\xe2\x82x)");
}

TEST_CASE("all else stays: letters of all scripts, symbols, spaces, backslashes") {
  for (const char* text :
       {"", "layers.0", "h\u00e4\u00df \u65e5\u672c\u8a9e \u0440\u0443\u0441 \u05e2\u05d1\u05e8 \u0639\u0631\u0628",
        "\U0001F600\u20ac\ufffd\ue000", "\u00a0\u3000", R"(C:\u202e\x1b)"}) {
    CHECK(visible(text) == text);
  }
}

TEST_CASE("what is visible does not change, and no byte of what is not is left: every code point") {
  std::size_t spelt = 0;
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    const std::string text = utf8(code);
    REQUIRE(utf8_size(text) == text.size());
    const std::string shown = visible(text);
    REQUIRE(visible(shown) == shown);
    REQUIRE((shown == text) == is_visible(code));
    if (shown == text) continue;
    char expected[16];
    std::snprintf(expected, sizeof expected, code > 0xFFFF ? "\\U%08lx" : "\\u%04lx", static_cast<unsigned long>(code));
    REQUIRE(shown == expected);
    ++spelt;
  }
  CHECK(spelt == 65 + 1 + 1 + 1 + 2 + 2 + 5 + 5 + 7 + 16 + 1 + 16 + 1 + 1 + 12 + 4 + 8 + 4096 + 34);
}

TEST_CASE("the table is in ascending order, as the search in it needs") {
  for (std::size_t i = 0; i < std::size(misleading); ++i) {
    CHECK(misleading[i].first <= misleading[i].last);
    if (i > 0) CHECK(misleading[i - 1].last < misleading[i].first);
  }
}

TEST_CASE("the bytes of the first character") {
  CHECK(utf8_size("a\xff") == 1);
  CHECK(utf8_size("\xC3\xA9x") == 2);
  CHECK(utf8_size("\xE2\x82\xAC") == 3);
  CHECK(utf8_size("\xF0\x9F\x98\x80") == 4);
  for (const char* const none : {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xE2\x82",
                                 "\xF4\x90\x80\x80", "\xF0\x80\x80\x80", "\xFF"}) {
    CHECK(utf8_size(none) == 0);
  }
}
