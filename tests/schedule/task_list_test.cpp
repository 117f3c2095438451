// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/detail/task_list.hpp>

#include <doctest/doctest.h>

#include <vector>

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
