// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/training_memory.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

using stagecut::checkpointing;
using stagecut::layer;
using stagecut::memory_options;
using stagecut::profile;
using stagecut::stage_memory;
using stagecut::training_memory;

namespace {

/// Layers of random whole bytes; some share parameters, some know what stays of them.
profile random_profile(std::mt19937& random, std::size_t n) {
  const auto bytes = [&] { return static_cast<double>(random() % 100); };
  profile model;
  for (std::size_t i = 0; i < n; ++i) {
    layer each;
    each.parameters = bytes();
    each.activations = bytes();
    each.output = bytes();
    each.workspace = bytes();
    if (random() % 3 == 0) each.resident = bytes();
    for (const char* name : {"a", "b"}) {
      if (random() % 3 == 0) each.tied.push_back({name, 7, std::nullopt, {}});
    }
    model.layers.push_back(each);
  }
  return model;
}

/// The definition, by adding up.
stage_memory by_definition(const profile& model, const memory_options& options, std::size_t first, std::size_t last,
                           std::size_t in_flight) {
  stage_memory result;
  std::set<std::string> seen;
  double activations = 0;
  for (std::size_t i = first; i < last; ++i) {
    const layer& each = model.layers[i];
    result.resident +=
        options.use_resident && each.resident ? *each.resident : each.parameters * options.parameter_multiplier;
    for (const auto& tied : each.tied) {
      if (seen.insert(tied.name).second) result.resident += tied.bytes * options.parameter_multiplier;
    }
    activations += each.activations;
    result.workspace = std::max(result.workspace, each.workspace);
  }
  const double input = first == 0 ? 0 : model.layers[first - 1].output;
  const double output = last == model.layers.size() ? 0 : model.layers[last - 1].output;
  const auto n = static_cast<double>(in_flight);
  switch (options.checkpoint) {
    case checkpointing::never: result.activations = n * activations; break;
    case checkpointing::except_last: result.activations = (n - 1) * input + activations; break;
    case checkpointing::always: result.activations = n * input + activations; break;
  }
  result.buffers = options.boundary_buffers * (input + output);
  return result;
}

}  // namespace

TEST_CASE("every stage of random chains takes what the definition says, and its least is no more") {
  std::mt19937 random(1);
  std::size_t compared = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random() % 12;
    const profile model = random_profile(random, n);
    memory_options options;
    options.parameter_multiplier = static_cast<double>(random() % 9);
    options.use_resident = random() % 2 == 0;
    options.checkpoint = static_cast<checkpointing>(random() % 3);
    options.boundary_buffers = static_cast<double>(random() % 3);
    const training_memory memory(model, options);
    REQUIRE(memory.size() == n);
    for (std::size_t first = 0; first < n; ++first) {
      for (std::size_t last = first + 1; last <= n; ++last) {
        const std::size_t in_flight = 1 + random() % 5;
        const stage_memory expected = by_definition(model, options, first, last, in_flight);
        REQUIRE(memory(first, last, in_flight) == expected);
        for (std::size_t wider = last; wider <= n; ++wider) {
          REQUIRE(memory.least(first, last, in_flight) <= memory(first, wider, in_flight).total());
        }
        const stagecut::memory_cap cap(memory, {1, in_flight}, expected.total());
        REQUIRE(cap(1, first, last));
        REQUIRE_FALSE(cap.hopeless(1, first, last));
        const stagecut::memory_cap tight(memory, {1, in_flight}, expected.total() - 1);
        REQUIRE_FALSE(tight(1, first, last));
        ++compared;
      }
    }
  }
  CHECK(compared > 5000);
}

TEST_CASE("a tied matrix counts once on a stage, and on every stage that uses it") {
  profile model;
  model.layers.resize(3);
  model.layers[0].tied = model.layers[2].tied = {{"embedding", 100, std::nullopt, {}}};
  model.layers[1].parameters = 10;
  const training_memory memory(model, {.parameter_multiplier = 8});
  CHECK(memory(0, 3, 1).resident == 880);
  CHECK(memory(0, 2, 1).resident == 880);
  CHECK(memory(1, 2, 1).resident == 80);
  CHECK(memory(2, 3, 1).resident == 800);
  model.layers[0].tied[0].resident = model.layers[2].tied[0].resident = 300;
  CHECK(training_memory(model)(0, 3, 1).resident == 340);
}

TEST_CASE("fractions: wider stages take no less, as computed, and what is hopeless stays so") {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> real(0, 1000);
  for (int round = 0; round < 1000; ++round) {
    const std::size_t n = 2 + random() % 12;
    const double tied[] = {real(random), real(random), real(random), real(random)};
    profile model;
    for (std::size_t i = 0; i < n; ++i) {
      layer each;
      each.parameters = real(random);
      each.activations = real(random);
      each.output = real(random);
      each.workspace = real(random);
      for (std::size_t name = 0; name < 4; ++name) {
        if (random() % 3 == 0) each.tied.push_back({std::to_string(name), tied[name], std::nullopt, {}});
      }
      model.layers.push_back(each);
    }
    memory_options options;
    options.parameter_multiplier = real(random) / 100;
    options.checkpoint = static_cast<checkpointing>(random() % 3);
    const training_memory memory(model, options);
    for (std::size_t first = 0; first < n; ++first) {
      for (std::size_t last = first + 1; last <= n; ++last) {
        const std::size_t in_flight = 1 + random() % 5;
        const double share = memory.share(first, last, in_flight);
        if (first > 0) REQUIRE(share <= memory.share(first - 1, last, in_flight));
        if (last < n) REQUIRE(share <= memory.share(first, last + 1, in_flight));
        REQUIRE(share <= memory(first, last, in_flight).total());
        const double least = memory.least(first, last, in_flight);
        for (std::size_t wider = last; wider <= n; ++wider) {
          REQUIRE(least <= memory.least(first, wider, in_flight));
          REQUIRE(least <= memory(first, wider, in_flight).total());
        }
      }
    }
  }
}

