// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/minimize_cut_and_schedule.hpp>

#include <stagecut/core/cuts.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "../orders/least_order.hpp"
#include "../refusal.hpp"

using stagecut::cut_and_schedule_request;
using stagecut::cuts;
using stagecut::minimize_cut_and_schedule;
using stagecut::schedule_family;
using ticks = std::int64_t;

namespace {

/// A chain in whole numbers, whose stages keep bytes.
struct small_chain {
  using axioms = stagecut::axioms<stagecut::stage_invariant>;

  std::vector<double> f, i, w, out, kept, stays;

  [[nodiscard]] std::size_t size() const { return f.size(); }
  [[nodiscard]] double forward(std::size_t, std::size_t item) const { return f[item]; }
  [[nodiscard]] double backward(std::size_t, std::size_t item) const { return i[item] + w[item]; }
  [[nodiscard]] double backward_input(std::size_t, std::size_t item) const { return i[item]; }
  [[nodiscard]] double backward_weight(std::size_t, std::size_t item) const { return w[item]; }
  [[nodiscard]] double sent(std::size_t cut) const { return out[cut - 1]; }
  [[nodiscard]] double memory(std::size_t, std::size_t first, std::size_t last, std::size_t in_flight) const {
    double sum = 0;
    for (std::size_t item = first; item < last; ++item)
      sum += stays[item] + static_cast<double>(in_flight) * kept[item];
    return sum;
  }
};

struct chains {
  explicit chains(std::uint32_t seed) : random(seed) {}

  [[nodiscard]] std::size_t up_to(std::size_t most) { return random() % (most + 1); }

  [[nodiscard]] small_chain next(std::size_t items) {
    small_chain result;
    for (std::size_t each = 0; each < items; ++each) {
      result.f.push_back(static_cast<double>(1 + up_to(9)));
      result.i.push_back(static_cast<double>(1 + up_to(9)));
      result.w.push_back(static_cast<double>(up_to(9)));
      result.out.push_back(static_cast<double>(up_to(4)));
      result.kept.push_back(static_cast<double>(1 + up_to(3)));
      result.stays.push_back(static_cast<double>(up_to(2)));
    }
    return result;
  }

  std::mt19937 random;
};

/// Memory from hardly enough for one microbatch to enough for some.
double memory_of(const small_chain& chain, chains& dice, std::size_t ranks) {
  double all = 0;
  for (std::size_t item = 0; item < chain.size(); ++item) all += chain.kept[item] + chain.stays[item];
  return std::floor(all / static_cast<double>(ranks) * (0.9 + 0.2 * static_cast<double>(dice.up_to(12))));
}

void each_cut(std::size_t items, std::size_t stages, const std::function<void(const cuts&)>& visit) {
  std::vector<std::size_t> points = {0};
  const std::function<void()> next = [&] {
    if (points.size() == stages) {
      points.push_back(items);
      visit(cuts(points));
      points.pop_back();
      return;
    }
    for (std::size_t at = points.back() + 1; at + (stages - points.size()) <= items; ++at) {
      points.push_back(at);
      next();
      points.pop_back();
    }
  };
  next();
}

/// The least makespan of all orders of a cut.
std::optional<ticks> least_of(const small_chain& chain, const cuts& cut, const cut_and_schedule_request& request) {
  stagecut::pass_times<ticks> times;
  stagecut::transfer_times<ticks> messages{stagecut::transfer_kind::latency, {}, {}};
  stagecut::synthesis_request asked;
  asked.rank_of = request.rank_of;
  asked.microbatches = request.microbatches;
  asked.split = request.split;
  asked.whole = request.whole;
  if (request.memory_limit.for_all()) asked.memory_limit = {*request.memory_limit.for_all()};
  for (std::size_t s = 0; s < cut.stages(); ++s) {
    double f = 0, i = 0, w = 0;
    for (std::size_t item = cut[s]; item < cut[s + 1]; ++item)
      f += chain.f[item], i += chain.i[item], w += chain.w[item];
    times.forward.push_back(static_cast<ticks>(f));
    times.backward.push_back(static_cast<ticks>(i + w));
    times.backward_input.push_back(static_cast<ticks>(i));
    times.backward_weight.push_back(static_cast<ticks>(w));
    asked.bytes.activations.push_back(chain.memory(s, cut[s], cut[s + 1], 1) - chain.memory(s, cut[s], cut[s + 1], 0));
    asked.bytes.resident.push_back(chain.memory(s, cut[s], cut[s + 1], 0));
    if (s > 0) messages.forward.push_back(static_cast<ticks>(request.links.empty() ? 0 : chain.out[cut[s] - 1]));
  }
  messages.backward = messages.forward;
  return least_order(times, messages, asked)(100000);
}

}  // namespace

