// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/memory_shortage.hpp>

#include <stagecut/plan/layer_blocks.hpp>
#include <stagecut/schedule/in_flight.hpp>
#include <stagecut/sequence/minimize_bottleneck.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <string>
#include <vector>

using stagecut::layer_blocks;
using stagecut::memory_shortage;
using stagecut::microbatches_in_flight;
using stagecut::profile;
using stagecut::reason;
using stagecut::training_memory;

namespace {

std::vector<std::size_t> one_forward_one_backward(std::size_t stages) {
  return microbatches_in_flight(stagecut::schedule_kind::one_forward_one_backward, stages, 0);
}

/// The memory of the fullest stage where that is least, by trying all cuts.
double least_fullest(const training_memory& memory, std::size_t stages) {
  const auto in_flight = one_forward_one_backward(stages);
  std::optional<double> best;
  std::vector<std::size_t> points{0};
  const auto extend = [&](const auto& self, double fullest) -> void {
    const std::size_t s = points.size() - 1;
    for (std::size_t last = points.back() + 1; last <= memory.size(); ++last) {
      if (s + 1 == stages && last != memory.size()) continue;
      const double here = std::max(fullest, memory(points.back(), last, in_flight[s]).total());
      points.push_back(last);
      if (s + 1 < stages) {
        self(self, here);
      } else if (!best || here < *best) {
        best = here;
      }
      points.pop_back();
    }
  };
  extend(extend, 0);
  return *best;
}

}  // namespace

TEST_CASE("on random chains the bytes and the number of devices are those of all cuts") {
  std::mt19937 random(5);
  int large = 0;
  int full = 0;
  for (int round = 0; round < 1500; ++round) {
    const std::size_t n = 2 + random() % 7;
    const std::size_t k = 1 + random() % n;
    profile model;
    model.layers.resize(n);
    for (auto& layer : model.layers) {
      layer.parameters = static_cast<double>(random() % 50);
      layer.activations = static_cast<double>(random() % 20);
      layer.output = static_cast<double>(random() % 10);
    }
    const training_memory memory(model, {.parameter_multiplier = 1});
    const double needed = least_fullest(memory, k);
    const double bytes = std::floor(needed * static_cast<double>(random() % 100) / 100);
    if (bytes < 1) continue;
    const reason why = memory_shortage(model, layer_blocks(model), memory, one_forward_one_backward(k), bytes,
                                       one_forward_one_backward);
    CAPTURE(why.text());
    REQUIRE(static_cast<double>(why.available) == bytes);
    if (why.what == reason::cause::memory) {
      ++full;
      REQUIRE(static_cast<double>(why.needed) == needed);
    } else {
      ++large;
      REQUIRE(why.what == reason::cause::layer_too_large);
      REQUIRE(static_cast<double>(why.needed) > bytes);
      REQUIRE(static_cast<double>(why.needed) <= needed);
    }
    REQUIRE(why.remedy.find(
                stagecut::detail::joined({static_cast<std::size_t>(needed), " bytes a device would do; "})) == 0);
    std::size_t devices = 1;
    while (devices <= n && least_fullest(memory, devices) > bytes) ++devices;
    const std::string number = std::to_string(devices > n ? n : devices);
    const std::string expected = devices > n ? stagecut::detail::joined({"; no number of devices up to ", number})
                                             : stagecut::detail::joined({"; ", number, " device"});
    REQUIRE(why.remedy.find(expected) != std::string::npos);
  }
  CHECK(large > 200);
  CHECK(full > 200);
}

TEST_CASE("what is named") {
  profile model;
  model.layers.resize(3);
  model.layers[0].name = "embedding";
  model.layers[1].name = "body";
  model.layers[2].name = "head";
  model.layers[0].parameters = 10;
  model.layers[1].parameters = 100;
  model.layers[2].parameters = 60;
  const auto ask = [&](std::size_t stages, double bytes) {
    const training_memory memory(model, {.parameter_multiplier = 1});
    return memory_shortage(model, layer_blocks(model), memory, one_forward_one_backward(stages), bytes,
                           one_forward_one_backward)
        .text();
  };
  CHECK(ask(2, 99) ==
        "layer 1 (\"body\") needs at least 100 bytes, and a device has 99 bytes; 110 bytes a device would do; no "
        "number of devices up to 3 would do");
  CHECK(ask(3, 99) ==
        "layer 1 (\"body\") needs at least 100 bytes, and a device has 99 bytes; 100 bytes a device would do; no "
        "number of "
        "devices up to 3 would do");
  CHECK(ask(1, 120) ==
        "layer 2 (\"head\") finds no place: the fullest of 1 stage needs at least 170 bytes, and a device has 120 "
        "bytes; 170 bytes a device would do; 2 devices would do");
  model.layers[1].group = model.layers[2].group = "end";
  CHECK(ask(2, 150) ==
        "the group of layers 1 to 2 (\"body\" to \"head\") needs at least 160 bytes, and a device has 150 bytes; 160 "
        "bytes a device would do; no number of devices up to 2 would do");
}

