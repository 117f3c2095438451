// SPDX-License-Identifier: BSL-1.0
#include <stagecut/schedule/simulate.hpp>

#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/lower_transfers.hpp>
#include <stagecut/schedule/makespan_parts.hpp>
#include <stagecut/schedule/memory_curve.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "event_simulator.hpp"
#include "random_edges.hpp"

using stagecut::op;
using stagecut::op_kind;
using stagecut::pass_times;
using stagecut::schedule;
using stagecut::simulate;
using stagecut::simulation;
using stagecut::stage_edge;
using stagecut::timed_op;
using stagecut::transfer_kind;
using stagecut::transfer_times;
using ticks = std::int64_t;

namespace {

constexpr transfer_kind kinds[] = {transfer_kind::latency, transfer_kind::link, transfer_kind::stream,
                                   transfer_kind::blocking};

pass_times<ticks> random_times(random_edges& random, const schedule& order) {
  pass_times<ticks> times;
  const std::size_t most = 1 + random.up_to(8);
  const auto list = [&](std::size_t each) {
    std::vector<ticks> values(order.stages() * each);
    for (ticks& value : values) value = static_cast<ticks>(random.up_to(most));
    return values;
  };
  const std::size_t parts[] = {1, order.slices, order.slices * order.microbatches};
  times.forward = list(parts[random.up_to(2)]);
  times.backward_input = list(parts[random.up_to(2)]);
  times.backward_weight = list(parts[random.up_to(2)]);
  if (random.up_to(1) == 0) times.backward = list(parts[random.up_to(2)]);
  if (random.up_to(1) == 0) times.overlapped = list(1);
  return times;
}

transfer_times<ticks> random_messages(random_edges& random, const schedule& order, transfer_kind kind) {
  transfer_times<ticks> result;
  result.kind = kind;
  for (auto* values : {&result.forward, &result.backward}) {
    const std::size_t form = random.up_to(3);
    if (form == 0) continue;
    values->resize(form == 1 ? 1 : order.edges.empty() ? order.stages() - 1 : order.edges.size());
    for (ticks& value : *values) value = static_cast<ticks>(random.up_to(5));
  }
  return result;
}

template <class T>
std::vector<std::tuple<T, T, std::string>> sorted(const std::vector<timed_op<T>>& of) {
  std::vector<std::tuple<T, T, std::string>> result;
  for (const timed_op<T>& op : of) result.emplace_back(op.start, op.end, to_string(op.what));
  std::sort(result.begin(), result.end());
  return result;
}

/// What comes of it, or why nothing does.
std::optional<simulation<ticks>> simulated(const schedule& order, const pass_times<ticks>& times,
                                           const transfer_times<ticks>& transfers, std::string& why) {
  try {
    return simulate(order, times, transfers);
  } catch (const stagecut::invalid_input& error) {
    why = error.what();
    return std::nullopt;
  }
}

/// Without the other ends that transfers name.
simulation<ticks> unnamed(simulation<ticks> run) {
  for (auto* lists : {&run.ops, &run.transfers, &run.updates}) {
    for (auto& list : *lists) {
      for (auto& each : list) each.what.peer = op::neighbour;
    }
  }
  for (auto& step : run.critical_path) step.what.peer = op::neighbour;
  return run;
}

/// Whether an op waits for another, by what is written of schedules with edges; a message waits for its other end.
bool waits_for(const schedule& order, const op& each, const op& other) {
  if (each.microbatch != other.microbatch) return false;
  if (is_transfer(each.kind)) {
    if (other_end(each) == other) return true;
    const bool down = each.kind == op_kind::send_forward;
    const bool made = down ? other.kind == op_kind::forward : other.kind != op_kind::forward;
    return is_send(each.kind) && made && is_compute(other.kind) && each.stage == other.stage;
  }
  const bool back = each.kind != op_kind::forward;
  if (is_compute(other.kind) && each.stage == other.stage) return each.slice != other.slice || back;
  for (const stage_edge& edge : order.edges) {
    const std::size_t from = back ? edge.to : edge.from;
    if ((back ? edge.from : edge.to) != each.stage || each.slice != other.slice) continue;
    if (is_compute(other.kind) && other.stage == from) return true;
    if (other.stage == each.stage && other.peer == from && !is_send(other.kind)) return true;
    if (other.stage == from && other.peer == each.stage && is_send(other.kind)) return true;
  }
  return false;
}

/// What is not true of the cycle that an error shows; empty: it is one.
std::string wrong_witness(const schedule& order, std::string text) {
  const std::string begin = "schedule: deadlock: ";
  if (text.rfind(begin, 0) != 0) return "does not begin as it should";
  text = text.substr(begin.size());
  const auto find = [&](const std::string& name) -> std::pair<std::size_t, std::size_t> {
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      for (std::size_t i = 0; i < order.orders[r].size(); ++i) {
        if (to_string(order.orders[r][i]) == name) return {r, i};
      }
    }
    return {order.ranks(), 0};
  };
  const auto word = [](const std::string& from) { return from.substr(0, from.find_first_of(" ,")); };
  const std::string first = word(text);
  std::string waiting = first;
  for (std::size_t at = text.find(" waits for "); at != std::string::npos; at = text.find(" waits for ", at)) {
    at += std::string(" waits for ").size();
    const std::string needed = word(text.substr(at));
    const auto [r, i] = find(waiting);
    const auto [q, k] = find(needed);
    if (r == order.ranks() || q == order.ranks()) return waiting + " or " + needed + " is no op";
    if (!waits_for(order, order.orders[r][i], order.orders[q][k])) return waiting + " does not wait for " + needed;
    const std::string part = text.substr(at, text.find(" waits for ", at) - at);
    waiting = needed;
    for (const std::string link : {", which stands behind ", ", which runs together with "}) {
      const std::size_t behind = part.find(link);
      if (behind == std::string::npos) continue;
      waiting = word(part.substr(behind + link.size()));
      const auto [z, before] = find(waiting);
      const bool late = before >= k && link.find("behind") != std::string::npos;
      if (z != q || late) return needed + " is not behind " + waiting;
    }
  }
  return waiting == first ? "" : "ends at " + waiting + ", not at " + first;
}

