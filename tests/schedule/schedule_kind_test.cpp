// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/schedule_kind.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <string>

using stagecut::find_schedule;
using stagecut::schedule_entry;
using stagecut::schedule_kind;
using stagecut::schedules;

static_assert(find_schedule("zbv")->kind == schedule_kind::zbv);
static_assert(find_schedule("zbv")->chunks == 2);

TEST_CASE("The table: one row a kind, in the order of the kinds, each with a name of its own") {
  CHECK(std::size(schedules) == static_cast<std::size_t>(schedule_kind::sapp_less_memory) + 1);
  std::set<std::string> names;
  for (std::size_t i = 0; i < std::size(schedules); ++i) {
    const schedule_entry& each = schedules[i];
    CHECK(static_cast<std::size_t>(each.kind) == i);
    CHECK(names.insert(each.name).second);
    CHECK(find_schedule(each.name) == &each);
    CHECK(std::string(to_string(each.kind)) == each.name);
    CHECK(std::string(each.describes).size() <= 60);
    CHECK(!std::string(each.describes).empty());
    CHECK(each.chunks <= 2);
  }
}

TEST_CASE("Names as they are given on a command line") {
  const std::set<std::string> expected{"gpipe",       "gpipe-lifo", "1f1b",     "eager-1f1b", "in-flight",
                                       "interleaved", "looped-bfs", "zb-h1",    "zb-h2",      "interleaved-zb",
                                       "zbv",         "dualpipev",  "seq-1f1b", "sapp-big",   "sapp-less-memory"};
  std::set<std::string> found;
  for (const schedule_entry& each : schedules) found.insert(each.name);
  CHECK(found == expected);
  CHECK(find_schedule("1f1b")->kind == schedule_kind::one_forward_one_backward);
  CHECK(find_schedule("seq-1f1b")->kind == schedule_kind::sliced);
  CHECK(find_schedule("1F1B") == nullptr);
  CHECK(find_schedule("") == nullptr);
  CHECK(find_schedule("zb") == nullptr);
}
