// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/longest_path.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

using stagecut::longest_path;
using stagecut::start_of;
using stagecut::timed_task;

namespace {

/// Two ranks: what the first made is under way for 4, while the second does something else, which takes 2.
template <class T>
constexpr std::array<T, 5> two_ranks() {
  const std::array<timed_task, 4> tasks{timed_task{0, 0, 1}, timed_task{0, 0, 2}, timed_task{2, 1, 1}, timed_task{1, 3, 4}};
  const std::array<std::uint32_t, 4> delays{0, 0, 3, 0};
  const std::array<T, 5> table{0, 5, 2, 4, 1};
  std::array<T, 5> ends{};
  ends[0] = 77;  // is written
  longest_path<T>(tasks, delays, table, ends);
  return ends;
}

/// The same where nothing is under way.
template <class T>
constexpr std::array<T, 5> at_once() {
  const std::array<timed_task, 4> tasks{timed_task{0, 0, 1}, timed_task{0, 0, 2}, timed_task{2, 1, 1}, timed_task{1, 3, 4}};
  const std::array<T, 5> table{0, 5, 2, 4, 1};
  std::array<T, 5> ends{};
  longest_path<T>(tasks, {}, table, ends);
  return ends;
}

static_assert(two_ranks<int>() == std::array{0, 5, 2, 14, 15});
static_assert(two_ranks<double>() == std::array{0.0, 5.0, 2.0, 14.0, 15.0});
static_assert(at_once<int>() == std::array{0, 5, 2, 10, 11});

}  // namespace

TEST_CASE("a task begins when its resource is free and what it awaits has arrived") {
  const std::vector<int> ends{0, 5, 2};
  CHECK(start_of(timed_task{}, 0, ends.data()) == 0);
  CHECK(start_of(timed_task{1, 2, 3}, 0, ends.data()) == 5);
  CHECK(start_of(timed_task{1, 2, 3}, 4, ends.data()) == 6);
  CHECK(start_of(timed_task{2, 1, 3}, 1, ends.data()) == 6);
  CHECK(at_once<double>()[4] == 11);
  CHECK(two_ranks<long>()[4] == 15);
  CHECK(two_ranks<float>()[4] == 15);
}

TEST_CASE("no tasks, and a chain of them") {
  std::vector<double> ends{1};
  longest_path<double>(std::vector<timed_task>{}, {}, std::vector<double>{0}, ends);
  CHECK(ends[0] == 0);

  const std::size_t n = 1000;
  std::vector<timed_task> chain(n);
  for (std::size_t i = 0; i < n; ++i) chain[i] = {static_cast<std::uint32_t>(i), 0, 1};
  ends.resize(n + 1);
  longest_path<double>(chain, {}, std::vector<double>{0, 0.1}, ends);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += 0.1;  // in this order, a rounded addition at a time
  CHECK(ends[n] == sum);
}

TEST_CASE("tasks are told apart") {
  CHECK(timed_task{} == timed_task{0, 0, 0});
  CHECK(timed_task{1, 0, 0} != timed_task{});
  CHECK(timed_task{0, 1, 0} != timed_task{});
  CHECK(timed_task{0, 0, 1} != timed_task{});
}
