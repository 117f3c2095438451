// SPDX-License-Identifier: BSL-1.0
#include "transports/inbox.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using executor::inbox;
using executor::peer_failed;
using stagecut::op;
using stagecut::op_kind;

op sending(op_kind kind, std::size_t stage, std::size_t microbatch) {
  return {.kind = kind, .stage = stage, .microbatch = microbatch};
}
constexpr auto down = op_kind::send_forward;
constexpr auto up = op_kind::send_backward;

}  // namespace

TEST_CASE("messages are told by sender, kind, stage and microbatch, whatever came first") {
  inbox box;
  float value = 0;
  const auto all = [](auto each) {
    for (const std::size_t from : {0U, 1U}) {
      for (const op_kind kind : {down, up}) {
        for (const std::size_t stage : {0U, 1U}) {
          for (const std::size_t microbatch : {0U, 1U}) each(from, sending(kind, stage, microbatch));
        }
      }
    }
  };
  all([&](std::size_t from, const op& what) { box.put(from, what, {{value++}, 1, 2}); });
  for (std::size_t i = 16; i-- > 0;) {
    std::size_t place = 0;
    all([&](std::size_t from, const op& what) {
      if (place++ == i) CHECK(box.take(from, what, 0).data == std::vector{static_cast<float>(i)});
    });
  }
  CHECK_THROWS_WITH_AS(static_cast<void>(box.take(0, sending(down, 0, 0), 0.01)),
                       "nothing came from rank 0 within 0.01 s", std::runtime_error);
}

TEST_CASE("who has ended is told behind what it sent, and the first reason stands") {
  inbox box;
  box.put(1, sending(down, 0, 0), {{5}, 0, 0});
  box.fail(1, "first");
  box.fail(1, "second");
  CHECK(box.take(1, sending(down, 0, 0), 0).data.at(0) == 5);
  CHECK_THROWS_WITH_AS(static_cast<void>(box.take(1, sending(down, 0, 0), 60)), "first", peer_failed);
  box.put(2, sending(down, 0, 0), {{6}, 0, 0});
  CHECK(box.take(2, sending(down, 0, 0), 0).data.at(0) == 6);
  box.put(2, sending(down, 0, 1), {{7}, 0, 0});
  box.fail({}, "all");
  box.fail({}, "again");
  CHECK_THROWS_WITH_AS(static_cast<void>(box.take(2, sending(down, 0, 1), 60)), "all", peer_failed);
}

TEST_CASE("who waits is woken by the message, or by the failure") {
  for (const int how : {0, 1, 2}) {
    inbox box;
    const std::jthread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      if (how == 0) box.put(3, sending(up, 1, 2), {{1}, 0, 0});
      if (how == 1) box.fail(3, "gone");
      if (how == 2) box.fail({}, "gone");
    });
    if (how == 0)
      CHECK(box.take(3, sending(up, 1, 2), 60).data.size() == 1);
    else
      CHECK_THROWS_WITH_AS(static_cast<void>(box.take(3, sending(up, 1, 2), 60)), "gone", peer_failed);
  }
}

TEST_CASE("many threads put while one takes") {
  constexpr std::size_t count = 300;
  inbox box;
  std::vector<std::jthread> senders;
  for (std::size_t from = 0; from < 4; ++from) {
    senders.emplace_back([&box, from] {
      for (std::size_t k = 0; k < count; ++k) {
        box.put(from, sending(down, from, k), {{static_cast<float>(from * count + k)}, 0, 0});
      }
      box.fail(from, "done");
    });
  }
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t from = 4; from-- > 0;) {
      CHECK(box.take(from, sending(down, from, k), 60).data.at(0) == static_cast<float>(from * count + k));
    }
  }
}