/// Two stages behind the first, both before the last; one rank each.
schedule diamond(std::size_t microbatches) {
  schedule order = stagecut::one_forward_one_backward(4, microbatches);
  order.name = "diamond";
  order.edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
  return order;
}

}  // namespace

TEST_CASE("random acyclic graphs of stages run as a simulator with a clock says, to the tick, or stand still as there") {
  random_edges random(20261122);
  int ran = 0;
  int stuck = 0;
  int refused = 0;
  int fans = 0;
  for (int round = 0; round < 8000; ++round) {
    schedule order = random.next();
    const bool same = random.up_to(1) != 0;
    if (!same) order = random.disturbed(order);
    const pass_times<ticks> times = random_times(random, order);
    const transfer_times<ticks> messages = random_messages(random, order, kinds[round % 4]);
    std::string why;
    const auto run = simulated(order, times, messages, why);
    CAPTURE(round);
    CAPTURE(why);
    if (!run && why.find("deadlock") == std::string::npos) {
      REQUIRE(!same);
      ++refused;
      continue;
    }
    event_simulator clock(order, times, messages);
    const bool ends = clock.run();
    REQUIRE(ends == run.has_value());
    if (!run) {
      REQUIRE(!same);
      REQUIRE(wrong_witness(order, why) == "");
      ++stuck;
      continue;
    }
    ++ran;
    fans += order.edges.size() > order.stages() ? 1 : 0;
    REQUIRE(run->makespan == clock.makespan);
    REQUIRE(run->ops == clock.ops);
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      REQUIRE(sorted(run->transfers[r]) == sorted(clock.transfers_made[r]));
    }
    // The critical path: from 0 to the end without a gap.
    ticks at = 0;
    for (const auto& step : run->critical_path) {
      REQUIRE(step.start == at);
      at = step.end;
    }
    REQUIRE(at == run->makespan);
  }
  CHECK(ran > 4000);
  CHECK(stuck > 250);
  CHECK(refused > 250);
  CHECK(fans > 2000);
}

TEST_CASE("the clock of the test agrees on chains, too") {
  random_edges random(7);
  for (int round = 0; round < 500; ++round) {
    const std::size_t p = 1 + random.up_to(3);
    const schedule order = stagecut::one_forward_one_backward(p, 1 + random.up_to(5));
    const pass_times<ticks> times = random_times(random, order);
    transfer_times<ticks> messages = random_messages(random, order, kinds[round % 2]);
    event_simulator clock(order, times, messages);
    REQUIRE(clock.run());
    const auto run = simulate(order, times, messages);
    REQUIRE(run.makespan == clock.makespan);
    REQUIRE(run.ops == clock.ops);
  }
}

