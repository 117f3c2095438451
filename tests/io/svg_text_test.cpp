// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/svg_text.hpp>

#include <doctest/doctest.h>

#include <set>

namespace io = stagecut::io::detail;
using stagecut::op_kind;

namespace {

std::string coordinate(double value) {
  std::string text;
  io::add(text, value);
  return text;
}

}  // namespace

TEST_CASE("coordinates have at most two decimals") {
  CHECK(coordinate(0) == "0");
  CHECK(coordinate(12) == "12");
  CHECK(coordinate(12.5) == "12.5");
  CHECK(coordinate(12.346) == "12.35");
  CHECK(coordinate(-0.07) == "-0.07");
  CHECK(coordinate(-0.001) == "0");
  CHECK(coordinate(1.999) == "2");
}

TEST_CASE("names are escaped, and what XML may not hold, or would mislead, is spelt") {
  CHECK(io::xml_text("a<b>&\"c'") == "a&lt;b&gt;&amp;&quot;c'");
  CHECK(io::xml_text("a\x01\n\x7f") == R"(a\u0001\u000a\u007f)");
  CHECK(io::xml_text("h\u00e4\u20ac\U0001F600") == "h\u00e4\u20ac\U0001F600");
  CHECK(io::xml_text("\xff\xc3") == R"(\xff\xc3)");
  CHECK(io::xml_text("\xc0\x80") == R"(\xc0\x80)");
  CHECK(io::xml_text("\xe0\x80\x80") == R"(\xe0\x80\x80)");
  CHECK(io::xml_text("\xed\xa0\x80") == R"(\xed\xa0\x80)");
  CHECK(io::xml_text("\xef\xbf\xbf") == R"(\uffff)");
  CHECK(io::xml_text("\xf4\x90\x80\x80") == R"(\xf4\x90\x80\x80)");
  CHECK(io::xml_text("\xf0\x8f\xbf\xbf") == R"(\xf0\x8f\xbf\xbf)");
  CHECK(io::xml_text("\xf4\x8f\xbf\xbd") == "\xf4\x8f\xbf\xbd");
}

TEST_CASE("long names are cut at characters") {
  CHECK(io::shortened("short", 10, 100) == "short");
  const std::string cut = io::shortened(std::string(100, 'a') + "\u00e4", 10, 200);
  CHECK(io::text_width(cut, 10) <= 200);
  CHECK(cut.ends_with("a\u2026"));
  std::string umlauts;
  for (int i = 0; i < 50; ++i) umlauts += "\u00e4";
  CHECK(io::xml_text(io::shortened(umlauts, 10, 100)).find('\\') == std::string::npos);
}

TEST_CASE("shares are shown in per cent") { CHECK(io::percent_text(9.0 / 33) == "27.3 %"); }

TEST_CASE("every kind of op has colours of its own, one for each stage of a rank") {
  std::set<std::string> seen;
  for (const op_kind kind : {op_kind::forward, op_kind::backward, op_kind::backward_input, op_kind::backward_weight}) {
    for (std::size_t chunk = 0; chunk < 4; ++chunk) seen.insert(io::op_colour(kind, chunk, 4));
    CHECK(io::op_colour(kind, 0, 1) == io::op_colour(kind, 0, 4));
  }
  seen.insert(io::op_colour(op_kind::reduce_gradient, 0, 1));
  seen.insert(io::op_colour(op_kind::optimizer_step, 0, 1));
  CHECK(seen.size() == 18);
  CHECK(io::op_colour(op_kind::forward, 0, 1) == "#6fa8ee");
}
