// SPDX-License-Identifier: BSL-1.0
#include <stagecut/orders/synthesize_schedule.hpp>

#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../refusal.hpp"
#include "least_order.hpp"
#include "small_orders.hpp"

using stagecut::synthesis_request;
using stagecut::pass_times;
using stagecut::synthesize_schedule;
using stagecut::transfer_kind;
using stagecut::transfer_times;
using ticks = std::int64_t;

namespace {

/// Whether an order that ran keeps to the memory.
template <class T>
bool fits(const synthesis_request& request, const stagecut::schedule& order, const stagecut::simulation<T>& run) {
  const auto memory = stagecut::memory_curve(order, run, request.bytes);
  for (std::size_t r = 0; r < memory.size() && request.memory_limit; ++r) {
    if (memory[r].peak() > request.memory_limit.of(r, 0)) return false;
  }
  return true;
}

/// What is wrong with an answer, or nothing.
template <class T>
std::string fault(const synthesis_request& request, const pass_times<T>& times, const transfer_times<T>& transfers,
                  const stagecut::synthesized_schedule<T>& made) {
  const auto run = stagecut::simulate(made.schedule, times, transfers);
  if (run.makespan != made.makespan) return "makespan";
  if (made.bound > made.makespan) return "bound";
  return fits(request, made.schedule, run) ? "" : "memory";
}
std::string fault(const small_orders& of, const stagecut::synthesized_schedule<ticks>& made) {
  return fault(of.request, of.times, of.transfers, made);
}

/// The same in other numbers, of other digits each.
template <class T>
std::vector<T> in(const std::vector<ticks>& values, double unit) {
  std::vector<T> result;
  for (const ticks value : values) result.push_back(static_cast<T>(static_cast<double>(value) * unit));
  return result;
}
template <class T>
pass_times<T> in(const pass_times<ticks>& times, double unit) {
  return {in<T>(times.forward, unit),
          in<T>(times.backward, unit),
          in<T>(times.backward_input, unit),
          in<T>(times.backward_weight, unit),
          {},
          in<T>(times.all_reduce, unit),
          in<T>(times.optimizer_step, unit)};
}
template <class T>
transfer_times<T> in(const transfer_times<ticks>& transfers, double unit) {
  return {transfers.kind, in<T>(transfers.forward, unit), in<T>(transfers.backward, unit)};
}

constexpr transfer_kind all_kinds[] = {transfer_kind::latency, transfer_kind::link, transfer_kind::stream,
                                       transfer_kind::blocking};

struct shape {
  std::size_t ranks, chunks, microbatches;
  bool split;
};

/// Stages that take and keep the same.
synthesis_request even_request(std::vector<std::size_t> rank_of, double memory) {
  synthesis_request request;
  request.bytes.activations.assign(rank_of.size(), 2);
  request.bytes.weight_part.assign(rank_of.size(), 1);
  request.rank_of = std::move(rank_of);
  request.microbatches = 8;
  request.memory_limit = {memory};
  request.search = {.node_limit = 60000};
  return request;
}

pass_times<ticks> even_times(std::size_t stages) {
  return {
      std::vector<ticks>(stages, 10), {}, std::vector<ticks>(stages, 10), std::vector<ticks>(stages, 10), {}, {}, {}};
}

}  // namespace