TEST_CASE("a chain told by its edges runs as the chain that is not told, in every part") {
  random_edges random(11);
  for (int round = 0; round < 1000; ++round) {
    schedule order = random.next();
    for (auto& ops : order.orders) std::erase_if(ops, [](const op& each) { return is_transfer(each.kind); });
    order.edges.clear();
    const pass_times<ticks> times = random_times(random, order);
    const transfer_times<ticks> messages = random_messages(random, order, kinds[round % 4]);
    std::string plain;
    std::string told;
    const auto chain = simulated(order, times, messages, plain);
    schedule with = order;
    for (std::size_t s = 0; s + 1 < order.stages(); ++s) with.edges.push_back({s, s + 1});
    const auto edges = simulated(with, times, messages, told);
    REQUIRE(chain.has_value() == edges.has_value());
    if (!chain) {
      if (plain.find("SEND") == std::string::npos) CHECK(plain == told);
      continue;
    }
    simulation<ticks> run = unnamed(*edges);
    REQUIRE(run == *chain);
    pass_times<double> reals;
    reals.forward.assign(times.forward.begin(), times.forward.end());
    reals.backward_input.assign(times.backward_input.begin(), times.backward_input.end());
    reals.backward_weight.assign(times.backward_weight.begin(), times.backward_weight.end());
    for (auto* values : {&reals.forward, &reals.backward_input, &reals.backward_weight}) {
      for (double& value : *values) value *= 0.1;
    }
    const transfer_times<double> tenth{messages.kind, {0.1}, {0.3}};
    REQUIRE(simulate(with, reals, tenth).makespan == simulate(order, reals, tenth).makespan);
  }
}

TEST_CASE("1F1B over stages in an order of their edges never waits for itself") {
  random_edges random(3);
  for (int round = 0; round < 1000; ++round) {
    const std::size_t p = 2 + random.up_to(6);
    schedule order = stagecut::one_forward_one_backward(p, 1 + random.up_to(9));
    order.edges = random.edges(p, true);
    const pass_times<ticks> times = random_times(random, order);
    for (const transfer_kind kind : kinds) {
      const auto run = simulate(order, times, random_messages(random, order, kind));
      CHECK(run.makespan >= 0);
    }
  }
}

TEST_CASE("lowered transfers: one message an edge and microbatch each way, in the order of the edges, and none hangs") {
  random_edges random(5);
  for (int round = 0; round < 1000; ++round) {
    schedule order = random.next();
    for (auto& ops : order.orders) std::erase_if(ops, [](const op& each) { return is_transfer(each.kind); });
    const schedule lowered = stagecut::lower_transfers(order);
    CHECK(stagecut::lower_transfers(lowered) == lowered);
    std::size_t crossing = 0;
    for (const stage_edge& each : order.edges) crossing += order.rank_of[each.from] != order.rank_of[each.to] ? 1U : 0U;
    std::size_t transfers = 0;
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      std::vector<op> passes;
      for (std::size_t i = 0; i < lowered.orders[r].size(); ++i) {
        const op& each = lowered.orders[r][i];
        if (!is_transfer(each.kind)) passes.push_back(each);
        transfers += is_transfer(each.kind) ? 1U : 0U;
        if (i == 0 || !is_send(each.kind)) continue;
        const op& before = lowered.orders[r][i - 1];  // of the same pass, the edge before, or the pass itself
        if (before.kind == each.kind && before.stage == each.stage && before.microbatch == each.microbatch &&
            before.slice == each.slice) {
          const auto edge = [&](const op& of) {
            const bool down = of.kind == op_kind::send_forward;
            const stage_edge wanted = down ? stage_edge{of.stage, of.peer} : stage_edge{of.peer, of.stage};
            return std::find(order.edges.begin(), order.edges.end(), wanted) - order.edges.begin();
          };
          CHECK(edge(before) < edge(each));
        }
      }
      CHECK(passes == order.orders[r]);
    }
    CHECK(transfers == 4 * crossing * order.microbatches * order.slices);
    const pass_times<ticks> times = random_times(random, order);
    for (const transfer_kind kind : {transfer_kind::stream, transfer_kind::blocking}) {
      const transfer_times<ticks> messages = random_messages(random, order, kind);
      event_simulator clock(lowered, times, messages);
      REQUIRE(clock.run());
      CHECK(simulate(order, times, messages).makespan == clock.makespan);
    }
  }
}

