// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/engine/search_clock.hpp>
#include <stagecut/joint/detail/hybrid_rules.hpp>
#include <stagecut/joint/detail/latency_program.hpp>
#include <stagecut/joint/detail/latency_search.hpp>
#include <stagecut/joint/minimize_pipeline_latency.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"
#include "alpa_models.hpp"
#include "hybrid_models.hpp"

using joint_tests::hybrid_case;
using namespace stagecut;

namespace {

std::size_t cases_wanted(std::size_t usual) {
  return std::getenv("STAGECUT_CASES") ? std::strtoul(std::getenv("STAGECUT_CASES"), nullptr, 10) : usual;
}

struct best_of_all {
  std::optional<double> cost{};
  double sum = 0;
  std::vector<hybrid_stage> stages{};
  double least_memory = std::numeric_limits<double>::max();
  std::size_t cuts = 0;
  bool has_cut = false;  // with any memory
};

best_of_all enumerated(const hybrid_case& of) {
  best_of_all best;
  joint_tests::each_hybrid(of.model, of.request, [&](const std::vector<hybrid_stage>& stages) {
    ++best.cuts;
    const double bytes = joint_tests::bytes_of(of.request, stages);
    best.least_memory = std::min(best.least_memory, bytes);
    if (of.request.memory_limit.for_all() && bytes > *of.request.memory_limit.for_all()) return;
    const auto [cost, sum] = joint_tests::length_of(of, stages);
    if (best.cost && (cost > *best.cost || (cost == *best.cost && sum > best.sum))) return;
    if (best.cost && cost == *best.cost && sum == best.sum && !joint_tests::is_before(stages, best.stages)) return;
    best.cost = cost;
    best.sum = sum;
    best.stages = stages;
  });
  return best;
}

outcome<hybrid_cut> found_for(const hybrid_case& of) {
  return minimize_pipeline_latency(of.model, of.request, {of.messages, of.all_reduce});
}

/// Compares the answer without and with limits, and with options asked for again and again.
void check(const hybrid_case& drawn) {
  const best_of_all best = enumerated(drawn);
  const auto found = found_for(drawn);
  if (!best.cost) {
    REQUIRE(found.state() == state::infeasible);
    const bool is_short = best.cuts > 0;
    const reason::cause what = found.why().what;
    CHECK((what == reason::cause::memory || what == reason::cause::layer_too_large) == is_short);
    if (!is_short) return;
    CHECK(found.why().remedy.find(std::to_string(static_cast<long long>(std::ceil(best.least_memory))) + " bytes") ==
          0);
    hybrid_case more = drawn;
    more.request.memory_limit = best.least_memory;
    CHECK(found_for(more).state() == state::optimal);
    return;
  }
  REQUIRE(found.state() == state::optimal);
  CHECK(found->value == *best.cost);
  CHECK(found->bound == found->value);
  CHECK(joint_tests::length_of(drawn, found->stages).cost == found->value);
  if (drawn.request.memory_limit.for_all()) {
    CHECK(joint_tests::bytes_of(drawn.request, found->stages) <= *drawn.request.memory_limit.for_all());
  }
  if (!drawn.all_reduce) CHECK(found->stages == best.stages);
  const detail::hybrid_rules rules(drawn.request, drawn.model.period());
  const detail::length_terms terms{drawn.messages, drawn.all_reduce};
  engine::search_clock clock(drawn.request.search);
  const detail::stage_options_of model(drawn.model);
  detail::latency_program program(model, rules, terms, clock, 0);
  detail::latency_search forgetful(program, terms, drawn.request.microbatches, 0, clock);
  forgetful.run();
  CHECK(forgetful.cost() == *best.cost);
  if (!drawn.all_reduce) CHECK(forgetful.best() == best.stages);
  for (const std::size_t nodes : {0U, 1U, 3U}) {
    hybrid_case limited = drawn;
    limited.request.search.node_limit = nodes;
    const auto stopped = found_for(limited);
    if (!stopped) CHECK(stopped.state() == state::unknown);
    if (!stopped) continue;
    CHECK(stopped->bound <= *best.cost);
    CHECK(stopped->value >= *best.cost);
    CHECK((stopped.state() == state::optimal) == (stopped->bound == stopped->value));
  }
}

}  // namespace

TEST_CASE("small models, compared with all cuts") {
  std::mt19937 dice(51);
  for (std::size_t done = 0; done < cases_wanted(5000); ++done) {
    CAPTURE(done);
    check(joint_tests::drawn_hybrid(dice, 5, 6));
  }
}

TEST_CASE("somewhat larger models, compared with all cuts") {
  std::mt19937 dice(52);
  for (std::size_t done = 0; done < cases_wanted(5000) / 10; ++done) {
    CAPTURE(done);
    check(joint_tests::drawn_hybrid(dice, 6, 8));
  }
}

