// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/detail/duration_table.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <vector>

#include <stagecut/schedule/generators/dualpipev.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/generators/sliced.hpp>

using stagecut::detail::duration_table;
using stagecut::op;
using stagecut::op_kind;
using stagecut::pass_times;
using stagecut::schedule;
using stagecut::task_options;
using stagecut::transfer_times;

namespace {

std::vector<int> filled(const duration_table& table, const pass_times<int>& times,
                        const transfer_times<int>& transfers = {}) {
  std::vector<int> result(table.size(), -1);
  table.fill(times, transfers, stagecut::view<int>(result));
  return result;
}

constexpr op_kind passes[] = {op_kind::forward, op_kind::backward, op_kind::backward_input, op_kind::backward_weight};

}  // namespace

TEST_CASE("everything that may take a time of its own has a place of its own") {
  const schedule order = stagecut::sliced_one_forward_one_backward(3, 2, 2);
  for (const bool by_microbatch : {false, true}) {
    for (const bool by_slice : {false, true}) {
      const task_options options{.by_microbatch = by_microbatch, .by_slice = by_slice};
      const duration_table table(order, options);
      std::set<std::uint32_t> places{0};
      for (const op_kind kind : passes) {
        for (std::size_t s = 0; s < 3; ++s) {
          for (std::size_t k = 0; k < 2; ++k) {
            for (std::size_t slice = 0; slice < 2; ++slice) places.insert(table.pass({kind, s, k, slice}));
          }
        }
      }
      CHECK(places.size() == 1 + 4 * 3 * (by_microbatch ? 4U : by_slice ? 2U : 1U));
      for (std::size_t b = 0; b < 2; ++b) {
        places.insert(table.transfer(true, b));
        places.insert(table.transfer(false, b + 1));
      }
      for (std::size_t s = 0; s < 3; ++s) places.insert(table.all_reduce(s));
      for (std::size_t r = 0; r < 3; ++r) places.insert(table.optimizer_step(r));
      CHECK(places.size() == table.size());
      CHECK(*places.rbegin() == table.size() - 1);
    }
  }
}

TEST_CASE("the values stand there") {
  const schedule order = stagecut::one_forward_one_backward(3, 2);
  const duration_table table(order, {.with_transfers = true, .all_reduce = true, .optimizer_step = true});
  const auto values = filled(
      table, {.forward = {1, 2, 3}, .backward = {4, 5, 6}, .all_reduce = {11, 12, 13}, .optimizer_step = {14, 15, 16}},
      {.forward = {7, 8}, .backward = {9}});
  CHECK(values[0] == 0);
  for (std::size_t s = 0; s < 3; ++s) {
    const int stage = static_cast<int>(s);
    CHECK(values[table.pass({op_kind::forward, s, 1})] == 1 + stage);
    CHECK(values[table.pass({op_kind::backward, s, 0})] == 4 + stage);
    CHECK(values[table.all_reduce(s)] == 11 + stage);
    CHECK(values[table.optimizer_step(s)] == 14 + stage);
  }
  CHECK(values[table.transfer(true, 0)] == 7);
  CHECK(values[table.transfer(true, 1)] == 8);
  CHECK(values[table.transfer(false, 1)] == 9);
  CHECK(values[table.transfer(false, 2)] == 9);
}

TEST_CASE("passes of a slice or of a microbatch, and B as the sum of I and W") {
  const schedule order = stagecut::sliced_one_forward_one_backward(2, 2, 2);
  const duration_table table(order, {.by_microbatch = true});
  const auto values = filled(
      table, {.forward = {1, 2, 3, 4, 5, 6, 7, 8}, .backward_input = {10, 20, 30, 40}, .backward_weight = {100, 200}});
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t k = 0; k < 2; ++k) {
      for (std::size_t slice = 0; slice < 2; ++slice) {
        CHECK(values[table.pass({op_kind::forward, s, k, slice})] == 1 + static_cast<int>(4 * s + 2 * k + slice));
        CHECK(values[table.pass({op_kind::backward, s, k, slice})] ==
              10 * (1 + static_cast<int>(2 * s + slice)) + 100 * (1 + static_cast<int>(s)));
      }
    }
  }
}

TEST_CASE("a pair takes what it is said to take, or the sum of both") {
  const schedule order = stagecut::dualpipev(1, 2);
  duration_table table(order, {});
  const op f0{op_kind::forward, 0, 1};
  const op f1{op_kind::forward, 1, 1};
  const op b0{op_kind::backward, 0, 0};
  const op b1{op_kind::backward, 1, 0};
  const auto first = table.pair(f0, b1);
  CHECK(table.pair(f0, b1) == first);  // one place for all of its kind
  const auto second = table.pair(f1, b0);
  const auto third = table.pair(f0, b0);
  CHECK(std::set{first, second, third}.size() == 3);
  CHECK(table.pair(f1, b0) == second);
  const pass_times<int> times{
      .forward = {1, 2}, .backward = {10, 20}, .backward_input = {0, 0}, .backward_weight = {0, 0}};
  auto values = filled(table, times);
  CHECK(values[first] == 21);
  CHECK(values[second] == 12);
  CHECK(values[third] == 11);
  pass_times<int> overlapped = times;
  overlapped.overlapped = {5, 6};
  values = filled(table, overlapped);
  CHECK(values[first] == 5);
  CHECK(values[second] == 6);
  CHECK(values[third] == 5);
}

TEST_CASE("what the schedule does not run may be left out, but not be wrong") {
  const schedule order = stagecut::one_forward_one_backward(2, 3);
  const duration_table table(order, {});
  CHECK(filled(table, {.forward = {1, 2}, .backward = {3, 4}}).size() == table.size());
  CHECK_THROWS_WITH_AS((void)filled(table, {.forward = {1, 2}, .backward = {3, 4}, .backward_input = {1, 2, 3}}),
                       "backward_input: has 3 elements, the schedule has 2 stages", stagecut::invalid_input);
  CHECK_THROWS_WITH_AS((void)filled(table, {.forward = {1, 2, 3, 4, 5, 6}, .backward = {3, 4}}),
                       "forward: differs by slice or microbatch, for which the task graph was not made",
                       stagecut::invalid_input);
}

TEST_CASE("times for which a task graph was not made are refused, not dropped") {
  const schedule order = stagecut::one_forward_one_backward(2, 3);
  const pass_times<int> lean{.forward = {1, 2}, .backward = {3, 4}};
  const auto refused = [&](const stagecut::task_options& options, const pass_times<int>& times,
                           const stagecut::transfer_times<int>& transfers, const char* what) {
    const duration_table table(order, options);
    std::vector<int> values(table.size());
    CHECK_THROWS_WITH_AS(table.fill(times, transfers, stagecut::view<int>(values)), what, stagecut::invalid_input);
  };
  using stagecut::transfer_kind;
  refused({}, lean, {transfer_kind::link, {1}, {}}, "transfers: are left out of what the task graph was made for");
  refused({transfer_kind::link, true}, lean, {transfer_kind::blocking, {1}, {1}},
          "transfers.kind: differs from what the task graph was made for");
  pass_times<int> updated = lean;
  updated.all_reduce = {1, 1};
  refused({}, updated, {}, "all_reduce: are left out of what the task graph was made for");
  updated = lean;
  updated.optimizer_step = {1, 1};
  refused({}, updated, {}, "optimizer_step: are left out of what the task graph was made for");
}