TEST_CASE("Orders: no bound above the least makespan of all orders, and few orders above it") {
  small_orders of(1);
  std::size_t solved = 0, best = 0, proved = 0, infeasible = 0;
  constexpr shape shapes[] = {{1, 1, 3, true}, {2, 1, 3, true}, {3, 1, 2, true},  {2, 1, 4, false}, {3, 1, 3, false},
                              {1, 2, 2, true}, {2, 2, 1, true}, {2, 2, 2, false}, {2, 2, 3, false}, {1, 3, 2, false}};
  for (std::size_t i = 0; i < 1000; ++i) {
    const shape& each = shapes[i % 10];
    of.next(each.ranks, each.chunks, each.microbatches, each.split);
    CAPTURE(i);
    // Backward passes that are shorter whole are those of mixed_orders_test.cpp.
    for (std::size_t s = 0; s < of.times.backward.size() && each.split; ++s) {
      of.times.backward[s] = std::max(of.times.backward[s], of.times.backward_input[s] + of.times.backward_weight[s]);
    }
    const std::optional<ticks> least = least_order(of.times, of.transfers, of.request)(200000);
    const auto found = synthesize_schedule(of.times, of.transfers, of.request);
    REQUIRE(found.has_value() == least.has_value());
    if (!least) {
      CHECK(found.state() == stagecut::state::infeasible);
      ++infeasible;
      continue;
    }
    CHECK(fault(of, *found) == "");
    CHECK(found->bound <= *least);
    CHECK(*least <= found->makespan);
    if (found.state() == stagecut::state::optimal) CHECK(found->makespan == *least);
    ++solved;
    best += found->makespan == *least ? 1U : 0U;
    proved += found.state() == stagecut::state::optimal ? 1U : 0U;
  }
  MESSAGE(solved, " solved, ", best, " best, ", proved, " proved, ", infeasible, " infeasible");
  CHECK(infeasible > 50);
  CHECK(best * 100 >= solved * 97);
  CHECK(proved * 100 >= solved * 85);
}

TEST_CASE("Orders: with two stages a rank and hardly any memory none is stuck") {
  small_orders of(2);
  for (std::size_t i = 0; i < 3000; ++i) {
    of.next(2 + i % 3, 2, 2 + i % 5, i % 2 == 0);
    of.request.bytes.recomputed.clear();
    of.limit(1, 1.6);
    of.request.search.node_limit = 20;
    CAPTURE(i);
    const auto found = synthesize_schedule(of.times, of.transfers, of.request);
    REQUIRE(found.has_value());
    CHECK(fault(of, *found) == "");
  }
}

TEST_CASE("Orders: figures for stages that take the same") {
  const auto made = [](std::vector<std::size_t> rank_of, double memory) {
    const auto times = even_times(rank_of.size());
    return synthesize_schedule(times, transfer_times<ticks>{}, even_request(std::move(rank_of), memory));
  };
  const auto one = stagecut::loop_placement(4, 1);
  const auto vee = stagecut::v_placement(4);
  // 1F1B keeps four microbatches of 2; its backward passes are 20.
  CHECK(made(one, 8)->makespan == 270);
  CHECK(made(one, 8).state() == stagecut::state::optimal);
  CHECK(made(one, 6)->makespan <= 310);
  CHECK(made(one, 4)->makespan <= 410);
  CHECK(made(vee, 16)->makespan == 510);
  CHECK(made(vee, 16).state() == stagecut::state::optimal);
  CHECK(made(vee, 12)->makespan <= 530);  // V-Half
  CHECK(made(vee, 8)->makespan <= 590);   // V-Min
}

TEST_CASE("Orders: simulated as they are told, whatever messages occupy and times are") {
  small_orders of(3);
  std::size_t proved = 0;
  for (std::size_t i = 0; i < 240; ++i) {
    of.next(1 + i % 4, 1 + i / 4 % 3, 1 + i / 12 % 5, i % 2 == 0);
    of.transfers.kind = all_kinds[i % 4];
    if (i % 7 == 0) of.transfers = {of.transfers.kind, {}, {}};
    if (i % 5 == 0)
      of.transfers.forward.assign(of.request.rank_of.size() - 1, 0);  // these keep to their order all the same
    if (i % 3 == 0) std::shuffle(of.request.rank_of.begin(), of.request.rank_of.end(), of.random);
    of.limit(1, 3);
    of.request.search.node_limit = 40;
    CAPTURE(i);
    const auto found = synthesize_schedule(of.times, of.transfers, of.request);
    if (!found) continue;
    CHECK(fault(of, *found) == "");
    proved += found.state() == stagecut::state::optimal ? 1U : 0U;
    const auto doubles = in<double>(of.times, 0.1);
    const auto floats = in<float>(of.times, 0.1);
    const auto messages = in<double>(of.transfers, 0.1);
    CHECK(fault(of.request, doubles, messages, *synthesize_schedule(doubles, messages, of.request)) == "");
    const auto small = in<float>(of.transfers, 0.1);
    CHECK(fault(of.request, floats, small, *synthesize_schedule(floats, small, of.request)) == "");
  }
  CHECK(proved > 80);
}

