// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/joint/baselines/sapp_surrogate.hpp>
#include <stagecut/joint/minimize_recomputation.hpp>
#include <stagecut/joint/sequence_split.hpp>
#include <stagecut/joint/simulate_recomputation.hpp>
#include <stagecut/schedule/in_flight_vectors.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "../refusal.hpp"
#include "sapp_cases.hpp"

using joint_tests::json;
using joint_tests::megabyte;
using namespace stagecut;

namespace {

constexpr sequence_figures figures{.batch = 8,
                                   .length = 8192,
                                   .hidden = 4096,
                                   .heads = 32,
                                   .head_width = 128,
                                   .vocabulary = 32000,
                                   .tensor_parallel = 4};

/// What SAPP's test of sequences in parts is given, in MB.
recompute_model whole_sequences() {
  recompute_model model;
  model.types.push_back({.name = "BODY",
                         .forward = 180,
                         .resident = 368 * megabyte,
                         .workspace = 5,
                         .sent_bytes = 64,
                         .choices = {{"none", 360, 180, 4229 * megabyte},
                                     {"select", 374.4, 180, 4098 * megabyte},
                                     {"full", 540, 180, 300 * megabyte},
                                     {"little", 500, 180, 32 * megabyte}}});
  model.layers.assign(16, 0);
  model.head = {.name = "HEAD", .forward = 30, .resident = 5288 * megabyte, .sent_bytes = 64, .choices = {{"none", 60}}};
  model.tail = {.name = "TAIL", .forward = 90, .resident = 10030 * megabyte, .choices = {{"none", 180, 0, 10}}};
  return model;
}

}  // namespace

TEST_CASE("times and memory of a slice, as SAPP converts them") {
  const recompute_model half = sequence_split(whole_sequences(), figures, 2);
  const layer_type& body = half.types.at(0);
  CHECK(body.resident == 880 * megabyte);
  REQUIRE(body.choices.size() == 2);
  CHECK(body.choices[0] == recompute_choice{"none", 180, 90, 2242.5 * megabyte});
  CHECK(body.choices[1] == recompute_choice{"select", 187.2, 90, 2177 * megabyte});
  CHECK(body.forward == 90);
  CHECK(body.sent_bytes == 32);
  CHECK(body.workspace == 5);
  CHECK(half.head.resident == 4904 * megabyte);
  CHECK(half.head.forward == 15);
  CHECK(half.tail.resident == 8030 * megabyte);
  CHECK(half.tail.choices[0] == recompute_choice{"none", 90, 0, 5});
  CHECK(sequence_split(whole_sequences(), figures, 1) == whole_sequences());
}

TEST_CASE("an equal part of everything but what stays, where nothing is known of the run") {
  recompute_model whole = whole_sequences();
  whole.types[0].choices[1].recomputed_whole = 8;
  whole.types[0].choices[1].recomputed_apart = 4;
  const recompute_model quarter = sequence_split(whole, 4);
  const layer_type& body = quarter.types.at(0);
  CHECK(body.forward == 45);
  CHECK(body.sent_bytes == 16);
  CHECK(body.workspace == 5);
  CHECK(body.resident == whole.types[0].resident);
  REQUIRE(body.choices.size() == 3);  // all but full
  CHECK(body.choices[0] == recompute_choice{"none", 90, 45, 4229 * megabyte / 4});
  CHECK(body.choices[1] == recompute_choice{"select", 93.6, 45, 4098 * megabyte / 4, 0, 2, 1});
  CHECK(body.choices[2].name == "little");
  CHECK(quarter.head.resident == whole.head.resident);
  CHECK(quarter.tail.choices[0] == recompute_choice{"none", 45, 0, 2.5});
  CHECK(sequence_split(whole, 1) == whole);
  CHECK(refusal([&] { return sequence_split(whole, 0); }) ==
        "stagecut::sequence_split: slices = 0, must be at least 1");
  whole.types[0].choices = {whole.types[0].choices[2]};
  CHECK(refusal<invalid_input>([&] { return sequence_split(whole, 2); }) ==
        "type \"BODY\": no choice but full, which would compute keys and values again that later slices read");
}

TEST_CASE("without tensor parallelism the head keeps the inner layer") {
  sequence_figures alone{.batch = 1, .length = 1024, .hidden = 512, .heads = 4, .head_width = 128, .vocabulary = 100};
  recompute_model model;
  model.types.push_back({.forward = 1, .choices = {{"none", 2, 0, 8 * megabyte}}});
  model.layers.assign(2, 0);
  model.head.resident = 64 * megabyte;
  CHECK(sequence_split(model, alone, 4).head.resident ==
        64 * megabyte - 0.75 * (2 * 1024.0 * 512 + 2 * 1024.0 * 11008));
  alone.feed_forward = 2048;
  CHECK(sequence_split(model, alone, 4).head.resident == 64 * megabyte - 0.75 * (2 * 1024.0 * 512 + 2 * 1024.0 * 2048));
  CHECK(sequence_split(model, alone, 4).tail == layer_type{});
}

