// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/schedule_kind.hpp>

#include <stagecut/core/error.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>

using stagecut::find_schedule;
using stagecut::has_shape;
using stagecut::schedule_entry;
using stagecut::schedule_kind;
using stagecut::schedules;

static_assert(find_schedule("zbv")->kind == schedule_kind::zbv);
static_assert(find_schedule("zbv")->stages_per_rank == 2);

TEST_CASE("The table: one row a kind, in the order of the kinds, each with a name of its own") {
  CHECK(std::size(schedules) >= static_cast<std::size_t>(schedule_kind::sapp_less_memory) + 1);
  std::set<std::string> names;
  for (std::size_t i = 0; i < std::size(schedules); ++i) {
    const schedule_entry& each = schedules[i];
    CHECK(static_cast<std::size_t>(each.kind) == i);
    CHECK((each.make != nullptr) == (i < stagecut::schedules_made_by_shape));
    CHECK((each.takes == stagecut::shape_figure::times) == (each.make == nullptr));
    CHECK(names.insert(each.name).second);
    CHECK(find_schedule(each.name) == &each);
    CHECK(std::string(to_string(each.kind)) == each.name);
    CHECK(std::string(each.describes).size() <= 60);
    CHECK(!std::string(each.describes).empty());
    CHECK(each.stages_per_rank <= 2);
  }
}

TEST_CASE("Names as they are given on a command line") {
  const std::set<std::string> expected{
      "gpipe", "gpipe-lifo",     "1f1b", "eager-1f1b", "in-flight", "interleaved", "looped-bfs",       "zb-h1",
      "zb-h2", "interleaved-zb", "zbv",  "dualpipev",  "seq-1f1b",  "sapp-big",    "sapp-less-memory", "synthesize"};
  std::set<std::string> found;
  for (const schedule_entry& entry : schedules) found.insert(entry.name);
  for (const std::string& name : expected) CHECK(found.count(name) == 1);
  CHECK(find_schedule("1f1b")->kind == schedule_kind::one_forward_one_backward);
  CHECK(find_schedule("seq-1f1b")->kind == schedule_kind::sliced);
  CHECK(find_schedule("1F1B") == nullptr);
  CHECK(find_schedule("") == nullptr);
  CHECK(find_schedule("zb") == nullptr);
}

TEST_CASE("a schedule has a shape exactly where it can be made, with one chunk only if it has no more") {
  int made = 0;
  for (const auto& entry : stagecut::schedules) {
    CHECK(needs_more(entry) == (entry.kind == schedule_kind::in_flight || entry.kind == schedule_kind::sliced ||
                                entry.kind == schedule_kind::synthesized));
    if (needs_more(entry)) {
      CHECK_FALSE(has_shape(entry.kind, 2, 1, 4));
      continue;
    }
    for (std::size_t p = 1; p <= 5; ++p) {
      for (std::size_t v = 1; v <= 3; ++v) {
        for (std::size_t m = 1; m <= 14; ++m) {
          stagecut::schedule_shape shape;
          shape.ranks = p;
          shape.stages_per_rank = v;
          shape.microbatches = m;
          bool can = true;
          try {
            (void)stagecut::make_schedule(entry.kind, shape);
          } catch (const stagecut::argument_error&) {
            can = false;
          }
          const bool is_other = entry.stages_per_rank == 0 && v == 1;
          made += can ? 1 : 0;
          CHECK_MESSAGE(has_shape(entry.kind, p, v, m) == (can && !is_other), entry.name, " ", p, " ", v, " ", m);
          for (std::size_t group = 1; group <= m + 1; ++group) {
            shape.group = group;
            bool grouped = true;
            try {
              (void)stagecut::make_schedule(entry.kind, shape);
            } catch (const stagecut::argument_error&) {
              grouped = false;
            }
            REQUIRE(has_shape(entry.kind, p, v, m, group) == (grouped && !is_other));
          }
        }
      }
    }
  }
  CHECK(made > 500);
  CHECK_FALSE(has_shape(schedule_kind::gpipe, 0, 1, 1));
  CHECK_FALSE(has_shape(schedule_kind::gpipe, 1, 0, 1));
  CHECK_FALSE(has_shape(schedule_kind::gpipe, 1, 1, 0));
}

TEST_CASE("what is meant with chunks, with numbers in flight, and where the last microbatch goes back first") {
  int chunked = 0;
  int limited = 0;
  int kept = 0;
  for (const schedule_entry& entry : schedules) {
    CAPTURE(entry.name);
    CHECK(may_limit_in_flight(entry) == (entry.with_in_flight != entry.kind));
    CHECK(may_keep_last(entry) == (entry.with_last_kept != entry.kind));
    if (entry.with_stages_per_rank != entry.kind) {
      ++chunked;
      CHECK(entry.stages_per_rank == 1);
      CHECK(stagecut::entry_of(entry.with_stages_per_rank).stages_per_rank == 0);
    }
    if (may_limit_in_flight(entry)) {
      ++limited;
      CHECK(stagecut::entry_of(entry.with_in_flight).takes == stagecut::shape_figure::in_flight);
    }
    if (may_keep_last(entry)) {
      ++kept;
      const auto made = make_schedule(entry.with_last_kept, {.ranks = 3, .microbatches = 4});
      for (const auto& rank : made.orders) {
        const auto back = std::find_if(rank.begin(), rank.end(),
                                       [](const auto& op) { return op.kind == stagecut::op_kind::backward; });
        REQUIRE(back != rank.end());
        CHECK(back->microbatch == 3);
      }
    }
  }
  CHECK(chunked > 0);
  CHECK(limited > 0);
  CHECK(kept > 0);
}

TEST_CASE("a kind without a row is refused, not made up") {
  const auto none = static_cast<schedule_kind>(std::size(schedules));
  CHECK_THROWS_WITH_AS((void)stagecut::entry_of(none), doctest::Contains("must have a row in schedules"),
                       stagecut::argument_error);
  CHECK_THROWS_AS((void)stagecut::make_schedule(none, {}), stagecut::argument_error);
  CHECK_THROWS_AS((void)has_shape(none, 1, 1, 1), stagecut::argument_error);
  CHECK_THROWS_AS((void)to_string(none), stagecut::argument_error);
}
