// SPDX-License-Identifier: BSL-1.0
#include "output/table.hpp"

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

TEST_CASE("columns without room stand in blocks below, with the first one and what belongs to them") {
  table lines(0);
  lines.add({"plan", "time", "", "idle", "memory"});
  lines.add({"a", "12 s", "+20 %", "3 %", "8 GiB"});
  lines.add({"b", "10 s", "best", "4 %", "12 GiB"});
  const auto behind = [](std::size_t line) { return std::string(line == 2 ? "  *" : ""); };
  CHECK(lines.within(80, behind) == lines.text(behind));
  CHECK(lines.within(lines.width() - 2, behind) == lines.text(behind));
  CHECK(lines.within(lines.width() - 3, behind) ==
        "plan  time         idle\n"
        "a     12 s  +20 %   3 %\n"
        "b     10 s   best   4 %\n"
        "plan  memory\n"
        "a      8 GiB\n"
        "b     12 GiB  *\n");
  // A column that is wider than the screen has a block for itself, and one keeps its mark.
  CHECK(lines.within(1, behind) ==
        "plan  time\n"
        "a     12 s  +20 %\n"
        "b     10 s   best\n"
        "plan  idle\n"
        "a      3 %\n"
        "b      4 %\n"
        "plan  memory\n"
        "a      8 GiB\n"
        "b     12 GiB  *\n");
  CHECK(table(0).within(80, behind).empty());
}