TEST_CASE("SAPP's strategy for slices needs what its solver says") {
  // The published peaks of its test: 8 ranks, 32 microbatches, 2 slices.
  recompute_model half = sequence_split(whole_sequences(), figures, 2);
  half.types[0].workspace = half.tail.choices[0].activations = 0;  // of which SAPP knows nothing
  recompute_request request{.schedule = sequence_split_order(8, 1, 32, 2)};
  const std::vector<std::size_t> counts{1, 2, 2, 2, 2, 2, 3, 2};
  std::vector<std::size_t> choices(16, 0);
  choices[1] = choices[2] = 1;
  const auto run = simulate_recomputation(half, request, cuts::from_sizes(counts), choices);
  const std::vector<double> peaks{25966.5, 36592, 33155, 28670, 24185, 19700, 22822.5, 18760};
  for (std::size_t r = 0; r < 8; ++r) CHECK(run.memory[r] == peaks[r] * megabyte);

  request.memory_limit = 40000 * megabyte;
  request.search.time_limit.reset();
  request.search.node_limit = 100'000;
  const auto plan = minimize_recomputation(half, request);
  REQUIRE(plan.has_value());
  CHECK(plan->value <= run.makespan);
  CHECK(sapp_objective(half, request, cuts::from_sizes(counts), choices) == doctest::Approx(810).epsilon(1e-12));
  CHECK(minimize_sapp_surrogate(half, request)->value == doctest::Approx(810).epsilon(1e-12));  // proved by SAPP
  MESSAGE("makespan ", run.makespan, ", at best ", plan->value, " with bound ", plan->bound);
}

TEST_CASE("slices in flight") {
  const auto all = joint_tests::sapp_cases();
  const auto compare = [](std::size_t ranks, std::size_t units, std::size_t slices,
                          const std::vector<std::size_t>& said) {
    const auto found = in_flight_vectors(sequence_split_order(ranks, 1, units / slices, slices));
    for (std::size_t r = 0; r < ranks; ++r) CHECK(found[r] == std::vector<std::vector<std::size_t>>{{said[r]}});
  };
  compare(8, 64, 2, {9, 8, 7, 6, 5, 4, 3, 2});
  compare(3, 12, 4, {6, 5, 4});
  if (!all) return;
  const json& converted = all->at("seq_memory_conversion");
  const recompute_model half = sequence_split(whole_sequences(), figures, 2);
  CHECK(half.types[0].resident == converted.at("body_parameter").at(1).get<double>() * megabyte);
  CHECK(half.types[0].choices[0].activations == converted.at("activation_none").at(1).get<double>() * megabyte);
  CHECK(half.types[0].choices[1].activations == converted.at("activation_slct").at(1).get<double>() * megabyte);
  CHECK(half.head.resident == converted.at("head").at(1).get<double>() * megabyte);
  CHECK(half.tail.resident == converted.at("tail").at(1).get<double>() * megabyte);
  for (const json& each : all->at("seq_activation_numbers")) {
    const auto number = [&](const char* of) { return each.at(of).get<std::size_t>(); };
    if (number("vpp") != 1) {
      CHECK_THROWS_AS((void)sequence_split_order(number("pp"), number("vpp"), 8, number("seq")), argument_error);
      continue;
    }
    compare(number("pp"), number("micro_chunks"), number("seq"),
            each.at("activation_nums").at(0).get<std::vector<std::size_t>>());
  }
}

TEST_CASE("slices that there cannot be") {
  recompute_model model = whole_sequences();
  CHECK(refusal([&] { return sequence_split(model, figures, 0); }) ==
        "stagecut::sequence_split: slices = 0, must be at least 1");
  CHECK(refusal([&] { return sequence_split(model, {.batch = 0}, 2); }) ==
        "stagecut::sequence_split: figures.batch = 0, must be at least 1");
  CHECK(refusal([] { return sequence_split_order(4, 2, 8, 2); }) ==
        "stagecut::sequence_split_order: stages_per_rank = 2, must be 1: no order of slices is known for more");
  model.types[0].choices.erase(model.types[0].choices.begin(), model.types[0].choices.begin() + 2);
  CHECK(refusal<invalid_input>([&] { return sequence_split(model, figures, 2); }) ==
        "type \"BODY\": no choice keeps keys and values, 268435456 bytes");
  model = whole_sequences();
  model.tail.resident = megabyte;
  CHECK(refusal<invalid_input>([&] { return sequence_split(model, figures, 2); }).find("tail: would take -") == 0);
}
