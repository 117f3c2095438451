// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/pictures/chrome_trace.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string_view>
#include <vector>

#include "../allocations.hpp"
#include "worked_picture.hpp"

TEST_CASE("a trace of any number of passes needs the same memory") {
  std::vector<std::size_t> calls;
  std::vector<std::size_t> bytes;
  for (const std::size_t microbatches : {10U, 100U, 10000U}) {
    const std::vector pictures{worked_picture(4, microbatches, 0.25)};
    std::size_t written = 0;
    const auto count = [&](std::string_view part) { written += part.size(); };
    const std::size_t calls_before = allocations;
    const std::size_t bytes_before = most_allocated_bytes = allocated_bytes;
    stagecut::io::write_chrome_trace(pictures, count);
    calls.push_back(allocations - calls_before);
    bytes.push_back(most_allocated_bytes - bytes_before);
    CHECK(written > 500 * microbatches);
  }
  CHECK(calls[0] > 0);  // the counter counts
  CHECK(calls == std::vector(3, calls[0]));
  CHECK(bytes == std::vector(3, bytes[0]));
}