TEST_CASE("Orders: messages of no time that block are not left out of a proof") {
  const pass_times<ticks> times{{26, 1, 2}, {}, {1, 8, 5}, {0, 0, 0}, {}, {}, {}};
  synthesis_request request;
  request.microbatches = 2;
  request.search = {.node_limit = 500};
  const auto found = synthesize_schedule(times, transfer_times<ticks>{transfer_kind::blocking, {0, 0}, {}}, request);
  CHECK(found->makespan <= 77);
  CHECK(found->bound <= 75);  // of all orders, by enumeration
}

TEST_CASE("Orders: no longer than any named schedule that fits, and than one to begin with") {
  small_orders of(4);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < 240; ++i) {
    stagecut::schedule_shape shape;
    shape.ranks = 1 + i % 4;
    shape.stages_per_rank = 1 + i / 4 % 3;
    shape.microbatches = (1 + i / 12 % 3) * (i % 5 == 0 ? 1 : shape.ranks);
    of.next(shape.ranks, shape.stages_per_rank, shape.microbatches, i % 3 != 0);
    of.request.whole.clear();
    of.transfers.kind = all_kinds[i / 2 % 4];
    if (i % 2 == 0) of.request.memory_limit = {};
    of.request.search.node_limit = 8;
    const bool occupies = of.transfers.kind == transfer_kind::stream || of.transfers.kind == transfer_kind::blocking;
    const auto found = synthesize_schedule(of.times, of.transfers, of.request);
    for (const stagecut::schedule_entry& entry : stagecut::schedules) {
      if (!stagecut::has_shape(entry.kind, shape.ranks, shape.stages_per_rank, shape.microbatches)) continue;
      const stagecut::schedule named = stagecut::make_schedule(entry.kind, shape);
      const bool split = has_kind(named, stagecut::op_kind::backward_input);
      const bool pairs =
          std::any_of(named.orders[0].begin(), named.orders[0].end(), [](const auto& each) { return each.with_next; });
      if (named.rank_of != of.request.rank_of || pairs || (split && !of.request.split)) continue;
      if (occupies && split != of.request.split) continue;
      auto times = of.times;
      if (!split) times.backward.clear();
      if (!of.request.split) times = of.times;
      const auto run = stagecut::simulate(named, times, of.transfers);
      if (!fits(of.request, named, run)) continue;
      CAPTURE(i);
      CAPTURE(entry.name);
      REQUIRE(found.has_value());
      CHECK(found->makespan <= run.makespan);
      CHECK(found->bound <= run.makespan);
      synthesis_request request = of.request;
      request.start = named;
      request.search.node_limit = 0;
      CHECK(synthesize_schedule(of.times, of.transfers, request)->makespan <= run.makespan);
      ++compared;
    }
  }
  CHECK(compared > 300);
}

