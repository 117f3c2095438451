// SPDX-License-Identifier: BSL-1.0
#include <stagecut/search/worker_threads.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include "../refusal.hpp"

using stagecut::search::worker_threads;

TEST_CASE("each index is called once, on however many threads") {
  for (const std::size_t threads : {0U, 1U, 2U, 7U}) {
    const worker_threads workers(threads);
    for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
      std::vector<std::atomic<int>> calls(count);
      const auto call = [&](std::size_t i) { ++calls[i]; };
      workers(count, call);
      for (const auto& each : calls) REQUIRE(each == 1);
    }
  }
}

TEST_CASE("the exception of the smallest index is let out, once all have been called") {
  for (int round = 0; round < 50; ++round) {
    std::atomic<std::size_t> calls = 0;
    const auto call = [&](std::size_t i) {
      ++calls;
      if (i % 10 == 3) throw std::runtime_error(std::to_string(i));
    };
    CHECK(refusal<std::runtime_error>([&] { return worker_threads(3)(100, call), 0; }) == "3");
    CHECK(calls == 100);
  }
}