TEST_CASE("the memory of ranks over random graphs is what a plain count of what is held says") {
  random_edges random(13);
  for (int round = 0; round < 1500; ++round) {
    const schedule order = random.next();
    const auto run = simulate(order, random_times(random, order), random_messages(random, order, kinds[round % 4]));
    stagecut::stage_bytes bytes;
    for (std::size_t s = 0; s < order.stages(); ++s) {
      bytes.activations.push_back(static_cast<double>(4 + 4 * random.up_to(9)));
      bytes.weight_part.push_back(static_cast<double>(4 * random.up_to(1)));
      bytes.recomputed.push_back(static_cast<double>(4 * random.up_to(2)));
    }
    const auto memory = stagecut::memory_curve(order, run, bytes);
    for (std::size_t r = 0; r < order.ranks(); ++r) {
      const auto& ops = run.ops[r];
      const auto find = [&](op_kind kind, const op& of) {
        std::size_t i = 0;
        while (i < ops.size() && (ops[i].what.kind != kind || ops[i].what.stage != of.stage ||
                                  ops[i].what.microbatch != of.microbatch || ops[i].what.slice != of.slice)) {
          ++i;
        }
        return i;
      };
      // While op i runs, of a pair each for itself.
      double peak = 0;
      for (std::size_t i = 0; i < ops.size(); ++i) {
        double held = 0;
        for (std::size_t f = 0; f <= i; ++f) {
          const op& pass = ops[f].what;
          if (pass.kind != op_kind::forward) continue;
          const std::size_t whole = find(op_kind::backward, pass);
          const std::size_t begins = std::min(whole, find(op_kind::backward_input, pass));
          const std::size_t ends = std::min(whole, find(op_kind::backward_weight, pass));
          const auto parts = static_cast<double>(order.slices);
          if (i <= begins) held += bytes.activations[pass.stage] / parts;
          if (i > begins && i <= ends) held += bytes.weight_part[pass.stage] / parts;
          if (i >= begins && i <= ends) held += bytes.recomputed[pass.stage] / parts;
        }
        peak = std::max(peak, held);
      }
      REQUIRE(memory[r].peak_activations == peak);
      REQUIRE(memory[r].curve.back().activations == 0);
    }
  }
}

TEST_CASE("a diamond: both branches run at the same time, and the last stage waits for both") {
  const schedule order = diamond(1);
  const pass_times<ticks> times{.forward = {1, 5, 9, 1}, .backward = {2, 10, 18, 2}};
  const auto run = simulate(order, times);
  CHECK(run.makespan == 1 + 9 + 1 + 2 + 18 + 2);
  schedule chain = order;
  chain.edges.clear();
  CHECK(simulate(chain, times).makespan == 16 + 32);
  // Of the times of edges those of 0 -> 2 and 2 -> 3 count.
  const auto sent = simulate(order, times, {transfer_kind::link, {2, 2, 2, 3}, {1, 4, 1, 5}});
  CHECK(sent.makespan == 33 + 2 + 3 + 5 + 4);
  std::string path;
  for (const auto& step : sent.critical_path) path += to_string(step.what) + " ";
  CHECK(path == "0F0 0SEND_F0>2 2F0 2SEND_F0>3 3F0 3B0 3SEND_B0>2 2B0 2SEND_B0>0 0B0 ");
  const auto parts = stagecut::split_makespan(order, times, transfer_times<ticks>{transfer_kind::link, {2}, {2}});
  CHECK(parts.total() == doctest::Approx(33 + 8));
}

TEST_CASE("messages that one stage sends to two on the same rank follow one another on a link") {
  schedule order;
  order.microbatches = 1;
  order.rank_of = {0, 1, 1};
  order.edges = {{0, 2}, {0, 1}};
  order.orders = {{{op_kind::forward, 0, 0}, {op_kind::backward, 0, 0}},
                  {{op_kind::forward, 1, 0},
                   {op_kind::forward, 2, 0},
                   {op_kind::backward, 2, 0},
                   {op_kind::backward, 1, 0}}};
  const pass_times<ticks> times{.forward = {1, 1, 1}, .backward = {1, 1, 1}};
  const auto on_link = simulate(order, times, {transfer_kind::link, {4, 6}, {}});
  CHECK(on_link.transfers[0][0].what == op{op_kind::send_forward, 0, 0, 0, false, 2});
  CHECK(on_link.transfers[0][1].start == 5);
  CHECK(on_link.makespan == 1 + 4 + 6 + 4 + 1);
  CHECK(simulate(order, times, {transfer_kind::latency, {4, 6}, {}}).makespan == 1 + 6 + 4 + 1);
}

