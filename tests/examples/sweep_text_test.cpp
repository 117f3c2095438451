// SPDX-License-Identifier: BSL-1.0
#include "output/sweep_text.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

TEST_CASE("a line for each configuration that can be, with what came of it") {
  using stagecut::state;
  std::vector<stagecut::sweep_row> rows(4);
  for (auto& row : rows) row.devices = 2, row.microbatches = 8;
  rows[0].state = state::feasible;
  rows[0].makespan = 1.1;
  rows[0].bound = 1;
  rows[0].per_microbatch = 0.1375;
  rows[0].memory = 1073741824;
  rows[0].on_front = true;
  rows[1].dominated = true;
  rows[2].stages_per_rank = 2;  // gpipe has one
  rows[3].state = state::infeasible;
  rows[3].checkpoint = stagecut::checkpointing::always;
  const stagecut::profile model;
  const std::string front =
      "schedule  devices  stages/rank  m  recompute  makespan  a microbatch  memory     gap\n"
      "gpipe           2            1  8       none     1.1 s      137.5 ms   1 GiB  10.0 %       front\n";
  const std::string counts =
      "1 of 4 configurations have a plan, 1 of them on the front of time and memory\n"
      "1 were left out: another one is better in both\n"
      "1 configuration is not supported by its schedule\n";
  CHECK(sweep_text(model, rows, false, screen{}) ==
        front + "gpipe           2            1  8       none         -             -       -       -   dominated\n" +
            "gpipe           2            1  8     always         -             -       -       -  infeasible\n" +
            counts);
  // Of the front alone the last column is narrower.
  CHECK(sweep_text(model, rows, true, screen{}) ==
        "schedule  devices  stages/rank  m  recompute  makespan  a microbatch  memory     gap\n"
        "gpipe           2            1  8       none     1.1 s      137.5 ms   1 GiB  10.0 %  front\n" +
            counts);
}

TEST_CASE("a configuration that was not planned is not called infeasible, and why stands once below") {
  std::vector<stagecut::sweep_row> rows(2);
  for (auto& row : rows) {
    row.devices = 2, row.microbatches = 8, row.schedule = stagecut::schedule_kind::zb_h1;
    row.why = "the model has no such time";
  }
  CHECK(sweep_text({}, rows, false, screen{}) ==
        "schedule  devices  stages/rank  m  recompute  makespan  a microbatch  memory  gap\n"
        "zb-h1           2            1  8       none         -             -       -    -  unknown\n"
        "zb-h1           2            1  8       none         -             -       -    -  unknown\n"
        "0 of 2 configurations have a plan, 0 of them on the front of time and memory\n"
        "unknown of zb-h1: the model has no such time\n");
}