TEST_CASE("Cuts and orders: no bound above the least of all cuts and orders, and few answers above it") {
  chains dice(3);
  std::size_t solved = 0, best = 0, proved = 0, infeasible = 0;
  for (std::size_t round = 0; round < 200; ++round) {
    CAPTURE(round);
    const std::size_t ranks = 2 + dice.up_to(1);
    const std::size_t chunks = ranks == 2 && dice.up_to(1) == 0 ? 2 : 1;
    const small_chain chain = dice.next(ranks * chunks + 1 + dice.up_to(1));
    cut_and_schedule_request request;
    const bool vee = chunks == 2 && dice.up_to(1) == 0;
    request.rank_of = vee ? stagecut::v_placement(ranks) : stagecut::loop_placement(ranks, chunks);
    request.microbatches = chunks == 2 ? 2 : 2 + dice.up_to(3 - ranks);
    request.split = chunks == 1 && dice.up_to(2) > 0;
    if (request.split && dice.up_to(1) == 0) request.whole.assign(ranks, false), request.whole[0] = true;
    if (dice.up_to(1) == 0) request.links = {{0, 1}};
    request.transfers = stagecut::transfer_kind::latency;
    if (dice.up_to(3) > 0) request.memory_limit = memory_of(chain, dice, ranks);
    request.search.time_limit.reset();
    request.search.node_limit = 3000;
    std::optional<ticks> least;
    each_cut(chain.size(), ranks * chunks, [&](const cuts& cut) {
      const auto here = least_of(chain, cut, request);
      if (here && (!least || *here < *least)) least = here;
    });
    const auto found = minimize_cut_and_schedule(chain, request);
    REQUIRE(found.has_value() == least.has_value());
    if (!least) {
      CHECK(found.state() == stagecut::state::infeasible);
      CHECK(found.why().text() != "");
      ++infeasible;
      continue;
    }
    CHECK(found->bound <= static_cast<double>(*least));
    CHECK(static_cast<double>(*least) <= found->value);
    if (found.state() == stagecut::state::optimal) CHECK(found->value == static_cast<double>(*least));
    ++solved;
    best += found->value == static_cast<double>(*least) ? 1U : 0U;
    proved += found.state() == stagecut::state::optimal ? 1U : 0U;
  }
  MESSAGE(solved, " solved, ", best, " best, ", proved, " proved, ", infeasible, " infeasible");
  CHECK(infeasible > 5);
  CHECK(best * 100 >= solved * 85);
  CHECK(proved * 100 >= solved * 25);
}

