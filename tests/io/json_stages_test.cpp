// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/json_stages.hpp>

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace {

/// The first mistake of a plan.
std::string mistake(const stagecut::plan& made) {
  std::string found;
  stagecut::io::detail::check_plan(made,
                                   [&](std::string_view pointer, std::string_view what, std::string_view problem) {
                                     if (found.empty())
                                       found = stagecut::detail::joined(pointer, " ", what, " ", problem);
                                   });
  return found;
}

}  // namespace

TEST_CASE("parts of a plan that do not belong together are told") {
  stagecut::plan made;
  made.profile.layers.resize(4);
  made.cuts = {0, 2, 4};
  made.devices = 2;
  made.stages.resize(2);
  CHECK(mistake(made).empty());
  made.stages[1].device = 2;
  CHECK(mistake(made) == "/stages/1/device 2 is not below the number of devices, 2");
  made.stages[1].device = 1;
  made.devices = 1;
  CHECK(mistake(made).starts_with("/devices 1 times 1 chunks"));
  made.chunks = 2;
  made.stages[1].device = 0;
  CHECK(mistake(made).empty());
  made.timeline = {{2, 0, stagecut::op_kind::forward, 0, 1}};
  CHECK(mistake(made).starts_with("/timeline/0/0 2 is not below"));
  made.timeline = {{1, 0, stagecut::op_kind::forward, 1, 0}};
  CHECK(mistake(made) == "/timeline/0 the end is before the start");
  made.timeline = {{1, 0, stagecut::op_kind::send_forward, 0, 1}};
  CHECK(mistake(made) == "/timeline/0/2 SEND_F is no pass");
  made.timeline.clear();
  made.profile.layers.emplace_back();
  CHECK(mistake(made) == "/cuts/2 4 is not the number of layers, 5");
  made.profile.edges = {{0, 1}};
  CHECK(mistake(made).starts_with("/profile/edges 1 edges make a graph"));
}
