// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/file.hpp>

#include <doctest/doctest.h>

#include <sstream>
#include <string>

using stagecut::io::file_text;
using stagecut::io::stream_text;

TEST_CASE("a stream is read to its end, whatever its length") {
  for (const std::size_t size : {0U, 1U, 4095U, 4096U, 4097U, 10000U}) {
    std::istringstream stream(std::string(size, 'x'));
    CHECK(stream_text(stream, "x") == std::string(size, 'x'));
  }
  std::istringstream broken("x");
  broken.setstate(std::ios::badbit);
  CHECK_THROWS_WITH_AS((void)stream_text(broken, "x"), "x: cannot be read", stagecut::invalid_input);
}

TEST_CASE("a file that cannot be read is named") {
  CHECK(file_text(STAGECUT_TEST_DATA "/io/seeds/csv/list.csv").starts_with("time"));
  CHECK_THROWS_WITH_AS((void)file_text("no/such/file"),
                       "no/such/file: cannot be opened: No such file or directory", stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)file_text(STAGECUT_TEST_DATA), doctest::Contains("cannot be read"),
                       stagecut::invalid_input);
}