TEST_CASE("Alpa: as good as trying every time for the largest stage, with few dynamic programs") {
  struct cell {
    std::size_t layers, devices, microbatches;
    double activations, memory;
  };
  std::vector<cell> cells = {{8, 16, 8, 0, 0}, {8, 16, 32, 1, 3}, {12, 16, 16, 1, 2.5}, {16, 64, 64, 0, 0}};
  if (std::getenv("STAGECUT_CASES")) {
    for (const cell& each : {cell{16, 64, 64, 1, 2.5}, cell{32, 64, 64, 0, 0}, cell{37, 64, 128, 0, 0}})
      cells.push_back(each);
  }
  for (const cell& each : cells) {
    CAPTURE(each.layers);
    joint_tests::alpa_layers model{each.layers, each.devices, 1, each.activations, each.activations / 2};
    hybrid_request request;
    request.devices = each.devices;
    request.microbatches = each.microbatches;
    if (each.activations > 0) request.memory_limit = each.memory;
    const auto found = minimize_pipeline_latency(model, request);
    const std::size_t asked = model.asked;
    const auto swept = joint_tests::sweep_of(model, each.microbatches, 0, request.memory_limit.for_all());
    REQUIRE(found.state() == state::optimal);
    CHECK(found->value == swept.cost);
    CHECK(found->statistics.searches <= 20);
    CHECK(asked <= each.layers * (each.layers + 1) / 2);  // once for each stage
    MESSAGE(each.layers, " layers: ", found->statistics.searches, " dynamic programs instead of ", swept.searches, ", cost ",
            found->value, ", ", found->stages.size(), " stages");
  }
}

TEST_CASE("Alpa: 37 layers on 64 devices, with memory") {
  joint_tests::alpa_layers model{37, 64, 1, 1, 0.5};
  hybrid_request request;
  request.devices = 64;
  request.microbatches = 128;
  request.memory_limit = 3;
  const auto found = minimize_pipeline_latency(model, request);
  REQUIRE(found.state() == state::optimal);
  CHECK(found->statistics.searches <= 20);
  MESSAGE(found->statistics.searches, " dynamic programs, ", found->stages.size(), " stages");
}

TEST_CASE("thresholds nearer than a millionth are not skipped") {
  joint_tests::alpa_layers model{10, 16};
  model.scale = 0x1p-18;  // some microseconds
  hybrid_request request;
  request.devices = 16;
  request.microbatches = 32;
  const auto found = minimize_pipeline_latency(model, request);
  CHECK(found->value == joint_tests::sweep_of(model, 32, 0).cost);
  CHECK(found->value < joint_tests::sweep_of(model, 32, 1e-6).cost);
}

TEST_CASE("fewer devices, where all are of no use") {
  // On 5 devices there is 4 and 1, or 2, 2 and 1, but a stage of one layer cannot be cut.
  joint_tests::alpa_layers model{1, 5};
  hybrid_request request;
  request.devices = 5;
  const auto none = minimize_pipeline_latency(model, request);
  REQUIRE(none.state() == state::infeasible);
  CHECK(none.why().text() ==
        "no cut keeps to the constraint: stages on all 5 devices are not possible; on fewer devices they are");
  request.at_most = true;
  const auto found = minimize_pipeline_latency(model, request);
  REQUIRE(found.state() == state::optimal);
  REQUIRE(found->stages.size() == 1);
  CHECK(found->stages[0].first_device == 1);
  CHECK(found->stages[0].option.tensor_parallel == 4);
}

TEST_CASE("more memory, more devices of which fewer will do, and another unit of time") {
  std::mt19937 dice(53);
  for (std::size_t done = 0; done < cases_wanted(200); ++done) {
    CAPTURE(done);
    hybrid_case drawn = joint_tests::drawn_hybrid(dice, 7, 9);
    drawn.model.links.resize(1);
    const auto before = found_for(drawn);
    if (!before) continue;
    hybrid_case scaled = drawn;
    for (auto& layer : scaled.model.layers) {
      for (double* time : {&layer.time[0], &layer.time[1], &layer.message, &layer.parameters}) *time *= 0x1p-20;
    }
    for (double& link : scaled.model.links) link *= 0x1p-20;
    const auto same = found_for(scaled);
    CHECK(same->value == before->value * 0x1p-20);
    CHECK(same->stages.size() == before->stages.size());
    hybrid_case wider = drawn;
    wider.request.at_most = true;
    const auto fewer = found_for(wider);
    CHECK(fewer->value <= before->value);
    wider.request.devices += 1 + dice() % 4;
    const auto more = found_for(wider);
    CHECK(more->value <= fewer->value);
    wider.request.memory_limit = wider.request.memory_limit.scaled(1.5);
    CHECK(found_for(wider)->value <= more->value);
  }
}

TEST_CASE("a chain from its other end takes as long") {
  std::mt19937 dice(54);
  for (std::size_t done = 0; done < cases_wanted(200); ++done) {
    CAPTURE(done);
    hybrid_case drawn = joint_tests::drawn_hybrid(dice, 7, 9);
    drawn.model.links.resize(1);
    drawn.model.without = 0;
    drawn.model.tells_work = false;
    drawn.messages = drawn.all_reduce = false;
    drawn.request.memory_limit = {};
    for (auto& layer : drawn.model.layers) {
      for (double& time : layer.time) time = 8 * std::floor(time);
    }
    drawn.model.links = {0};
    drawn.model.shapes.resize(std::min<std::size_t>(drawn.model.shapes.size(), 3));
    const auto found = found_for(drawn);
    std::reverse(drawn.model.layers.begin(), drawn.model.layers.end());
    const auto mirrored = found_for(drawn);
    REQUIRE(found.state() == mirrored.state());
    if (found) CHECK(found->value == doctest::Approx(mirrored->value).epsilon(1e-14));
  }
}

