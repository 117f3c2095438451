// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/detail/task_list.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "../refusal.hpp"

using stagecut::op;
using stagecut::op_kind;
using stagecut::task;

TEST_CASE("tasks are numbered from 1; delays are kept where results are late") {
  stagecut::detail::task_list list;
  CHECK(list.add({op_kind::forward, 0}, {0, 0, 3}) == 1);
  CHECK(list.add({op_kind::backward, 1}, {1, 1, 4}) == 2);
  CHECK(list.tasks == std::vector<task>{{0, 0, 3}, {1, 1, 4}});
  CHECK(list.what == std::vector<op>{{op_kind::forward, 0}, {op_kind::backward, 1}});
  CHECK(list.delays.empty());
  CHECK(list.last.empty());

  stagecut::detail::task_list late;
  late.late = true;
  CHECK(late.add({op_kind::forward, 0}, {}) == 1);
  CHECK(late.delays.size() == 1);
}

TEST_CASE("no more tasks than positions of 32 bits can name") {
  const auto said = [](std::size_t tasks) {
    return refusal([&] { return stagecut::detail::check_task_count(tasks), 0; });
  };
  CHECK(said(0xFFFFFFFF) == "not refused");
  CHECK(said(0x100000000) == "schedule: makes 4294967296 tasks; they must be below 2^32");
}
