// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <stagecut/joint/profile_options.hpp>
#include <stagecut/profile/profile.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"

using namespace stagecut;

namespace {

layer_variant variant_of(const layer& of, const char* name, std::size_t ways, double slower, double kept) {
  layer_variant made;
  made.name = name;
  made.tensor_parallel = ways;
  made.forward = of.forward / static_cast<double>(ways);
  made.backward = (of.backward + slower) / static_cast<double>(ways);
  made.parameters = of.parameters / static_cast<double>(ways);
  made.activations = kept / static_cast<double>(ways);
  made.output = of.output;
  return made;
}

profile drawn_profile(std::mt19937& dice, std::size_t layers) {
  profile made;
  for (std::size_t i = 0; i < layers; ++i) {
    layer each;
    each.name = "layer" + std::to_string(i);
    each.forward = 1 + static_cast<double>(dice() % 9);
    each.backward = 2 * each.forward;
    each.parameters = static_cast<double>(dice() % 9);
    each.activations = 10 + static_cast<double>(dice() % 30);
    each.output = static_cast<double>(dice() % 5);
    each.workspace = static_cast<double>(dice() % 7);
    std::vector<layer_variant> ways;
    for (std::size_t k = dice() % 3; k-- > 0;) {
      ways.push_back(variant_of(each, k == 0 ? "full" : "half", 1, static_cast<double>(dice() % 9),
                                static_cast<double>(dice() % 10)));
    }
    each.recomputations = ways;
    if (dice() % 2 == 0) each.shardings = std::vector<layer_variant>{variant_of(each, "tp2", 2, 1, each.activations)};
    made.layers.push_back(each);
  }
  return made;
}

/// Of all mixtures of an interval on one device, the least time with `held` microbatches in the memory.
double least_time(const profile& model, std::size_t first, std::size_t last, double held, double memory) {
  double best = 1e300;
  std::vector<std::size_t> choice(last - first);
  for (;;) {
    double time = 0, kept = 0, stays = 0, work = 0;
    for (std::size_t i = first; i < last; ++i) {
      const layer& each = model.layers[i];
      const auto& ways = each.recomputations.get();
      const std::size_t c = choice[i - first];
      time += c == 0 ? each.forward + each.backward : ways[c - 1].forward + ways[c - 1].backward;
      kept += c == 0 ? each.activations : ways[c - 1].activations;
      work = std::max(work, c == 0 ? each.workspace : ways[c - 1].workspace);
      stays += 4 * each.parameters;
    }
    const double input = first == 0 ? 0 : model.layers[first - 1].output;
    const double output = last == model.layers.size() ? 0 : model.layers[last - 1].output;
    if (stays + work + 2 * (input + output) + held * kept <= memory) best = std::min(best, time);
    std::size_t at = 0;
    while (at < choice.size() && ++choice[at] > model.layers[first + at].recomputations.get().size()) choice[at++] = 0;
    if (at == choice.size()) return best;
  }
}

}  // namespace

TEST_CASE("the mixtures of an interval are all that count: against enumeration") {
  for (unsigned k = 0; k < 60; ++k) {
    std::mt19937 dice(k);
    const profile model = drawn_profile(dice, 5);
    const profile_options options(model, {});
    const std::size_t first = dice() % 4;
    const std::size_t last = first + 1 + dice() % (5 - first);
    const double memory = 20 + static_cast<double>(dice() % 300);
    for (const double held : {1.0, 2.0, 4.0}) {
      double best = 1e300;
      options.each_option({first, last, 1}, [&](const stage_option& option) {
        if (option.resident + held * option.activations <= memory) best = std::min(best, option.time);
      });
      CHECK(best == doctest::Approx(least_time(model, first, last, held, memory)).epsilon(1e-12));
    }
    CHECK(options.is_whole());
  }
}

TEST_CASE("options that are shown by growing stages are those of the stage alone, and tell their mixture") {
  std::mt19937 dice(3);
  const profile model = drawn_profile(dice, 6);
  device_choices choices;
  choices.machine = topology({4, 2}, {{1, 100}, {2, 10}});
  choices.replicas = {1, 2, 4};
  choices.tensor_parallel = {1, 2};
  const profile_options options(model, choices);
  for (std::size_t last = 1; last <= 6; ++last) {
    options.each_stage(last, [&](std::size_t first, const auto& stage) {
      for (std::size_t device = 1; device <= options.period(); ++device) {
        std::vector<stage_option> grown;
        std::vector<stage_option> alone;
        stage.each_option({first, last, device}, [&](const stage_option& option) { grown.push_back(option); });
        options.each_option({first, last, device}, [&](const stage_option& option) { alone.push_back(option); });
        CHECK(grown == alone);
        for (const stage_option& option : alone) {
          const std::vector<std::size_t> mixture = options.mixture(first, last, option);
          double forward = 0;
          for (std::size_t i = first; i < last; ++i) {
            forward += options.alternative(i, option.tensor_parallel, mixture[i - first]).forward;
          }
          CHECK(forward / static_cast<double>(option.replicas) == doctest::Approx(option.forward).epsilon(1e-12));
        }
      }
      return true;
    });
  }
}

