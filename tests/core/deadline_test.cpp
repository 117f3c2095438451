// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/detail/deadline.hpp>

#include <doctest/doctest.h>

#include <optional>

using stagecut::detail::deadline;
using stagecut::detail::seconds_now;

TEST_CASE("without a limit it is never reached") {
  deadline end{std::nullopt};
  CHECK_FALSE(end.over());
  CHECK_FALSE(end.was_over());
  CHECK(end.seconds() >= 0);
  CHECK(end.report() >= end.seconds());
}

TEST_CASE("it is reached after its seconds, which may have begun before") {
  deadline none{0.0};
  CHECK(none.over());
  deadline later{100.0};
  CHECK_FALSE(later.over());
  deadline begun{100.0, {}, nullptr, seconds_now() - 101};
  CHECK_FALSE(begun.was_over());
  CHECK(begun.over());
  CHECK(begun.was_over());
}

TEST_CASE("who stops it is asked until then, and not again") {
  int asked = 0;
  const auto stop = [&] { return ++asked == 3; };
  deadline end(std::nullopt, stop);
  CHECK_FALSE(end.over());
  CHECK_FALSE(end.over());
  CHECK(end.over());
  CHECK(end.over());
  CHECK(asked == 3);
}

TEST_CASE("progress is reported ten times a second at most") {
  deadline fresh{std::nullopt};
  CHECK_FALSE(fresh.is_time_to_report());
  deadline old{std::nullopt, {}, nullptr, seconds_now() - 1};
  CHECK_FALSE(old.over());  // reads the time
  CHECK(old.is_time_to_report());
  CHECK(old.report() >= 1);
  CHECK_FALSE(old.is_time_to_report());
}
