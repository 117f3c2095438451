// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/pictures/svg_text.hpp>

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

TEST_CASE("figures have four digits that count") {
  CHECK(io::figure(0) == "0");
  CHECK(io::figure(33) == "33");
  CHECK(io::figure(12.3456) == "12.35");
  CHECK(io::figure(0.00123456) == "0.001235");
  CHECK(io::figure(123456) == "123456");
  CHECK(io::figure(100) == "100");
}

TEST_CASE("amounts are shown in the unit that fits") {
  const auto time = [](double value) { return io::amount_text(value, io::time_unit(value, true)); };
  CHECK(time(0) == "0 s");
  CHECK(time(1.5) == "1.5 s");
  CHECK(time(0.0123) == "12.3 ms");
  CHECK(time(12e-6) == "12 \u00B5s");
  CHECK(time(3e-9) == "3 ns");
  CHECK(io::amount_text(33, io::time_unit(33, false)) == "33");
  CHECK(io::amount_text(80.0 * (1U << 30U), io::memory_unit(80.0 * (1U << 30U), true)) == "80 GiB");
  CHECK(io::amount_text(7, io::memory_unit(7, false)) == "7");
  CHECK(io::percent_text(9.0 / 33) == "27.3 %");
}

TEST_CASE("the marks of an axis are round, evenly apart, and neither too many nor outside") {
  for (const double until : {1e-9, 0.3, 0.99, 1.0, 7.0, 33.0, 1000.0, 123456.0, 9.99e11}) {
    for (const std::size_t most : {1U, 3U, 12U}) {
      const io::axis_marks axis(until, most);
      CAPTURE(until);
      CHECK(axis.size() >= 1);
      CHECK(axis.size() <= most + 1);
      CHECK(axis.at(axis.size() - 1) <= until * (1 + 1e-9));
      if (most == 12) CHECK(axis.size() >= 5);
      for (std::size_t i = 0; i < axis.size(); ++i) CHECK(std::stod(axis.text(i)) == doctest::Approx(axis.at(i)));
    }
  }
  const io::axis_marks fine(1.229, 12);
  CHECK(fine.text(0) == "0");
  CHECK(fine.text(1) == "0.2");
  CHECK(fine.text(5) == "1.0");
  const io::axis_marks coarse(33, 12);
  CHECK(coarse.text(1) == "5");
  CHECK(io::axis_marks(0.9, 9).text(1) == "0.1");
  CHECK(io::axis_marks(360, 4).text(1) == "100");
  CHECK(io::axis_marks(0, 4).size() == 1);
}

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
