// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/stage_makespan.hpp>

#include <stagecut/graph/warm_up.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"
#include "plain_pipeline.hpp"

#include <random>
#include <vector>

using stagecut::argument_error;
using stagecut::invalid_input;
using stagecut::stage_makespan;
using stagecut::stage_pipeline;
using stagecut::transfer_kind;

namespace {

using counts = std::vector<std::size_t>;

double simulated(const stage_pipeline& of, const counts& warm_up, std::size_t m, transfer_kind kind) {
  return stagecut::simulate(stagecut::warm_up_schedule(of, warm_up, m),
                            stagecut::pass_times<double>{.forward = of.forward, .backward = of.backward},
                            stagecut::transfer_times<double>{kind, of.send_forward, of.send_backward})
      .makespan;
}

stage_pipeline stages(std::vector<double> forward, std::vector<stagecut::stage_edge> edges,
                      std::vector<double> messages) {
  stage_pipeline result;
  result.forward = forward;
  for (const double each : forward) result.backward.push_back(2 * each);
  result.resident.resize(forward.size());
  result.activations.resize(forward.size());
  result.edges = std::move(edges);
  result.send_forward = result.send_backward = std::move(messages);
  return result;
}

double latency(const stage_pipeline& of, std::size_t m, const counts& warm_up) {
  return stage_makespan(of, m, transfer_kind::latency)(warm_up);
}

}  // namespace

TEST_CASE("two stages that feed a third") {
  const stage_pipeline join = stages({2, 2, 2}, {{0, 2}, {1, 2}}, {1, 1});
  CHECK(latency(join, 4, {2, 1, 0}) == 34);
  CHECK(latency(join, 4, {1, 1, 0}) == 34);
  CHECK(latency(join, 4, {2, 2, 0}) == 32);
  CHECK(latency(join, 4, {1, 0, 0}) == 56);
  CHECK(latency(join, 8, {2, 1, 0}) == 62);
  CHECK(latency(join, 8, {2, 2, 0}) == 56);
  CHECK(latency(join, 8, {1, 0, 0}) == 112);
  CHECK(refusal<argument_error>([&] {
          return latency(join, 4, {0, 0, 1});
        }) == "stagecut::stage_makespan: warm_up = {…}, must not rise along an edge: deadlock");
  const stage_pipeline chain = stages({2, 2, 2}, {{0, 1}, {1, 2}}, {1, 1});
  CHECK(latency(chain, 4, {2, 1, 0}) == 44);
  CHECK(latency(chain, 8, {2, 1, 0}) == 72);
}

TEST_CASE("an edge that skips stages is free while its message is no slower than the path") {
  const auto skip = [](double time) { return stages({1, 1, 1, 1}, {{0, 1}, {0, 3}, {1, 2}, {2, 3}}, {1, time, 1, 1}); };
  for (double time = 0; time <= 5; ++time) {
    CHECK(latency(skip(time), 4, {3, 2, 1, 0}) == 31);
    CHECK(latency(skip(time), 8, {3, 2, 1, 0}) == 49);
  }
  CHECK(latency(skip(6), 4, {3, 2, 1, 0}) == 32);
  CHECK(latency(skip(6), 8, {3, 2, 1, 0}) == 51);
  CHECK(latency(skip(8), 4, {3, 2, 1, 0}) == 35);
  CHECK(latency(skip(8), 8, {3, 2, 1, 0}) == 57);
}

TEST_CASE("a vision and a text branch") {
  const stage_pipeline towers = stages({6, 8, 6, 4}, {{0, 2}, {1, 3}, {2, 3}}, {0, 0, 0});
  CHECK(latency(towers, 4, {3, 2, 1, 0}) == 96);
  CHECK(latency(towers, 4, {2, 1, 1, 0}) == 108);
  CHECK(latency(towers, 4, {2, 2, 1, 0}) == 96);
  const stage_pipeline light = stages({6, 6, 8, 4}, {{0, 1}, {1, 3}, {2, 3}}, {0, 0, 0});
  CHECK(latency(light, 4, {3, 2, 1, 0}) == 108);
}

TEST_CASE("the order of stages matters where counts go by it") {
  // a -> b -> j and s -> j: the long branch first, or not.
  const auto order = [](std::vector<stagecut::stage_edge> edges) { return stages({3, 3, 3, 3}, edges, {1, 1, 1}); };
  const stage_pipeline abs = order({{0, 1}, {1, 3}, {2, 3}});
  const stage_pipeline asb = order({{0, 2}, {1, 3}, {2, 3}});
  const stage_pipeline sab = order({{0, 3}, {1, 2}, {2, 3}});
  const counts rank = stagecut::warm_up_by_rank(4);
  for (const stage_pipeline& pipeline : {abs, asb}) {
    CHECK(latency(pipeline, 4, rank) == 60);
    CHECK(latency(pipeline, 8, rank) == 100);
  }
  CHECK(latency(sab, 4, rank) == 62);
  CHECK(latency(sab, 8, rank) == 102);
  const counts depth = stagecut::warm_up_by_depth(abs);
  CHECK(depth == counts{2, 1, 1, 0});
  CHECK(latency(abs, 4, depth) == 62);
  CHECK(latency(abs, 8, depth) == 102);
}

TEST_CASE("links carry one message at a time") {
  const stage_pipeline two = stages({1, 1}, {{0, 1}}, {4});
  CHECK(latency(two, 3, {2, 0}) == 1 + 4 + 3 * 3 + 4 + 2);
  CHECK(stage_makespan(two, 3)(counts{2, 0}) == 1 + 3 * 4 + 3 + 4 + 2);
  CHECK(stage_makespan(two, 3, transfer_kind::link)(counts{2, 0}) == stage_makespan(two, 3)(counts{2, 0}));
}

