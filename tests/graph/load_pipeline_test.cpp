// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/load_pipeline.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../refusal.hpp"

using stagecut::stage_pipeline;
using stagecut::transfer_kind;
using stagecut::detail::load_pipeline;
using stagecut::detail::stage_simulator;

namespace {

using messages = std::vector<std::pair<std::uint32_t, double>>;

/// The messages of every stage.
std::vector<messages> rows_of(const std::vector<stage_simulator::message>& all, const std::vector<std::size_t>& end) {
  std::vector<messages> result;
  std::size_t i = 0;
  for (const std::size_t last : end) {
    result.emplace_back();
    for (; i < last; ++i) result.back().emplace_back(all.at(i).other, all.at(i).time);
  }
  CHECK(i == all.size());
  return result;
}

/// 0 feeds 1 and 2, and both feed 3; the edges are in no order.
stage_pipeline diamond() {
  stage_pipeline result;
  result.forward = {1, 2, 3, 4};
  result.backward = {5, 6, 7, 8};
  result.edges = {{2, 3}, {0, 2}, {1, 3}, {0, 1}};
  result.send_forward = {23, 2, 13, 1};
  result.send_backward = {32, 20, 31, 10};
  return result;
}

}  // namespace

TEST_CASE("each stage has the messages that it receives, forward and back") {
  stage_simulator simulator(3, false);
  load_pipeline(simulator, diamond());
  CHECK(simulator.forward == std::vector<double>{1, 2, 3, 4});
  CHECK(simulator.backward == std::vector<double>{5, 6, 7, 8});
  CHECK(rows_of(simulator.arriving, simulator.arriving_end) ==
        std::vector<messages>{{}, {{0, 1}}, {{0, 2}}, {{2, 23}, {1, 13}}});
  CHECK(rows_of(simulator.returning, simulator.returning_end) ==
        std::vector<messages>{{{2, 20}, {1, 10}}, {{3, 31}}, {{3, 32}}, {}});
}

TEST_CASE("nothing is left of the pipeline before") {
  stage_simulator simulator(2, true);
  load_pipeline(simulator, diamond());
  stage_pipeline alone;
  alone.forward = {2};
  alone.backward = {3};
  load_pipeline(simulator, alone);
  CHECK(rows_of(simulator.arriving, simulator.arriving_end) == std::vector<messages>(1));
  CHECK(rows_of(simulator.returning, simulator.returning_end) == std::vector<messages>(1));
  const std::size_t warm_up = 0;
  CHECK(simulator.run(&warm_up) == 10);
}

TEST_CASE("a pipeline that is none is refused, in the name of who was called") {
  const auto refused = [](const stage_pipeline& of, std::size_t microbatches = 1,
                          transfer_kind transfers = transfer_kind::latency) {
    return refusal([&] {
      stagecut::detail::check_pipeline("someone", of, microbatches, transfers);
      return 0;
    });
  };
  CHECK(refused(diamond()) == "not refused");
  CHECK(refused(diamond(), 7, transfer_kind::link) == "not refused");
  CHECK(refused({}) == "stagecut::someone: of.stages() = 0, must be at least 1");
  CHECK(refused(diamond(), 0) == "stagecut::someone: microbatches = 0, must be at least 1");
  CHECK(refused(diamond(), 1, transfer_kind::blocking) ==
        "stagecut::someone: transfers = blocking, must be latency or link");
  const std::pair<std::vector<double> stage_pipeline::*, std::string> figures[] = {
      {&stage_pipeline::forward, "forward"},
      {&stage_pipeline::backward, "backward"},
      {&stage_pipeline::send_forward, "send_forward"},
      {&stage_pipeline::send_backward, "send_backward"}};
  for (const auto& [figure, name] : figures) {
    stage_pipeline wrong = diamond();
    (wrong.*figure)[2] = -1;
    CHECK(refused(wrong) == name + "[2]: -1.000000, must be finite and not negative");
    if (name == "forward") continue;  // it says how many stages there are
    (wrong.*figure).pop_back();
    CHECK(refused(wrong) == name + ": has 3 elements, must have 4");
  }
  for (const auto& [from, to] : {std::pair(1, 1), std::pair(3, 2), std::pair(0, 4)}) {
    stage_pipeline wrong = diamond();
    wrong.edges[1] = {static_cast<std::size_t>(from), static_cast<std::size_t>(to)};
    CHECK(refused(wrong) == "stagecut::someone: of.edges = " + std::to_string(from) + " -> " + std::to_string(to) +
                                ", must lead from a lower to a higher stage that there is");
  }
}
