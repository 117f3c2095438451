// SPDX-License-Identifier: BSL-1.0
#include "output/screen.hpp"

#include <doctest/doctest.h>

TEST_CASE("names are cut at characters, not in them, and lose what a terminal would obey") {
  CHECK(shown("a\x1b[31m\n") == R"(a\u001b[31m\u000a)");
  CHECK(shown("\u202ea\xff") == R"(\u202ea\xff)");
  CHECK(shown("\u202e\u202eab", 10) == R"(..\u202eab)");  // nor in what stands for one
  CHECK(shown("\u202e\u202eab", 9) == "..ab");
  CHECK(glyphs("häß") == 3);
  CHECK(shown("block.häßä", 6) == "..häßä");
  CHECK(shown("kurz", 4) == "kurz");
}