TEST_CASE("edges that make no graph of stages are refused at every door, a cycle with its stages") {
  const auto refusal = [](std::vector<stage_edge> edges) {
    schedule order = diamond(2);
    order.edges = std::move(edges);
    std::string text;
    const auto tell = [&](const auto& door) {
      try {
        (void)door();
      } catch (const stagecut::invalid_input& error) {
        CHECK((text.empty() || text == error.what()));
        text = error.what();
        return;
      }
      text += "taken";
    };
    const pass_times<ticks> times{.forward = {1, 1, 1, 1}, .backward = {1, 1, 1, 1}};
    tell([&] { return simulate(order, times); });
    tell([&] { return stagecut::lower_transfers(order); });
    tell([&] { return stagecut::task_graph(order); });
    tell([&] { return stagecut::memory_curve(order, simulation<ticks>{}); });
    tell([&] { return stagecut::split_makespan(order, times); });
    return text;
  };
  CHECK(refusal({{0, 1}, {1, 2}, {2, 1}, {2, 3}}) == "schedule: its edges form a cycle: 1 -> 2 -> 1");
  CHECK(refusal({{0, 1}, {1, 3}, {3, 2}, {2, 1}}) == "schedule: its edges form a cycle: 1 -> 3 -> 2 -> 1");
  CHECK(refusal({{2, 2}}) == "schedule: its edges form a cycle: 2 -> 2");
  CHECK(refusal({{0, 1}, {1, 4}}) == "schedule: edge 1 (1 -> 4) names stage 4, which must be below 4");
  CHECK(refusal({{0, 1}, {1, 2}, {0, 1}}) == "schedule: edge 2 (0 -> 1) stands twice");
}

TEST_CASE("transfers name the other end exactly where there are edges") {
  schedule order = stagecut::lower_transfers(diamond(1));
  const auto problem = [](const schedule& of) {
    try {
      stagecut::check_schedule(of);
    } catch (const stagecut::invalid_input& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(problem(order).empty());
  const auto first = [](schedule& of) -> op& {
    return *std::find_if(of.orders[0].begin(), of.orders[0].end(), [](const op& each) { return is_send(each.kind); });
  };
  schedule wrong = order;
  first(wrong).peer = op::neighbour;
  CHECK(problem(wrong) == "rank 0, op 1 (0SEND_F0): does not name the stage at its other end");
  wrong = order;
  first(wrong).peer = 3;
  CHECK(problem(wrong) == "rank 0, op 1 (0SEND_F0>3): goes along no edge");
  wrong = order;
  first(wrong).peer = 2;
  CHECK(problem(wrong) == "rank 0, op 2 (0SEND_F0>2): stands on its rank twice");
  wrong = order;
  wrong.orders[0].erase(wrong.orders[0].begin() + 1);
  CHECK(problem(wrong) == "rank 0: 0SEND_F0>1 is missing");
  wrong = order;
  wrong.orders[0][0].peer = 1;
  CHECK(problem(wrong) ==
        "rank 0, op 0 (0F0<1): names stage 1 at its other end, as only transfers along edges do");
  schedule chain = stagecut::lower_transfers(stagecut::one_forward_one_backward(2, 1));
  first(chain).peer = 1;
  CHECK(problem(chain).find("as only transfers along edges do") != std::string::npos);
}

TEST_CASE("a deadlock over edges is told by the ops that wait for each other") {
  schedule order = diamond(2);
  std::swap(order.orders[3][0], order.orders[3][2]);  // the last stage begins with the second microbatch
  std::swap(order.orders[3][1], order.orders[3][3]);
  std::swap(order.orders[2][1], order.orders[2][2]);  // and the one before takes them one by one
  CHECK_THROWS_WITH_AS((void)simulate(order, pass_times<ticks>{.forward = {1, 1, 1, 1}, .backward = {1, 1, 1, 1}}),
                       "schedule: deadlock: 3F1 on rank 3 waits for 2F1 on rank 2, which stands behind 2B0, which waits "
                       "for 3B0 on rank 3, which stands behind 3F1",
                       stagecut::invalid_input);
}

TEST_CASE("times of messages are one an edge, or one for all") {
  const pass_times<ticks> times{.forward = {1, 1, 1, 1}, .backward = {1, 1, 1, 1}};
  CHECK_THROWS_WITH_AS((void)simulate(diamond(1), times, {transfer_kind::link, {1, 1, 1}, {}}),
                       doctest::Contains("has 3 elements, must have 4"), stagecut::invalid_input);
}