TEST_CASE("replicas share samples and exchange gradients over the link of their devices") {
  profile model;
  layer each;
  each.name = "one";
  each.forward = 8;
  each.backward = 16;
  each.parameters = 100;
  each.activations = 40;
  each.output = 60;
  model.layers = {each, each};
  device_choices choices;
  choices.machine = topology({2, 2}, {{1, 100}, {3, 10}});
  choices.replicas = {2};
  const auto option_at = [&](std::size_t device) {
    stage_option found;
    profile_options(model, choices).each_option({1, 2, device}, [&](const stage_option& option) { found = option; });
    return found;
  };
  const stage_option inside = option_at(2);
  CHECK(inside.forward == 4);
  CHECK(inside.backward == 8);
  CHECK(inside.activations == 20);
  CHECK(inside.all_reduce == 2 * (1 + 50.0 / 100));  // two messages of half of the gradients
  CHECK(inside.message == 3 + 30.0 / 10);            // over the link between nodes, each replica its half
  const stage_option across = option_at(1);
  CHECK(across.all_reduce == 2 * (3 + 50.0 / 10));
  CHECK(across.message == 1 + 30.0 / 100);
  choices.own_microbatches = true;
  const stage_option own = option_at(2);
  CHECK(own.forward == 8);
  CHECK(own.activations == 40);
  CHECK(own.all_reduce == inside.all_reduce);
  CHECK(own.message == 3 + 60.0 / 10);
}

TEST_CASE("devices that share a layer lie close together") {
  profile model;
  layer each;
  each.name = "one";
  each.forward = 8;
  each.shardings = std::vector<layer_variant>{variant_of(each, "tp2", 2, 0, 0)};
  model.layers = {each};
  device_choices choices;
  choices.machine = topology({2, 2}, {{0, 100}, {0, 10}});
  choices.tensor_parallel = {2};
  std::size_t shown = 0;
  const profile_options options(model, choices);
  options.each_option({0, 1, 2}, [&](const stage_option&) { ++shown; });
  CHECK(shown == 1);
  options.each_option({0, 1, 1}, [&](const stage_option&) { ++shown; });  // one of each node
  CHECK(shown == 1);
}

TEST_CASE("groups and colocated parameters are not cut") {
  profile model;
  for (int i = 0; i < 5; ++i) {
    layer each;
    each.name = "layer" + std::to_string(i);
    each.forward = 1;
    if (i == 1 || i == 2) each.group = "pair";
    if (i == 2 || i == 4) each.tied = {{"words", 8, {}, tied_parameters::placement::colocated}};
    model.layers.push_back(each);
  }
  const profile_options options(model, {});
  std::vector<std::size_t> firsts;
  options.each_stage(5, [&](std::size_t first, const auto&) { return firsts.push_back(first), true; });
  CHECK(firsts == std::vector<std::size_t>{1, 0});
  options.each_stage(2, [&](std::size_t first, const auto&) { return firsts.push_back(first), true; });
  CHECK(firsts.size() == 2);
}

TEST_CASE("where there are too many mixtures, those that stand for several are as good as each") {
  profile model;
  for (int i = 0; i < 11; ++i) {
    layer each;
    each.name = "layer" + std::to_string(i);
    each.forward = 1;
    each.backward = 2;
    each.activations = 1000 + 17 * i;
    each.recomputations = std::vector<layer_variant>{variant_of(each, "full", 1, 1 + 0.37 * i, 10),
                                                     variant_of(each, "half", 1, 0.4 + 0.11 * i, 400 + 3 * i)};
    model.layers.push_back(each);
  }
  device_choices choices;
  const profile_options few(model, choices);
  CHECK_FALSE(few.is_whole());
  choices.relaxed = true;
  const profile_options relaxed(model, choices);
  for (const double memory : {500.0, 2000.0, 4000.0, 6000.0, 8000.0}) {
    const auto best_of = [&](const profile_options& options) {
      double best = 1e300;
      options.each_option({0, 11, 1}, [&](const stage_option& option) {
        if (option.resident + option.activations <= memory) best = std::min(best, option.time);
      });
      return best;
    };
    const double truth = least_time(model, 0, 11, 1, memory);
    CHECK(best_of(relaxed) <= truth * (1 + 1e-12));
    CHECK(best_of(few) >= truth * (1 - 1e-12));
    CHECK(best_of(few) <= 1.1 * best_of(relaxed));
  }
}

TEST_CASE("choices and profiles that make no sense are refused") {
  profile model;
  layer each;
  each.name = "one";
  model.layers = {each};
  const auto said = [&](const device_choices& choices) {
    return refusal([&] { (void)profile_options(model, choices); });
  };
  CHECK(said({.replicas = {}}) == "stagecut::profile_options: replicas = {}, must have a number");
  CHECK(said({.tensor_parallel = {0}}) == "stagecut::profile_options: tensor_parallel = 0, must be at least 1");
  CHECK(said({.gradient_bytes = -1}) == "stagecut::profile_options: gradient_bytes = -1, must be finite and not negative");
  model.layers[0].recomputations = std::vector<layer_variant>{layer_variant{"full"}};
  CHECK(said({.recomputations = {"half"}}) ==
        "layer 0 (\"one\"): has none of the recomputations that were asked for, from \"half\" on");
  model.layers[0].output = 3;
  CHECK(said({}) == "layer 0 (\"one\"): recomputation \"full\": output = 0, must be the layer's, 3");
  model.layers[0].shardings = model.layers[0].recomputations;
  model.layers[0].recomputations = std::vector<layer_variant>{};
  CHECK(said({}) == "layer 0 (\"one\"): variant \"full\" has another output than the layer");
}
