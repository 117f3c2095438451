// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/parts/task_builder.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/generators/sliced.hpp>
#include <stagecut/schedule/generators/zero_bubble.hpp>
#include <stagecut/schedule/lower_transfers.hpp>

#include "../refusal.hpp"

using stagecut::op;
using stagecut::op_kind;
using stagecut::schedule;
using stagecut::timed_task;
using stagecut::task_options;
using stagecut::transfer_kind;
using stagecut::detail::duration_table;
using stagecut::detail::task_builder;

namespace {

/// The tasks of a schedule as text: what each does, and behind `<` what it awaits.
struct built {
  std::string text{};
  std::vector<std::uint32_t> last{};

  built(const schedule& order, const task_options& options) {
    duration_table table(order, options);
    task_builder builder(order, options, table);
    builder.build();
    last = builder.last;
    for (std::size_t i = 0; i < builder.tasks.size(); ++i) {
      const timed_task& each = builder.tasks[i];
      text.append(i == 0 ? "" : " ").append(to_string(builder.what[i]));
      if (each.before == 0 && each.source == 0) continue;
      text += '<';
      if (each.before != 0) text += to_string(builder.what[each.before - 1]);
      text += ',';
      if (each.source != 0) text += to_string(builder.what[each.source - 1]);
      if (!builder.delays.empty() && builder.delays[i] != 0) text += '+';
    }
  }
};

const schedule two = stagecut::one_forward_one_backward(2, 2);  // 0F0 0F1 0B0 0B1; 1F0 1B0 1F1 1B1

}  // namespace

TEST_CASE("the tasks of 1F1B on two ranks, one of each rank in turn") {
  const built found(two, {});
  CHECK(found.text == "0F0 1F0<,0F0 0F1<0F0, 1B0<1F0, 0B0<0F1,1B0 1F1<1B0,0F1 1B1<1F1, 0B1<0B0,1B1");
  CHECK(found.last == std::vector<std::uint32_t>{8, 7});
  // Messages that hold up nothing are no tasks, but delays.
  CHECK(built(two, {.transfers = transfer_kind::latency, .with_transfers = true}).text ==
        "0F0 1F0<,0F0+ 0F1<0F0, 1B0<1F0, 0B0<0F1,1B0+ 1F1<1B0,0F1+ 1B1<1F1, 0B1<0B0,1B1+");
}

TEST_CASE("messages on links are tasks, one behind the other") {
  const built found(two, {.with_transfers = true});
  for (const char* part : {"0SEND_F0<,0F0", "1F0<,0SEND_F0", "0SEND_F1<0SEND_F0,0F1", "1F1<1B0,0SEND_F1",
                           "1SEND_B0<,1B0", "1SEND_B1<1SEND_B0,1B1", "0B1<0B0,1SEND_B1"}) {
    CAPTURE(part);
    CAPTURE(found.text);
    CHECK(found.text.find(part) != std::string::npos);
  }
}

TEST_CASE("on streams they are two, for both ranks in the way one") {
  const schedule lowered = stagecut::lower_transfers(two);
  const built streams(lowered, {.transfers = transfer_kind::stream, .with_transfers = true});
  CAPTURE(streams.text);
  for (const char* part : {"0SEND_F0<,0F0", "1RECV_F0<,0SEND_F0", "1F0<,1RECV_F0", "0B0<0F1,0RECV_B0"}) {
    CAPTURE(part);
    CHECK(streams.text.find(part) != std::string::npos);
  }
  const built blocking(lowered, {.transfers = transfer_kind::blocking, .with_transfers = true});
  CAPTURE(blocking.text);
  CHECK(blocking.text.find("RECV") == std::string::npos);
  CHECK(blocking.text.find("1F0<0SEND_F0,0SEND_F0") != std::string::npos);
}

