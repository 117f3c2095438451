// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/targets.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <set>
#include <string>
#include <vector>

using stagecut::find_schedule;
using stagecut::framework;
using stagecut::schedule_kind;

TEST_CASE("every target is found by its name, and says what it was read from") {
  std::set<std::string> names;
  for (const auto& entry : stagecut::targets) {
    CAPTURE(std::string(entry.name));
    CHECK(stagecut::find_target(entry.name) == &entry);
    CHECK(&stagecut::entry_of(entry.kind) == &entry);
    CHECK(names.insert(entry.name).second);
    CHECK(std::string(entry.version) != "");
    CHECK(std::string(entry.framework) != "");
    CHECK((entry.other_kinds || entry.kinds.size() != 0));
    for (const auto& schedule : entry.schedules) {
      CHECK(find_schedule(entry, schedule.kind) == &schedule);
      CHECK((entry.several_chunks || stagecut::entry_of(schedule.kind).stages_per_rank == 1));
    }
  }
  CHECK(names.size() == 13);
  CHECK(stagecut::find_target("dot") == nullptr);
  CHECK(stagecut::find_target("") == nullptr);
  CHECK_THROWS_WITH_AS((void)stagecut::entry_of(framework::none),
                       "stagecut::entry_of: kind = 0, must have a row in targets", stagecut::argument_error);
  CHECK_THROWS_AS((void)stagecut::entry_of(static_cast<framework>(14)), stagecut::argument_error);
  CHECK(find_schedule(stagecut::entry_of(framework::deepspeed), schedule_kind::gpipe) == nullptr);
}

TEST_CASE("Megatron-LM interleaves groups of microbatches of which none is smaller than the ranks") {
  const auto& interleaved = *find_schedule(stagecut::entry_of(framework::megatron), schedule_kind::interleaved);
  std::size_t runs = 0;
  for (std::size_t p = 1; p <= 5; ++p) {
    for (std::size_t m = 1; m <= 13; ++m) {
      for (std::size_t group = 0; group <= 14; ++group) {
        bool fine = p > 1 && (group == 0 || (p <= group && group <= m));
        const std::size_t each = group == 0 ? p : group;
        for (std::size_t left = m; left != 0; left -= left < each ? left : each) {
          fine = fine && (left < each ? left : each) >= p;
        }
        CAPTURE(p);
        CAPTURE(m);
        CAPTURE(group);
        // A group as large as the ranks is what it has by default: a multiple of them.
        CHECK(interleaved.obstacle(p, 2, m, group).empty() == fine);
        runs += fine ? 1 : 0;
      }
    }
    CHECK(interleaved.obstacle(p, 2, 0, 0).empty() == (p > 1));
  }
  CHECK(runs > 100);
}

TEST_CASE("targets that interleave other numbers do so in groups that they run") {
  const auto& megatron = stagecut::entry_of(framework::megatron);
  const auto& pytorch = stagecut::entry_of(framework::pytorch);
  const bool said = megatron.group == nullptr;
  CHECK(said);  // one that is not the ranks is to be said
  const auto& by_class = *find_schedule(pytorch, schedule_kind::interleaved);
  for (std::size_t p = 2; p <= 6; ++p) {
    for (std::size_t m = p; m <= 40; ++m) {
      CAPTURE(p);
      CAPTURE(m);
      const std::size_t rounds = m / p;
      const std::size_t divides = m % rounds == 0 ? m / rounds : 0;
      CHECK(pytorch.group(p, m) == divides);
      if (divides != 0) CHECK(by_class.named(p, m, divides));
      if (divides != 0) CHECK_FALSE(by_class.named(p, m, divides + 1));
    }
  }
  CHECK(pytorch.group(4, 3) == 3);
}