TEST_CASE("the makespan is that of the simulator, to the last bit") {
  random_graphs random(2);
  std::mt19937 bits(2);
  std::uniform_real_distribution<double> any(0, 1);
  int compared = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::size_t k = 1 + random.up_to(5);
    const std::size_t m = 1 + random.up_to(7);
    stage_pipeline of;
    for (auto* each : {&of.forward, &of.backward, &of.resident, &of.activations}) {
      for (std::size_t s = 0; s < k; ++s) each->push_back(any(bits));
    }
    for (std::size_t a = 0; a < k; ++a) {
      for (std::size_t b = a + 1; b < k; ++b) {
        if (random.up_to(2) == 0) continue;
        of.edges.push_back({a, b});
        of.send_forward.push_back(any(bits));
        of.send_backward.push_back(round % 5 == 0 ? 0 : any(bits));
      }
    }
    for (const transfer_kind kind : {transfer_kind::latency, transfer_kind::link}) {
      stage_makespan price(of, m, kind);
      for (int tries = 0; tries < 6; ++tries) {
        counts warm_up(k);
        for (std::size_t& count : warm_up) count = random.up_to(m);
        if (tries > 1) std::sort(warm_up.rbegin(), warm_up.rend());
        const reference_simulator plain = run_plainly(of, warm_up, m, kind == transfer_kind::link);
        REQUIRE(price.runs(warm_up) == plain.ends);
        if (!plain.ends) continue;
        CHECK(price(warm_up) == plain.makespan);
        if (of.edges.empty() && k > 1) continue;  // no schedule
        CHECK(price(warm_up) == simulated(of, warm_up, m, kind));
        ++compared;
      }
    }
  }
  CHECK(compared > 8000);
}

TEST_CASE("an order runs exactly when no count rises along an edge") {
  for (std::size_t k = 2; k <= 4; ++k) {
    const std::size_t pairs = k * (k - 1) / 2;
    for (std::size_t which = 0; which < (std::size_t{1} << pairs); ++which) {
      stage_pipeline of = stages(std::vector<double>(k, 1), {}, {});
      for (std::size_t a = 0, bit = 0; a < k; ++a) {
        for (std::size_t b = a + 1; b < k; ++b, ++bit) {
          if ((which >> bit & 1U) != 0) of.edges.push_back({a, b});
        }
      }
      of.send_forward = of.send_backward = std::vector<double>(of.edges.size(), 1);
      for (std::size_t m = 1; m <= 4; ++m) {
        const stage_makespan price(of, m);
        each_vector(counts(k, m), [&](const counts& warm_up) {
          bool rises = false;
          for (const auto& [from, to] : of.edges) rises = rises || warm_up[from] < warm_up[to];
          REQUIRE(price.runs(warm_up) == !rises);
          REQUIRE(run_plainly(of, warm_up, m, false).ends == !rises);
        });
      }
    }
  }
}

TEST_CASE("counts of m or more are those of m - 1") {
  const stage_pipeline chain = stages({1, 2}, {{0, 1}}, {1});
  stage_makespan price(chain, 3);
  CHECK(price(counts{9, 2}) == price(counts{2, 2}));
  CHECK(price(counts{2, 7}) == price(counts{2, 2}));
  CHECK(price.runs(counts{2, 7}));
  CHECK_FALSE(price.runs(counts{1, 7}));
}

TEST_CASE("stages that no edge joins run at once") {
  CHECK(stage_makespan(stages({2, 3}, {}, {}), 4)(counts{0, 3}) == 36);
  CHECK(stage_makespan(stages({0, 0}, {}, {}), 4)(counts{0, 0}) == 0);
}

TEST_CASE("pipelines that are none are refused") {
  const auto refused = [](const stage_pipeline& of, std::size_t m, transfer_kind kind = transfer_kind::link) {
    return refusal<std::invalid_argument>([&] { return stage_makespan(of, m, kind); });
  };
  const stage_pipeline good = stages({1, 1}, {{0, 1}}, {1});
  CHECK(refused({}, 1) == "stagecut::stage_makespan: of.stages() = 0, must be at least 1");
  CHECK(refused(good, 0) == "stagecut::stage_makespan: microbatches = 0, must be at least 1");
  CHECK(refused(good, 1, transfer_kind::blocking) ==
        "stagecut::stage_makespan: transfers = blocking, must be latency or link");
  stage_pipeline wrong = good;
  wrong.edges = {{1, 0}};
  CHECK(refused(wrong, 1) ==
        "stagecut::stage_makespan: of.edges = 1 -> 0, must lead from a lower to a higher stage that there is");
  wrong.edges = {{0, 2}};
  CHECK(refused(wrong, 1) ==
        "stagecut::stage_makespan: of.edges = 0 -> 2, must lead from a lower to a higher stage that there is");
  wrong = good;
  wrong.backward = {1, -1};
  CHECK(refused(wrong, 1) == "backward[1]: -1.000000, must be finite and not negative");
  wrong = good;
  wrong.send_backward = {};
  CHECK(refused(wrong, 1) == "send_backward: has 0 elements, must have 1");
  CHECK(refusal<argument_error>([&] { return stage_makespan(good, 2)(counts{0}); }) ==
        "stagecut::stage_makespan: warm_up.size() = 1, must be the number of stages");
}