TEST_CASE("Numbers in flight: where there are few, the best of all numbers and cuts") {
  chains dice(5);
  std::size_t solved = 0, unlike = 0;
  for (std::size_t round = 0; round < 200; ++round) {
    CAPTURE(round);
    const std::size_t ranks = 2 + dice.up_to(1);
    const small_chain chain = dice.next(ranks + 1 + dice.up_to(2));
    cut_and_schedule_request request;
    request.rank_of = stagecut::loop_placement(ranks, 1);
    request.microbatches = 2 + dice.up_to(3);
    request.split = false;
    request.family = schedule_family::in_flight;
    if (dice.up_to(1) == 0) request.links = {{static_cast<double>(dice.up_to(9)), 1}};
    if (dice.up_to(3) > 0) request.memory_limit = memory_of(chain, dice, ranks);
    request.search.time_limit.reset();
    double least = std::numeric_limits<double>::infinity();
    std::vector<std::size_t> counts;
    const std::function<void()> each_counts = [&] {
      if (counts.size() < ranks) {
        for (std::size_t most = counts.empty() ? request.microbatches : counts.back(); most > 0; --most) {
          counts.push_back(most);
          each_counts();
          counts.pop_back();
        }
        return;
      }
      const auto order = stagecut::in_flight_order(counts, request.microbatches);
      each_cut(chain.size(), ranks, [&](const cuts& cut) {
        stagecut::pass_times<double> times;
        stagecut::transfer_times<double> messages{request.transfers, {}, {}};
        for (std::size_t s = 0; s < ranks; ++s) {
          if (request.memory_limit.for_all() && chain.memory(s, cut[s], cut[s + 1], counts[s]) > *request.memory_limit.for_all())
            return;
          double f = 0, b = 0;
          for (std::size_t item = cut[s]; item < cut[s + 1]; ++item)
            f += chain.f[item], b += chain.i[item] + chain.w[item];
          times.forward.push_back(f);
          times.backward.push_back(b);
          if (s > 0 && !request.links.empty()) messages.forward.push_back(request.links[0](chain.out[cut[s] - 1]));
        }
        messages.backward = messages.forward;
        least = std::min(least, stagecut::simulate(order, times, messages).makespan);
      });
    };
    each_counts();
    const auto found = minimize_cut_and_schedule(chain, request);
    REQUIRE(found.has_value() == (least < std::numeric_limits<double>::infinity()));
    if (!found) continue;
    CHECK(found.state() == stagecut::state::optimal);
    CHECK(found->value == least);
    CHECK(found->schedule.name == "in-flight");
    ++solved;
    unlike += found->schedule.orders != stagecut::one_forward_one_backward(ranks, request.microbatches).orders ? 1U : 0U;
  }
  CHECK(solved > 120);
  CHECK(unlike > 20);
}

TEST_CASE("Cuts and orders: what is refused, and the same answer for the same number of nodes") {
  chains dice(8);
  const small_chain chain = dice.next(9);
  cut_and_schedule_request request;
  request.rank_of = stagecut::v_placement(2);
  request.microbatches = 4;
  request.search.time_limit.reset();
  request.search.node_limit = 2000;
  const auto one = minimize_cut_and_schedule(chain, request);
  const auto two = minimize_cut_and_schedule(chain, request);
  CHECK(one->cuts == two->cuts);
  CHECK(one->schedule == two->schedule);
  const auto refused = [&](auto change) {
    cut_and_schedule_request asked = request;
    change(asked);
    return ::refusal([&] { return minimize_cut_and_schedule(chain, asked); });
  };
  CHECK(refused([](auto& of) { of.rank_of.clear(); }) ==
        "stagecut::minimize_cut_and_schedule: rank_of = {}, must have the rank of every stage");
  CHECK(refused([](auto& of) { of.rank_of[1] = 4; }) ==
        "stagecut::minimize_cut_and_schedule: rank_of[1] = 4, must be below the number of stages");
  CHECK(refused([](auto& of) { of.microbatches = 0; }) ==
        "stagecut::minimize_cut_and_schedule: microbatches = 0, must be at least 1");
  CHECK(refused([](auto& of) { of.whole = {true}; }) ==
        "stagecut::minimize_cut_and_schedule: whole.size() = 1, must be the number of stages");
  CHECK(refused([](auto& of) { of.family = schedule_family::in_flight; }) ==
        "stagecut::minimize_cut_and_schedule: split = true, must be false for numbers in flight: B is whole");
  CHECK(refused([](auto& of) { of.family = schedule_family::in_flight, of.split = false; }) ==
        "stagecut::minimize_cut_and_schedule: rank_of[2] = 1, must have one stage a rank, in turn");
  request.rank_of.resize(12, 0);
  const auto many = minimize_cut_and_schedule(chain, request);
  CHECK(many.state() == stagecut::state::infeasible);
}