TEST_CASE("options and sums that are out of range are refused") {
  profile model;
  model.layers.resize(2);
  CHECK_THROWS_WITH_AS(training_memory(model, {.parameter_multiplier = -1}),
                       doctest::Contains("parameter_multiplier = -1"), stagecut::argument_error);
  CHECK_THROWS_WITH_AS(training_memory(model, {.boundary_buffers = 1.0 / 0.0}),
                       doctest::Contains("boundary_buffers = inf"), stagecut::argument_error);
  model.layers[1].tied = {{"embedding", 1e308, std::nullopt, {}}};
  CHECK_THROWS_WITH_AS(training_memory{model}, doctest::Contains("layer 1"), stagecut::invalid_input);
  model.layers[1].tied.clear();
  model.layers[0].activations = model.layers[1].activations = 1.7e308;
  CHECK_THROWS_WITH_AS(training_memory{model}, doctest::Contains("item 1"), stagecut::invalid_input);
  model.layers[0].output = 0.0 / 0.0;
  CHECK_THROWS_WITH_AS(training_memory{model}, doctest::Contains("output = NaN"), stagecut::invalid_input);
}

TEST_CASE("the modes have torchgpipe's names") {
  CHECK(std::string(to_string(checkpointing::never)) == "never");
  CHECK(std::string(to_string(checkpointing::except_last)) == "except_last");
  CHECK(std::string(to_string(checkpointing::always)) == "always");
}

TEST_CASE("a cap of bytes that are no number is refused") {
  profile model;
  model.layers.resize(1);
  const training_memory memory(model);
  CHECK_THROWS_WITH_AS(stagecut::memory_cap(memory, {1}, std::numeric_limits<double>::quiet_NaN()),
                       "stagecut::memory_cap: bytes = NaN, must be a number", stagecut::argument_error);
  CHECK(stagecut::memory_cap(memory, {1}, std::numeric_limits<double>::infinity())(0, 0, 1));
}

TEST_CASE("a cap asked for stages or layers that it does not know throws") {
  profile model;
  model.layers.resize(2);
  const training_memory memory(model);
  const stagecut::memory_cap cap(memory, {2, 1}, 1e9);
  CHECK(cap(1, 0, 1));
  CHECK_THROWS_WITH_AS(static_cast<void>(cap(2, 0, 1)),
                       "stagecut::memory_cap: in_flight.size() = 2, must be the number of stages, above 2",
                       stagecut::argument_error);
  CHECK_THROWS_AS(static_cast<void>(cap.hopeless(2, 0, 1)), stagecut::argument_error);
  CHECK_THROWS_WITH_AS(static_cast<void>(cap(0, 0, 3)),
                       "stagecut::memory_cap: memory.size() = 2, must be the number of layers, at least 3",
                       stagecut::argument_error);
}

TEST_CASE("a cap holds a copy of the memory, or a reference to it") {
  profile small;
  small.layers.resize(2);
  for (auto& layer : small.layers) layer.activations = 10;
  profile large = small;
  large.layers[0].activations = 1000;

  const auto made = [&] {
    const training_memory memory(small);
    return stagecut::memory_cap(memory, {1, 1}, 15);
  };
  CHECK(made()(0, 0, 1));
  CHECK_FALSE(made()(1, 0, 2));
  CHECK(made().hopeless(1, 0, 2));
  CHECK(stagecut::memory_cap(training_memory(small), {1, 1}, {15, 25})(1, 0, 2));

  training_memory memory(small);
  const stagecut::memory_cap copied(memory, {1, 1}, 15);
  const stagecut::memory_cap referred(std::cref(memory), {1, 1}, 15);
  const stagecut::memory_cap each(std::ref(memory), {1, 1}, {15, 15});
  memory = training_memory(large);
  CHECK(copied(0, 0, 1));
  CHECK_FALSE(referred(0, 0, 1));
  CHECK_FALSE(each(0, 0, 1));
  using by_reference = stagecut::memory_cap<const training_memory&>;
  static_assert(std::is_same_v<decltype(referred), const by_reference>);
  static_assert(std::is_same_v<decltype(each), const by_reference>);
  static_assert(std::is_constructible_v<by_reference, const training_memory&, std::vector<std::size_t>, double>);
  static_assert(!std::is_constructible_v<by_reference, training_memory, std::vector<std::size_t>, double>);
  static_assert(!std::is_constructible_v<by_reference, training_memory, std::vector<std::size_t>, std::vector<double>>);
}