TEST_CASE("Orders: of one pass, of no time, of no bytes, within one microbatch") {
  const auto best = [](const pass_times<ticks>& times, const synthesis_request& request) {
    const auto found = synthesize_schedule(times, transfer_times<ticks>{}, request);
    CHECK(found.state() == stagecut::state::optimal);
    CHECK(fault(request, times, transfer_times<ticks>{}, *found) == "");
    return found->makespan;
  };
  synthesis_request one;
  CHECK(best({{3}, {}, {4}, {5}, {}, {7}, {1}}, one) == 20);
  CHECK(best({{0}, {}, {0}, {0}, {}, {}, {}}, one) == 0);
  CHECK(synthesize_schedule(pass_times<double>{{0}, {}, {0}, {0}, {}, {}, {}}, {}, one)->gap() == 0);
  one.split = false;
  one.microbatches = 5;
  one.memory_limit = {1};
  CHECK(best({{3}, {4}, {}, {}, {}, {}, {}}, one) == 35);
  CHECK(best({{3}, {}, {1}, {2}, {}, {}, {}}, one) == 30);
  CHECK(best({{3}, {4}, {1}, {}, {}, {}, {}}, one) == 35);  // I and W are not asked for
  synthesis_request several = even_request({0, 1, 2}, 2);       // one microbatch after the other, W before the next F
  CHECK(best(even_times(3), several) == 8 * 70);
  several.bytes.activations = several.bytes.weight_part = {0, 0, 0};
  several.memory_limit = {0};
  CHECK(best(even_times(3), several) == 260);
  several.rank_of = {2, 0, 0};  // rank 1 has no stage
  CHECK(best(even_times(3), several) == 490);
}

TEST_CASE("Orders: a microbatch that just fits has room, though bytes are rounded") {
  small_orders of(5);
  for (std::size_t i = 0; i < 200; ++i) {
    of.next(1 + i % 3, 1 + i / 3 % 2, 3, i % 2 == 0);
    synthesis_request& request = of.request;
    std::vector<double> peak(1 + i % 3);
    for (double* bytes : {request.bytes.resident.data(), request.bytes.activations.data()}) {
      for (std::size_t s = 0; s < request.rank_of.size(); ++s) bytes[s] *= 0.1;
    }
    for (double& part : request.bytes.weight_part) part *= 0.03;
    request.bytes.recomputed.clear();
    for (std::size_t s = 0; s < request.rank_of.size(); ++s) peak[request.rank_of[s]] += request.bytes.resident[s];
    for (std::size_t s = 0; s < request.rank_of.size(); ++s) peak[request.rank_of[s]] += request.bytes.activations[s];
    request.memory_limit = peak;
    request.search.node_limit = 20;
    CAPTURE(i);
    CHECK(synthesize_schedule(of.times, of.transfers, request).has_value());
  }
}

TEST_CASE("Orders: why there is none") {
  synthesis_request request = even_request({0, 1, 1}, 4);
  request.bytes.recomputed = {0, 0, 3};
  request.bytes.resident = {0, 0, 1};
  request.memory_limit = {5, 5};
  const auto none = synthesize_schedule(even_times(3), transfer_times<ticks>{}, request);
  CHECK(none.state() == stagecut::state::infeasible);
  CHECK(none.why().text() == "rank 1, with one microbatch at a time, needs at least 8 bytes, and a device has 5 bytes");
  request.memory_limit = {1, 8};
  CHECK(synthesize_schedule(even_times(3), transfer_times<ticks>{}, request).why().text() ==
        "rank 0, with one microbatch at a time, needs at least 2 bytes, and a device has 1 byte");
  request.memory_limit = {8};
  CHECK(synthesize_schedule(even_times(3), transfer_times<ticks>{}, request).has_value());
}

TEST_CASE("Orders: limits") {
  small_orders of(6);
  for (std::size_t i = 0; i < 60; ++i) {
    of.next(2 + i % 3, 1 + i % 2, 4, i % 4 < 2);
    of.transfers.kind = all_kinds[i % 4];
    of.limit(1, 2);
    of.request.bytes.recomputed.clear();
    CAPTURE(i);
    for (const std::size_t nodes : {0U, 1U, 2U}) {
      of.request.search = {.node_limit = nodes};
      const auto few = synthesize_schedule(of.times, of.transfers, of.request);
      CHECK((few ? fault(of, *few) : "") == "");
      CHECK((few || few.state() == stagecut::state::unknown));
    }
    of.request.search = {.time_limit = 0};
    const auto none = synthesize_schedule(of.times, of.transfers, of.request);
    CHECK((none ? fault(of, *none) : "") == "");
    CHECK((none || none.why().text() == "a limit was reached before an answer was found"));
    std::size_t asked = 0;
    const auto stop = [&] { return ++asked > 50; };
    of.request.search = {.stop = stop};
    const auto some = synthesize_schedule(of.times, of.transfers, of.request);  // comes back
    CHECK((some ? fault(of, *some) : "") == "");
  }
}

