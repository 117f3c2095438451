// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/outcome.hpp>
#include <stagecut/io/frameworks/formats.hpp>
#include <stagecut/io/frameworks/megatron.hpp>
#include <stagecut/joint/plan_hybrid.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/targets.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"
#include "two_nodes.hpp"

using namespace stagecut;
using joint_tests::check_holds;
using joint_tests::sixteen;
using joint_tests::two_nodes;

namespace {

/// An embedding, decoders, a norm and a head, all of which may be recomputed.
profile small_model(std::size_t decoders) {
  profile made = sixteen();
  made.layers.resize(decoders);
  for (const auto& [name, kind] : {std::pair("norm", "norm"), std::pair("output", "head")}) {
    made.layers.push_back(made.layers[0]);
    made.layers.back().name = name;
    made.layers.back().kind = kind;
    made.layers.back().forward = kind == std::string("head") ? 0.02 : 0.001;
  }
  made.layers.insert(made.layers.begin(), made.layers[0]);
  made.layers[0].name = "tok_embeddings";
  made.layers[0].kind = "embedding";
  return made;
}

/// The best iteration of all plans of a model of few layers that a writer takes, each searched for with its stages as the
/// only ones allowed.
template <class Write>
double best_written(const profile& model, hybrid_plan_request asked, const Write& write) {
  asked.target = framework::none;
  asked.alike = true;
  const std::size_t n = model.layers.size();
  double best = 1e300;
  for (std::size_t cut = 0; cut < std::size_t{1} << (n - 1); ++cut) {
    const auto allowed = [&](std::size_t first, std::size_t last) {
      for (std::size_t point = first; point <= last; ++point) {
        const bool is_cut = point == 0 || point == n || (cut >> (point - 1) & 1) != 0;
        if (is_cut != (point == first || point == last)) return false;
      }
      return true;
    };
    asked.choices.allowed = allowed;
    for (const std::string& name : asked.choices.recomputations) {
      hybrid_plan_request one = asked;
      one.choices.recomputations = {name};
      const auto found = plan_hybrid(model, one);
      if (!found) continue;
      try {
        (void)write(*found);
        best = std::min(best, found->objective.value);
      } catch (const not_representable&) {
      }
    }
  }
  return best;
}

}  // namespace

TEST_CASE("a framework's plan is the best of those that its writer takes") {
  std::size_t dearer = 0;  // plans without a layout
  for (const double memory : {80e9, 30e9, 22e9, 0.0}) {
    CAPTURE(memory);
    hybrid_plan_request asked = two_nodes(memory);
    asked.choices.recomputations = {"none", "full"};
    asked.choices.ways = {1, 2};
    asked.choices.replicas = {1, 2};
    if (memory == 0) {  // four stages of one device
      asked = hybrid_plan_request();
      asked.pipeline.devices = 4;
      asked.pipeline.microbatches = 8;
      asked.choices.machine = topology({2, 2}, {{2e-6, 300e9}, {5e-6, 25e9}});
      asked.choices.recomputations = {"none"};
    }
    for (const bool at_most : {false, true}) {
      asked.pipeline.at_most = at_most;
      const profile model = small_model(memory > 0 ? 6 : 5);
      profile told = model;  // layers that are no decoders are not recomputed
      for (layer& each : told.layers) {
        if (each.kind == "decoder") continue;
        each.recomputations = {};
        each.shardings = std::vector<layer_variant>{each.shardings.get()[0], each.shardings.get()[2]};
      }
      asked.target = framework::megatron;
      const auto layout = plan_hybrid(model, asked);
      asked.target = framework::megatron_flags;
      const auto flags = plan_hybrid(model, asked);
      const double best_layout = best_written(told, asked, io::as_megatron);
      const double best_flags = best_written(told, asked, io::as_megatron_flags);
      CHECK(layout.has_value() == (best_layout < 1e300));
      CHECK(flags.has_value() == (best_flags < 1e300));
      if (layout) {
        CHECK(layout.state() == state::optimal);
        CHECK(layout->objective.value == doctest::Approx(best_layout).epsilon(1e-12));
        CHECK(!io::as_megatron(*layout).empty());
        CHECK(layout->profile == model);
        check_holds(model, *layout);
      }
      if (flags) {
        CHECK(flags.state() == state::optimal);
        CHECK(flags->objective.value == doctest::Approx(best_flags).epsilon(1e-12));
        CHECK(flags->objective.value >= layout->objective.value * (1 - 1e-12));
        dearer += flags->objective.value > layout->objective.value * (1 + 1e-9) ? 1 : 0;
        CHECK(!io::as_megatron_flags(*flags).empty());
      }
    }
  }
  CHECK(dearer > 0);
}

TEST_CASE("frameworks that recompute nothing, or have replicas alone, get such plans") {
  const profile model = small_model(8);
  hybrid_plan_request asked = two_nodes(80e9);
  asked.choices.recomputations = {"none", "full"};
  for (const framework each : {framework::torchtitan, framework::alpa, framework::pipedream}) {
    asked.target = each;
    CAPTURE(entry_of(each).name);
    const auto found = plan_hybrid(model, asked);
    REQUIRE(found);
    const io::format* const writer = io::find_format(entry_of(each).name);
    CHECK(!writer->write(*found).empty());
  }
  asked.choices.recomputations = {"full"};
  CHECK(refusal<not_representable>([&] { (void)plan_hybrid(model, asked); }) ==
        "pipedream cannot say this model: no layer may be run with \"full\", and of what layers recompute it can be told "
        "none");
  asked.choices.recomputations = {};
  asked.choices.ways = {2};
  CHECK(refusal<not_representable>([&] { (void)plan_hybrid(model, asked); }) ==
        "pipedream cannot say this model: it gives a replica one device");
  asked.target = framework::deepspeed;
  CHECK(refusal<not_representable>([&] { (void)plan_hybrid(model, asked); }) ==
        "deepspeed cannot say this model: it gives a stage one device; several have megatron, megatron-flags, "
        "torchtitan, alpa, pipedream");
}
