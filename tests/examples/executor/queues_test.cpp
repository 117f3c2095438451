// SPDX-License-Identifier: BSL-1.0
#include "transports/queues.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <stdexcept>
#include <thread>
#include <vector>

#include "work/clock.hpp"

namespace {

using executor::inbox;
using executor::queue_transport;
using stagecut::op;
using stagecut::op_kind;

op sending(std::size_t stage, std::size_t microbatch) {
  return {.kind = op_kind::send_forward, .stage = stage, .microbatch = microbatch};
}

}  // namespace

TEST_CASE("on a slow link messages follow one after the other, each link by itself, and only those of the schedule") {
  executor::slow_links links(2, [](const op& what) { return what.stage == 0 ? 2.0 : 3.0; });
  CHECK(links.arrival(0, sending(0, 0), 10) == 12);
  CHECK(links.arrival(0, sending(1, 0), 11) == 15);  // behind the one before
  CHECK(links.arrival(1, sending(0, 1), 11) == 13);
  CHECK(links.arrival(0, sending(0, 2), 20) == 22);  // free again
  CHECK(links.arrival(0, {.kind = op_kind::optimizer_step, .stage = 0}, 20.5) == 20.5);
  executor::slow_links fast(2, nullptr);
  CHECK(fast.arrival(1, sending(0, 0), 4) == 4);
}

TEST_CASE("what is sent may be overwritten, and a message of another size is refused") {
  std::vector<inbox> boxes(2);
  queue_transport first(boxes, 0, 60);
  queue_transport second(boxes, 1, 60);
  std::vector<float> data{1, 2};
  const double before = executor::steady_seconds();
  first.send(1, sending(0, 0), data.data(), 2);
  first.send(1, sending(0, 1), data.data(), 2);
  data = {0, 0};
  const auto marks = second.receive(0, sending(0, 0), data.data(), 2);
  CHECK(data == std::vector<float>{1, 2});
  CHECK(before <= marks.sent.seconds);
  CHECK(marks.sent.seconds <= marks.arrived.seconds);
  CHECK_THROWS_AS(second.receive(0, sending(0, 1), data.data(), 1), std::runtime_error);
}

TEST_CASE("ranks exchange messages and meet, over and over") {
  constexpr std::size_t ranks = 4;
  std::vector<inbox> boxes(ranks);
  std::vector<int> round(ranks);
  const auto work = [&](std::size_t rank) {
    queue_transport links(boxes, rank, 60, [](const op&) { return 1e-5; });
    for (int turn = 1; turn <= 50; ++turn) {
      round[rank] = turn;
      executor::meet(links, rank, ranks);
      for (std::size_t other = 0; other < ranks; ++other) CHECK(round[other] == turn);
      auto value = static_cast<float>(turn);
      for (std::size_t to = 0; to < ranks; ++to) links.send(to, sending(rank, to), &value, 1);
      for (std::size_t from = 0; from < ranks; ++from) {
        links.receive(from, sending(from, rank), &value, 1);
        CHECK(value == static_cast<float>(turn));
      }
      executor::meet(links, rank, ranks);
    }
  };
  std::vector<std::jthread> threads;
  for (std::size_t r = 0; r < ranks; ++r) threads.emplace_back(work, r);
}