TEST_CASE("what is short is told") {
  joint_tests::hybrid_layers model;
  model.layers = {{{8, 8}, {4, 4}, 10, 0, 0}, {{8, 8}, {4, 4}, 10, 0, 0}, {{8, 8}, {4, 4}, 10, 0, 0}};
  model.shapes = {{1, 1}};
  hybrid_request request;
  request.devices = 2;
  request.microbatches = 8;
  request.memory_limit = 23;
  // Of two stages one has two layers: behind the other it keeps one microbatch.
  const auto found = minimize_pipeline_latency(model, request);
  REQUIRE(found.state() == state::infeasible);
  CHECK(found.why().what == reason::cause::memory);
  CHECK(found.why().text() ==
        "stage 1 (layers 1-2, 1 replicas of 1): resident 20 + 1 x 8 activations needs at least 28 bytes, and a device "
        "has 23 "
        "bytes; 28 bytes a device would do");
  request.memory_limit = 13;
  const auto large = minimize_pipeline_latency(model, request);
  CHECK(large.why().what == reason::cause::layer_too_large);
  CHECK(large.why().text() == "layer 0 needs at least 14 bytes, and a device has 13 bytes; 28 bytes a device would do");
  request.memory_limit = 28;
  CHECK(minimize_pipeline_latency(model, request)->stages[0].last == 1);
  request.stages = 4;
  CHECK(minimize_pipeline_latency(model, request).why() == reason{reason::cause::more_stages_than_layers, 4, 3});
  request.stages = 3;
  CHECK(minimize_pipeline_latency(model, request).why().text() ==
        "no cut keeps to the constraint: 3 stages need at least 3 devices, and there are 2");
  model.layers.clear();
  request.stages.reset();
  CHECK(minimize_pipeline_latency(model, request).why().what == reason::cause::more_stages_than_layers);
}

TEST_CASE("what makes no sense is refused") {
  joint_tests::hybrid_layers model;
  model.layers = {{{8, 8}, {4, 4}, 10, 0, 0}};
  model.shapes = {{1, 1}};
  const auto refused = [&](const hybrid_request& request) {
    return refusal<argument_error>([&] { return minimize_pipeline_latency(model, request); });
  };
  hybrid_request request;
  request.devices = 0;
  CHECK(refused(request) == "stagecut::minimize_pipeline_latency: request.devices = 0, must be at least 1");
  request = {};
  request.microbatches = 0;
  CHECK(refused(request) == "stagecut::minimize_pipeline_latency: request.microbatches = 0, must be at least 1");
  request = {};
  request.stages = 0;
  CHECK(refused(request) == "stagecut::minimize_pipeline_latency: request.stages = 0, must be at least 1");
  request = {};
  request.memory_limit = -1;
  CHECK(refused(request) ==
        "stagecut::minimize_pipeline_latency: request.memory_limit = -1.000000, must be finite and not negative");
  request = {};
  model.links = {0, 0};
  request.devices = 3;
  CHECK(refused(request) ==
        "stagecut::minimize_pipeline_latency: request.devices = 3, must be a multiple of 2, the model's period");
  model.links = {0};
  request.devices = 1;
  for (const double bad : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    model.layers[0].kept[0] = bad;
    CHECK(refusal<invalid_input>([&] { return minimize_pipeline_latency(model, request); }) ==
          "stage [0, 1): an option has a time or bytes that are negative or not finite");
  }
  model.layers[0].kept[0] = 1;
  model.layers[0].time[0] = model.layers[0].time[1] = 1e308;
  request.microbatches = 3;
  CHECK(refusal<invalid_input>([&] { return minimize_pipeline_latency(model, request); }) ==
        "stages: the pipeline takes longer than a double holds");
}

TEST_CASE("a search that is stopped tells a bound, and progress") {
  joint_tests::alpa_layers model{37, 64, 1, 1, 0.5};
  hybrid_request request;
  request.devices = 64;
  request.microbatches = 128;
  std::size_t told = 0;
  double last = std::numeric_limits<double>::max();
  const auto listen = [&](const search_progress& at) {
    ++told;
    if (at.value > 0) {
      CHECK(at.value <= last);
      CHECK(at.bound <= at.value);
      last = at.value;
    }
  };
  request.search.progress = listen;
  const auto whole = minimize_pipeline_latency(model, request);
  CHECK(told > 0);
  CHECK(last == whole->value);
  request.search = {};
  bool stops = true;
  const auto stop = [&] { return stops; };
  request.search.stop = stop;
  CHECK(minimize_pipeline_latency(model, request).state() == state::unknown);
}