TEST_CASE("updates come last") {
  const built found(two, {.all_reduce = true, .optimizer_step = true});
  CHECK(found.text ==
        "0F0 1F0<,0F0 0F1<0F0, 1B0<1F0, 0B0<0F1,1B0 1F1<1B0,0F1 1B1<1F1, 1REDUCE_GRAD<,1B1 0B1<0B0,1B1 "
        "0REDUCE_GRAD<,0B1 0OPTIMIZER<0B1,0REDUCE_GRAD 1OPTIMIZER<1B1,1REDUCE_GRAD");
  CHECK(found.last == std::vector<std::uint32_t>{11, 12});
  CHECK(built(two, {.all_reduce = true}).last == std::vector<std::uint32_t>{9, 10, 7, 8});
}

TEST_CASE("an order that waits for itself") {
  schedule order = two;
  std::swap(order.orders[0][1], order.orders[0][2]);
  std::swap(order.orders[1][1], order.orders[1][2]);
  CHECK_THROWS_WITH_AS(
      built(order, {}),
      "schedule: deadlock: 0B0 on rank 0 waits for 1B0 on rank 1, which stands behind 1F1, which waits "
      "for 0F1 on rank 0, which stands behind 0B0",
      stagecut::invalid_input);
}

TEST_CASE("every link has a front of its own, one way and the other") {
  stagecut::detail::link_fronts links(3);
  CHECK(links.at(0, 1) == 0);
  links.at(0, 1) = 4;
  links.at(1, 0) = 5;
  links.at(0, 2) = 6;
  CHECK(links.at(0, 1) == 4);
  CHECK(links.at(1, 0) == 5);
  CHECK(links.at(0, 2) == 6);
  CHECK(links.at(2, 0) == 0);
}

TEST_CASE("the last pass that makes gradients completes its stage, and no other") {
  const stagecut::schedule order = stagecut::zb_h1(3, 6);
  stagecut::detail::passes_left left(order);
  for (const auto& rank : order.orders) {
    for (std::size_t i = 0; i < rank.size(); ++i) CHECK(left.completes(rank[i]) == (i + 1 == rank.size()));
  }
}

TEST_CASE("tasks are numbered from 1; delays are kept where results are late") {
  stagecut::detail::task_list list;
  CHECK(list.add({op_kind::forward, 0}, {0, 0, 3}) == 1);
  CHECK(list.add({op_kind::backward, 1}, {1, 1, 4}) == 2);
  CHECK(list.tasks == std::vector<timed_task>{{0, 0, 3}, {1, 1, 4}});
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

TEST_CASE("every pass and message has a place of its own, forward and back") {
  const stagecut::schedule order = stagecut::sliced_one_forward_one_backward(3, 2, 2);
  stagecut::detail::result_places places(order, true);
  std::set<const std::uint32_t*> seen;
  for (const op_kind kind : {op_kind::forward, op_kind::backward}) {
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t slice = 0; slice < 2; ++slice) {
        for (std::size_t s = 0; s < 3; ++s) seen.insert(&places.made({kind, s, k, slice}));
        for (std::size_t edge = 0; edge < 2; ++edge) {
          seen.insert(&places.sent({kind, 0, k, slice}, edge));
          seen.insert(&places.arrived({kind, 0, k, slice}, edge));
        }
      }
    }
  }
  CHECK(seen.size() == 2 * 2 * 2 * (3 + 2 + 2));
  for (const std::uint32_t* const each : seen) CHECK(*each == 0);
  CHECK(&places.made({op_kind::forward, 1, 1, 0}, 1) == &places.made({op_kind::forward, 1, 1, 1}));
  CHECK(&places.made({op_kind::backward_input, 1, 1}) == &places.made({op_kind::backward, 1, 1}));
  CHECK(&places.arrived({op_kind::receive_backward, 1, 1}, 0) == &places.arrived({op_kind::backward, 0, 1}, 0));
  static_assert(!stagecut::detail::is_back(op_kind::receive_forward) &&
                stagecut::detail::is_back(op_kind::send_backward));
}