TEST_CASE("Orders: progress tells what was found, in the unit of the times") {
  const pass_times<double> times{{0.5, 0.25, 0.75}, {}, {0.25, 0.75, 0.5}, {0.5, 0.125, 0.25}, {}, {}, {}};
  synthesis_request request = even_request({0, 1, 2}, 4);
  for (const transfer_kind kind : all_kinds) {
    std::vector<stagecut::search_progress> told;
    const auto tell = [&](const stagecut::search_progress& now) { told.push_back(now); };
    request.search = {.node_limit = 300, .progress = tell};
    const auto found = synthesize_schedule(times, transfer_times<double>{kind, {0.125}, {0.25}}, request);
    REQUIRE(!told.empty());
    CHECK(told.back().value == found->makespan);
    CHECK(told.back().bound <= found->bound);
    CHECK(told.back().bound > 5);
    for (std::size_t i = 1; i < told.size(); ++i) CHECK(told[i].nodes >= told[i - 1].nodes);
  }
}

TEST_CASE("Orders: the same for the same seed and nodes, and for times twice as long twice as long") {
  small_orders of(8);
  std::size_t others = 0;
  for (std::size_t i = 0; i < 24; ++i) {
    of.next(2 + i % 3, 1 + i % 2, 8, i % 3 != 0);
    of.transfers.kind = all_kinds[i % 4];
    of.limit(1, 2);
    of.request.bytes.recomputed.clear();
    of.request.search.node_limit = 600;
    CAPTURE(i);
    const auto made = [&](double unit) {
      return *synthesize_schedule(in<double>(of.times, unit), in<double>(of.transfers, unit), of.request);
    };
    const auto first = made(0.3);
    const auto again = made(0.3);
    CHECK(again.schedule == first.schedule);
    CHECK(again.bound == first.bound);
    CHECK(again.statistics.nodes == first.statistics.nodes);
    const auto large = made(0.3 * 1024);
    CHECK(large.schedule == first.schedule);
    CHECK(large.makespan == first.makespan * 1024);
    CHECK(large.bound == first.bound * 1024);
    of.request.search.seed = 2;
    others += made(0.3).schedule == first.schedule ? 0U : 1U;
  }
  CHECK(others > 2);
}