TEST_CASE("without a schedule no number of devices is named, and sums beyond all bytes end") {
  profile model;
  model.layers.resize(2);
  for (auto& layer : model.layers) layer.activations = 1.5e308 / 2;
  const training_memory memory(model);
  const auto none = [](std::size_t) { return std::vector<std::size_t>(); };
  const reason why = memory_shortage(model, layer_blocks(model), memory, {1, 1}, 10, none);
  CHECK(why.what == reason::cause::layer_too_large);
  CHECK(why.remedy.find("device") == std::string::npos);
}

TEST_CASE("a degree is named that layers offer, in total, if stages fit with their shardings") {
  profile model;
  model.layers.resize(4);
  for (auto& layer : model.layers) {
    layer.parameters = 100;
    stagecut::layer_variant two{"tp2", 2}, full{"tp4+full", 4}, four{"tp4", 4};
    two.parameters = 50, four.parameters = 25, full.parameters = 25;
    full.recomputation = "full";
    four.activations = 5;
    layer.shardings = std::vector<stagecut::layer_variant>{full, four, two};
  }
  model.layers[3].shardings = std::vector<stagecut::layer_variant>{};  // one that runs whole on each of them
  const auto ask = [&](double bytes) {
    const training_memory memory(model, {.parameter_multiplier = 1});
    return memory_shortage(model, layer_blocks(model), memory, one_forward_one_backward(1), bytes,
                           [](std::size_t) { return std::vector<std::size_t>(); })
        .remedy;
  };
  CHECK(ask(250) == "sharding every layer 2 ways would do");  // 3 * 50 + 100; 400 / 250 is 2, too
  CHECK(ask(249) == "sharding every layer 4 ways would do");
  CHECK(ask(190) == "sharding every layer 4 ways would do");  // 3 * (25 + 5) + 100, without recomputation
  CHECK(ask(189) == "400 bytes a device would do");           // 3 ways is no degree
}

TEST_CASE("the bytes that would do hold all layers, and what makes no question is told") {
  profile model;
  model.layers.resize(4);
  const double parameters[] = {1, 1, 0, 55};
  for (std::size_t i = 0; i < 4; ++i) model.layers[i].parameters = parameters[i];
  model.layers[2].activations = 100;
  const training_memory memory(model, {.parameter_multiplier = 1});
  const stagecut::cuts blocks = layer_blocks(model);
  const auto ask = [&](std::size_t stages, double bytes) {
    return memory_shortage(model, blocks, memory, one_forward_one_backward(stages), bytes, one_forward_one_backward);
  };
  // On stage 1 of 3, by itself, layer 2 keeps two microbatches; on the last, one, with layer 3.
  CHECK(ask(3, 60).remedy.find("155 bytes a device would do") == 0);
  CHECK(ask(1, 60).remedy.find("157 bytes a device would do") == 0);
  CHECK(ask(5, 60).what == reason::cause::more_stages_than_layers);
  CHECK_THROWS_WITH_AS((void)ask(0, 60), doctest::Contains("in_flight = {}"), stagecut::argument_error);
  const reason close = ask(1, 156.5);
  CHECK(close.needed == 157);
  CHECK(close.available == 156);
}

TEST_CASE("who stops it is told what is known by then") {
  profile model;
  model.layers.resize(3000);
  for (std::size_t i = 0; i < 3000; ++i) model.layers[i].activations = static_cast<double>(i % 31 + 1);
  const training_memory memory(model);
  std::size_t asked = 0;
  const auto ask = [&](std::size_t most) {
    asked = 0;
    const auto stop = [&] { return ++asked > most; };
    stagecut::search_options limits;
    limits.stop = stop;
    return memory_shortage(model, layer_blocks(model), memory, one_forward_one_backward(32), 9000,
                           one_forward_one_backward, limits);
  };
  const reason all = ask(~std::size_t{0});
  const std::size_t whole = asked;
  CHECK(whole > 1000);
  CHECK(all.remedy.find("devices would do") != std::string::npos);
  const reason soon = ask(3);
  CHECK(asked < 100);  // each question that follows asks once more
  CHECK(soon.what == reason::cause::memory);
  CHECK(soon.needed <= all.needed);
  CHECK(soon.remedy.find("devices would do") == std::string::npos);

  stagecut::search_options no_time;
  no_time.time_limit = 0;
  const reason at_once = memory_shortage(model, layer_blocks(model), memory, one_forward_one_backward(32), 9000,
                                         one_forward_one_backward, no_time);
  CHECK(at_once.what == reason::cause::memory);
  CHECK(at_once.remedy.find("devices would do") == std::string::npos);
}

TEST_CASE("bytes that are none, and a time limit that is none, are refused") {
  profile model;
  model.layers.resize(2);
  const training_memory memory(model);
  const auto ask = [&](double bytes, const stagecut::search_options& limits) {
    return memory_shortage(model, layer_blocks(model), memory, {1}, bytes, one_forward_one_backward, limits);
  };
  for (const double bytes : {std::nan(""), HUGE_VAL, -1.0}) CHECK_THROWS_AS((void)ask(bytes, {}), stagecut::argument_error);
  stagecut::search_options limits;
  limits.time_limit = std::nan("");
  CHECK_THROWS_WITH_AS((void)ask(1, limits), "stagecut::memory_shortage: search.time_limit = NaN, must be a number",
                       stagecut::argument_error);
}
