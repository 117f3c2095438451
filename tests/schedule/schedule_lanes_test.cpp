// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/detail/schedule_lanes.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/lower_transfers.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

using stagecut::detail::schedule_lanes;
using stagecut::schedule;
using counts = std::vector<std::size_t>;

namespace {

std::string all_of(schedule_lanes& lanes, std::size_t lane) {
  std::string text;
  for (const stagecut::op* each = lanes.head(lane); each != nullptr; each = lanes.head(lane)) {
    text.append(text.empty() ? "" : " ").append(to_string(*each));
    lanes.pass(lane);
  }
  return text;
}

}  // namespace

TEST_CASE("a rank's ops in one lane, or what it computes and what it moves apart") {
  const schedule order = stagecut::lower_transfers(stagecut::one_forward_one_backward(2, 2));
  schedule_lanes computing(order, false, false);
  CHECK(computing.size() == 2);
  CHECK(all_of(computing, 0) == "0F0 0F1 0B0 0B1");
  CHECK_FALSE(computing.all_ended());
  CHECK(all_of(computing, 1) == "1F0 1B0 1F1 1B1");
  CHECK(computing.all_ended());
  schedule_lanes blocking(order, true, false);
  CHECK(all_of(blocking, 1) == "1RECV_F0 1F0 1RECV_F1 1B0 1SEND_B0 1F1 1B1 1SEND_B1");
  schedule_lanes streams(order, false, true);
  CHECK(streams.size() == 4);
  CHECK(all_of(streams, streams.stream_of(1)) == "1RECV_F0 1RECV_F1 1SEND_B0 1SEND_B1");
  CHECK(all_of(streams, 1) == "1F0 1B0 1F1 1B1");
}

TEST_CASE("who is woken is in the next round, once") {
  const schedule order = stagecut::one_forward_one_backward(3, 2);
  schedule_lanes lanes(order, false, false);
  CHECK(lanes.next_round() == counts{0, 1, 2});
  CHECK(lanes.next_round().empty());
  lanes.wake(2);
  lanes.wake(0);
  lanes.wake(2);
  CHECK(lanes.next_round() == counts{2, 0});
}

TEST_CASE("how far the ranks have come: as far as the lane that is behind") {
  const schedule order = stagecut::lower_transfers(stagecut::one_forward_one_backward(2, 1));  // 0F0 SEND_F RECV_B 0B0
  schedule_lanes lanes(order, false, true);
  CHECK(lanes.ended() == counts{0, 0});
  (void)lanes.head(0);
  lanes.pass(0);
  CHECK(lanes.ended() == counts{0, 0});  // its stream has sent nothing yet, and stands before F
  CHECK(lanes.head(lanes.stream_of(0))->kind == stagecut::op_kind::send_forward);
  CHECK(lanes.ended() == counts{1, 0});
}