TEST_CASE("Orders: what is refused") {
  constexpr ticks most = std::numeric_limits<ticks>::max();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](const auto& change) {
    pass_times<double> times{{1, 1}, {}, {1, 1}, {1, 1}, {}, {}, {}};
    transfer_times<double> transfers;
    synthesis_request request;
    request.microbatches = 2;
    change(times, transfers, request);
    return refusal([&] { return synthesize_schedule(times, transfers, request); });
  };
  const auto gpipe = [](std::size_t microbatches) {
    stagecut::schedule_shape shape;
    shape.ranks = 2;
    shape.microbatches = microbatches;
    return stagecut::make_schedule(stagecut::schedule_kind::gpipe, shape);
  };
  const auto of_request = [&](const auto& change) {
    const std::string text = refused([&](auto&, auto&, synthesis_request& request) { change(request); });
    const std::string begin = "stagecut::synthesize_schedule: ";
    return text.starts_with(begin) ? text.substr(begin.size()) : "without its name: " + text;
  };
  const auto of_times = [&](const auto& change) {
    return refused([&](auto& times, auto& messages, auto&) { change(times, messages); });
  };
  CHECK(refused([](auto& times, auto&, auto&) { times = {}; }) ==
        "stagecut::synthesize_schedule: times.forward.size() = 0, must be 1 to 20000");
  CHECK(of_request([](auto& of) { of.microbatches = 0; }) == "microbatches = 0, must be at least 1");
  CHECK(of_request([](auto& of) { of.microbatches = 1U << 30U; }) ==
        "microbatches = 1073741824, makes more than 2^32 passes");
  CHECK(of_request([](auto& of) { of.rank_of = {0}; }) == "rank_of.size() = 1, must be the number of stages, 2");
  CHECK(of_request([](auto& of) { of.rank_of = {0, 2}; }) == "rank_of[1] = 2, must be below the number of stages, 2");
  CHECK(of_request([](auto& of) { of.bytes.activations = {1}; }) ==
        "bytes.activations.size() = 1, must be the number of stages, 2");
  CHECK(of_request([](auto& of) {
          of.bytes.resident = {0, -1};
        }) == "bytes.resident[1] = -1.000000, must be finite and not negative");
  CHECK(of_request([&](auto& of) {
          of.bytes.recomputed = {infinity, 0};
        }) == "bytes.recomputed[0] = inf, must be finite and not negative");
  CHECK(of_request([](auto& of) {
          of.bytes.weight_part = {1, 2};
        }) == "bytes.weight_part[1] = 2.000000, must be at most what the stage keeps");
  CHECK(of_request([](auto& of) {
          of.memory_limit = {1, 2, 3};
        }) == "memory_limit.size() = 3, must be 1 or the number of ranks, 2");
  CHECK(of_request([&](auto& of) { of.memory_limit = {4, nan}; }) == "memory_limit[1] = nan, must be finite and not negative");
  CHECK(of_request([](auto& of) { of.search.time_limit = -1; }) ==
        "search.time_limit = -1.000000, must not be negative");
  CHECK(of_request([&](auto& of) {
          of.start = gpipe(3);
        }).ends_with("must be of these ranks, stages and microbatches, with passes one by one"));
  CHECK(of_request([&](auto& of) {
          of.start = gpipe(2);
          of.memory_limit = {2, 1};
        }).ends_with("must keep to the memory of rank 1"));
  CHECK(of_times([](auto& times, auto&) { times.forward[1] = -2; }) ==
        "forward[1]: -2.000000, must be finite and not negative");
  CHECK(of_times([&](auto& times, auto&) { times.backward_input[0] = nan; }) ==
        "backward_input[0]: NaN, must be finite and not negative");
  CHECK(of_times([&](auto& times, auto&) {
          times.all_reduce = {0, infinity};
        }) == "all_reduce[1]: infinity, must be finite and not negative");
  CHECK(of_times([](auto& times, auto&) { times.backward_weight.clear(); }) ==
        "backward_weight: has 0 elements, must have 2");
  CHECK(of_times([](auto& times, auto&) { times.backward_input.assign(4, 1); }) ==
        "backward_input: has 4 elements, must have 2");
  CHECK(of_times([](auto& times, auto&) { times.optimizer_step = {1}; }) ==
        "optimizer_step: has 1 elements, must have 2");
  CHECK(of_times([](auto& times, auto&) {
          times.overlapped = {1, 1};
        }) == "overlapped: no passes run together in an order that is made");
  CHECK(of_times([](auto&, auto& messages) {
          messages.backward = {1, 1};
        }) == "transfers.backward: has 2 elements, must have 1");
  CHECK(of_times([](auto& times, auto&) { times.forward[0] = std::numeric_limits<double>::max(); }) ==
        "times: the sum of all passes and transfers is not representable");
  for (const ticks large : {most, most / 2, most / 4, ticks{1} << 49}) {
    const pass_times<ticks> times{{large, large}, {}, {large, large}, {1, 1}, {}, {}, {}};
    CHECK(refusal([&] { return synthesize_schedule(times, transfer_times<ticks>{}, {}); }) ==
          "times: the sum of all passes and transfers is not representable");
  }
  const pass_times<ticks> large{{ticks{1} << 49, 0}, {}, {0, ticks{1} << 48}, {1, 1}, {}, {}, {}};
  CHECK(synthesize_schedule(large, transfer_times<ticks>{}, {})->makespan == (ticks{3} << 48) + 1);
}
