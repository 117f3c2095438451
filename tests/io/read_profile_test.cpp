// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/read_profile.hpp>

#include <doctest/doctest.h>

#include <sstream>
#include <string>

using stagecut::io::parse_profile;
using stagecut::io::read_profile;

TEST_CASE("the format is told by the content") {
  const std::string seeds = STAGECUT_TEST_DATA "/io/seeds/";
  CHECK(read_profile(seeds + "list.csv").layers.size() == 3);
  CHECK(read_profile(seeds + "bare.csv").weights_only);
  CHECK(read_profile(seeds + "layers.csv").layers[0].name == "a, \"b\"");
  CHECK(read_profile(seeds + "graph.txt").layers[1].kind == "Conv2d");
  std::istringstream stream("1\n2\n");
  CHECK(read_profile(stream, "standard input").layers.size() == 2);
  std::istringstream exact(std::string(4096, '1'));  // a number out of range, as long as the buffer
  CHECK_THROWS_WITH_AS((void)read_profile(exact, "x"), doctest::Contains("is out of range"), stagecut::invalid_input);
}

TEST_CASE("a content of no known format, and no content") {
  CHECK_THROWS_WITH_AS((void)parse_profile("{\"a\": 1}", "x"),
                       doctest::Contains("x:1: \"{\"a\": 1}\" begins no known format"), stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)parse_profile(" \n", "x"), "x: is empty", stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)parse_profile(std::string_view("\0\1", 2), "x"), doctest::Contains("\"??\""),
                       stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)read_profile("no/such/file"), "no/such/file: cannot be opened: No such file or directory",
                       stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)read_profile(STAGECUT_TEST_DATA), doctest::Contains("cannot be read"),
                       stagecut::invalid_input);
}
