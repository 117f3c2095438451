// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/parts/check_request.hpp>

#include <stagecut/plan/compare_plans.hpp>
#include <stagecut/plan/detail/plan_stages.hpp>
#include <stagecut/plan/make_plan.hpp>

#include <doctest/doctest.h>

#include <string>

using stagecut::checkpointing;
using stagecut::measure;
using stagecut::plan_request;
using stagecut::profile;
using stagecut::schedule_kind;

namespace {

profile equal_layers(std::size_t n) {
  profile model;
  model.layers.resize(n);
  return model;
}

std::string refusal(const profile& model, const plan_request& request) {
  try {
    stagecut::detail::check_stages_request("plan_chain", model, request);
  } catch (const stagecut::argument_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("requests that make no sense") {
  const profile model = equal_layers(4);
  CHECK(refusal(model, {.devices = 0}) == "stagecut::plan_chain: devices = 0, must be at least 1");
  CHECK(refusal(model, {.stages_per_rank = 0}) == "stagecut::plan_chain: stages_per_rank = 0, must be at least 1");
  CHECK(refusal(model, {.devices = ~std::size_t{0}}).find("must be below 2^40") != std::string::npos);
  CHECK(refusal(model, {.stages_per_rank = ~std::size_t{0}}).find("must be below 2^20") != std::string::npos);
  CHECK(refusal({}, {}) == "stagecut::plan_chain: model.layers = {}, must hold at least one layer");
  profile graph = model;
  graph.edges = {{0, 1}, {1, 2}, {2, 3}};
  CHECK(refusal(graph, {}) == "stagecut::plan_chain: model.edges = 3 edges, must be empty: see as_chain");
  graph = model;
  graph.layers[1].children = {2, 3};
  CHECK(refusal(graph, {}) == "stagecut::plan_chain: model.layers[1].children = 2 layers, must be empty: see as_chain");
  CHECK(
      refusal(model, {.devices = 2, .in_flight = {1}}).find("in_flight.size() = 1, must be the number of stages, 2") !=
      std::string::npos);
  CHECK(refusal(model, {.devices = 2, .in_flight = {1, 2}}).find("in_flight[1] = 2") != std::string::npos);
  CHECK(refusal(model, {.devices = 2, .in_flight = {1, 0}}).find("in_flight[1] = 0") != std::string::npos);
  CHECK(refusal(model, {.by = measure::weights}).find("weights.size() = 0") != std::string::npos);
  CHECK(refusal(model, {.time_weight = 2}).find("time_weight") != std::string::npos);
  CHECK(refusal(model, {.memory_limit = -1.0}).find("memory_limit") != std::string::npos);
  CHECK(refusal(model, {.memory_limit = 1.0, .buffer_fraction = 1}).find("buffer_fraction") != std::string::npos);
  CHECK(refusal(model, {.devices = 2, .memory_limit = 1.0, .stages_per_rank = 2}).find("limits what the order") !=
        std::string::npos);
  CHECK(refusal(model, {.schedule = schedule_kind::gpipe, .stages_per_rank = 2}).find("schedule = gpipe") !=
        std::string::npos);
  CHECK(refusal(model, {.schedule = schedule_kind::interleaved}).find("needs stages_per_rank above 1") != std::string::npos);
  CHECK(refusal(model, {.schedule = schedule_kind::zbv}).find("schedule = zbv, has 2 stages on each device") !=
        std::string::npos);
  CHECK(refusal(model, {.schedule = schedule_kind::sliced}).find("schedule = seq-1f1b, is not one that") !=
        std::string::npos);
  CHECK(refusal(model, {.devices = 2, .microbatches = 3, .schedule = schedule_kind::zb_h1}).find("microbatches = 3") !=
        std::string::npos);
  CHECK(refusal(model, {.schedule = schedule_kind::interleaved, .stages_per_rank = 2}).empty());
  CHECK(refusal(model, {.time_weight = 0.0 / 0.0}).find("time_weight") != std::string::npos);
  plan_request limited;
  for (const double each : {0.0 / 0.0, -1.0}) {
    limited.search.time_limit = each;
    CHECK(refusal(model, limited).find("plan_chain: search.time_limit = ") != std::string::npos);
  }
  limited.search.time_limit = 0.0;
  CHECK(refusal(model, limited).empty());
  CHECK(refusal(model, {.objective = stagecut::plan_objective::makespan}) ==
        "stagecut::plan_chain: objective = makespan, is what make_plan minimises");
  plan_request request;
  request.memory_accounting.checkpoint = checkpointing::except_last;
  CHECK(refusal(model, request).find("needs the schedule gpipe") != std::string::npos);
}

TEST_CASE("words that there are not") {
  const profile model = equal_layers(4);
  plan_request request;
  request.objective = static_cast<stagecut::plan_objective>(77);
  CHECK(refusal(model, request) ==
        "stagecut::plan_chain: objective = 77, must be automatic, makespan, bottleneck, leximax, range, "
        "variance, time-per-token, iteration, stage-time, pipeline-latency or communication");
  CHECK_THROWS_WITH_AS((void)stagecut::make_plan(model, request),
                       "stagecut::make_plan: objective = 77, must be automatic, makespan, bottleneck, leximax, range, "
                       "variance, time-per-token, iteration, stage-time, pipeline-latency or communication",
                       stagecut::argument_error);
  CHECK_THROWS_AS((void)stagecut::compare_plans(model, request, {}), stagecut::argument_error);
  request = {};
  request.by = static_cast<measure>(77);
  CHECK(refusal(model, request) == "stagecut::plan_chain: by = 77, must be a measure, time to time_and_memory");
  request = {};
  request.transfers = static_cast<stagecut::transfer_kind>(77);
  CHECK(refusal(model, request) == "stagecut::plan_chain: transfers = 77, must be link, latency, stream or blocking");
}

TEST_CASE("what make_plan refuses, it refuses in its own name") {
  profile model = equal_layers(4);
  const auto refused = [&](const plan_request& request, const char* what) {
    CHECK_THROWS_WITH_AS((void)stagecut::make_plan(model, request), what, stagecut::argument_error);
  };
  for (const double seconds : {0.0, 1.0}) {  // by the heaviest stage, by the makespan
    for (auto& layer : model.layers) layer.forward = layer.parameters = seconds;
    if (seconds == 0) model.layers[0].parameters = 1;
    plan_request request{.devices = 2, .microbatches = 4};
    request.forbidden_cuts = {4};
    refused(request, "stagecut::make_plan: forbidden_cuts[0] = 4, must be between two of 4 layers");
    request.forbidden_cuts.clear();
    request.kept_together = {{3, 5}};
    refused(request, "stagecut::make_plan: kept_together[0] = [3, 5), must be some of 4 layers");
    request.kept_together.clear();
    request.search.time_limit = -1;
    refused(request, "stagecut::make_plan: search.time_limit = -1.000000, must not be negative");
  }
  CHECK_THROWS_WITH_AS((void)stagecut::layer_blocks(model, {0}),
                       "stagecut::layer_blocks: forbidden_cuts[0] = 0, must be between two of 4 layers",
                       stagecut::argument_error);
}

TEST_CASE("a group that other layers part is refused, not cut") {
  profile model;
  model.layers.resize(4);
  for (auto& layer : model.layers) layer.forward = 1;
  model.layers[0].group = model.layers[3].group = "a";
  CHECK_THROWS_WITH_AS((void)stagecut::make_plan(model, {.devices = 2}),
                       "layer 3: group \"a\" was left at layer 1 and is entered again", stagecut::invalid_input);
  model.layers[1].group = model.layers[2].group = "a";
  CHECK_FALSE(stagecut::make_plan(model, {.devices = 2}));  // one block
}

TEST_CASE("a schedule that cannot run as asked is refused whatever is minimised") {
  const profile model = equal_layers(8);
  const auto both = [&](const plan_request& request) {
    std::string other;
    try {
      (void)stagecut::make_plan(model, request);
    } catch (const stagecut::argument_error& error) {
      other = error.what();
    }
    const auto after = [](const std::string& text) { return text.substr(text.find(": ") + 2); };
    CHECK(after(refusal(model, request)) == after(other));
    return after(other);
  };
  for (const auto kind : {schedule_kind::one_forward_one_backward, schedule_kind::interleaved}) {
    CHECK(both({.devices = 4, .microbatches = 6, .schedule = kind, .stages_per_rank = 2}) ==
          "microbatches = 6, must be a multiple of the devices, 4, for interleaved: 4 or 8 would do, or a group of 6, "
          "as in "
          "PyTorch");
    CHECK(both({.devices = 4, .microbatches = 3, .schedule = kind, .stages_per_rank = 2}) ==
          "microbatches = 3, must be a multiple of the devices, 4, for interleaved: 4 would do, or a group of 3, as in "
          "PyTorch");
  }
  CHECK(both({.devices = 2, .microbatches = (std::size_t{1} << 30U) + 1, .stages_per_rank = 2})
            .starts_with("microbatches = "));
  CHECK(both({.devices = 2, .microbatches = 4, .stages_per_rank = 2, .in_flight = {1, 1, 1, 1}}) ==
        "in_flight = {…}, is of one stage on each device: stages_per_rank must be 1");
  CHECK(refusal(model, {.devices = 2, .stages_per_rank = 2, .in_flight = {1, 1, 1, 1}}).find("in_flight = ") !=
        std::string::npos);
  for (const auto kind : {schedule_kind::gpipe, schedule_kind::eager_one_forward_one_backward}) {
    CHECK(both({.devices = 2, .microbatches = 4, .schedule = kind, .in_flight = {2, 1}}) ==
          std::string("schedule = ") + to_string(kind) + ", must be 1f1b for numbers in flight");
  }
  CHECK(both({.devices = 4, .microbatches = 9, .stages_per_rank = 2}) ==
        "microbatches = 9, must be a multiple of the devices, 4, for interleaved: 8 or 12 would do, or a group of 5");
  CHECK(both({.devices = 4, .microbatches = 9, .stages_per_rank = 2, .group = 4}) ==
        "group = 4, must be from the devices, 4, on and leave of 9 microbatches none or at least as many, or be all of "
        "them: 5 would do");
  CHECK(both({.devices = 4, .microbatches = 8, .group = 4}) ==
        "group = 4, is of several stages on each device: stages_per_rank must be above 1");
  CHECK(both({.devices = 4, .microbatches = 8, .schedule = schedule_kind::gpipe, .group = 4}) ==
        "group = 4, is of interleaved, not of gpipe");
  CHECK(refusal(model, {.devices = 4, .microbatches = 9, .stages_per_rank = 2, .group = 5}).empty());
  CHECK(refusal(model, {.devices = 4, .microbatches = 8, .stages_per_rank = 2}).empty());
  CHECK(refusal(model, {.devices = 4, .stages_per_rank = 2}).empty());
}

TEST_CASE("speeds are those of the devices, and a topology has room for them") {
  const profile model = equal_layers(4);
  CHECK(refusal(model, {.devices = 2, .speeds = {1, 0.5}}).empty());
  CHECK(refusal(model, {.devices = 2, .stages_per_rank = 2, .speeds = {1, 0.5}}).empty());
  CHECK(refusal(model, {.devices = 2, .speeds = {1}}) ==
        "stagecut::plan_chain: speeds.size() = 1, must be the number of devices");
  for (const double speed : {0.0, -1.0, 1.0 / 0.0, 0.0 / 0.0}) {
    CHECK(refusal(model, {.devices = 2, .speeds = {1, speed}}).find("speeds[1] = ") != std::string::npos);
  }
  const stagecut::topology nodes({2, 2}, {{0, 100}, {1, 10}});
  CHECK(refusal(model, {.devices = 4, .topology = nodes}).empty());
  CHECK(refusal(model, {.devices = 3, .links = {{1, 2}}, .topology = nodes}) ==
        "stagecut::plan_chain: links.size() = 1, must be 0 if there is a topology, which gives them");
  CHECK(refusal(equal_layers(9), {.devices = 5, .topology = nodes}) ==
        "stagecut::plan_chain: devices = 5, must not be above the devices of the topology, 4");
}

TEST_CASE("range and variance are of equal devices without messages") {
  using enum stagecut::plan_objective;
  const profile model = equal_layers(4);
  for (const auto objective : {range, variance}) {
    CHECK(refusal(model, {.devices = 2, .objective = objective}).empty());
    CHECK(refusal(model, {.devices = 2, .speeds = {1, 1}, .objective = objective}).find("is of equal devices") !=
          std::string::npos);
    CHECK(refusal(model, {.devices = 2, .links = {{1, 1}}, .objective = objective}).find("is of equal devices") !=
          std::string::npos);
    CHECK(refusal(model, {.devices = 2, .topology = stagecut::topology({2}, {{0, 1}}), .objective = objective})
              .find("is of equal devices") != std::string::npos);
  }
  CHECK(refusal(model, {.devices = 2, .speeds = {1, 1}, .links = {{1, 1}}, .objective = leximax}).empty());
}

TEST_CASE("links are one for all boundaries or one for each") {
  const profile model = equal_layers(4);
  CHECK(refusal(model, {.devices = 3, .links = {{1, 2}}}).empty());
  CHECK(refusal(model, {.devices = 3, .links = {{1, 2}, {0, 0}}}).empty());
  CHECK(refusal(model, {.devices = 4, .links = {{1, 2}, {0, 0}}}) ==
        "stagecut::plan_chain: links.size() = 2, must be 1 or the number of boundaries of stages");
  CHECK(refusal(model, {.devices = 3, .links = {{1, -1}}}).find("links[0].bandwidth = -1") != std::string::npos);
  CHECK(refusal(model, {.devices = 3, .links = {{-1, 1}}}).find("links[0].latency = -1") != std::string::npos);
}

TEST_CASE("the smallest group that would do is told: PyTorch's, where it has one") {
  for (std::size_t p = 1; p <= 9; ++p) {
    for (std::size_t m = 1; m <= 70; ++m) {
      if (m % p == 0) continue;
      CAPTURE(p);
      CAPTURE(m);
      std::size_t least = 1;
      while (!stagecut::detail::fits_group(p, m, least)) ++least;
      REQUIRE(stagecut::detail::smallest_group(p, m) == least);
      const std::size_t rounds = m < p ? 1 : m / p;
      if (m % rounds == 0) REQUIRE(least == m / rounds);
    }
  }
  const std::size_t most = ~std::size_t{0};
  CHECK(stagecut::detail::smallest_group(2, most) <= most);
}
