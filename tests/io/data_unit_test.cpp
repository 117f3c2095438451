// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/pictures/data_unit.hpp>

#include <doctest/doctest.h>

namespace io = stagecut::io;

TEST_CASE("figures have four digits that count") {
  CHECK(io::detail::figure(0) == "0");
  CHECK(io::detail::figure(33) == "33");
  CHECK(io::detail::figure(12.3456) == "12.35");
  CHECK(io::detail::figure(0.00123456) == "0.001235");
  CHECK(io::detail::figure(123456) == "123456");
  CHECK(io::detail::figure(100) == "100");
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
}
