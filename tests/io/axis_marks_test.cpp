// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/pictures/axis_marks.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <string>

namespace io = stagecut::io;

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
  // Nothing is added up beyond what a double can tell.
  const double greatest = std::numeric_limits<double>::max();
  for (const double until : {greatest / 2, greatest, std::numeric_limits<double>::infinity()}) {
    CHECK(io::axis_marks(until, 4).size() <= 5);
    CHECK(io::axis_marks(until, 4).size() > 1);
  }
}
