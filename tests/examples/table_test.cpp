// SPDX-License-Identifier: BSL-1.0
#include "text/table.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

TEST_CASE("cells stand below each other, one column at the left, and no line ends in blanks") {
  table lines(1);
  lines.add({"stage", "layers", "n"});
  lines.add({"0", "h\u00e4\u00df", "12"});
  lines.add({"10", "", ""});
  CHECK(lines.width() == 5 + 2 + 6 + 2 + 2 + 2);
  CHECK(lines.text([](std::size_t line) { return line == 1 ? std::string(" <") : std::string(); }) ==
        "stage  layers   n\n"
        "    0  h\u00e4\u00df     12 <\n"
        "   10\n");
  CHECK(table(0).text([](std::size_t) { return std::string(); }).empty());
}
