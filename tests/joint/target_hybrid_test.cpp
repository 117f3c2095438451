// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/io/frameworks/alpa.hpp>
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

/// An embedding, decoders, a norm and a head; each may be recomputed.
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
  asked.uniform = true;
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
    asked.choices.tensor_parallel = {1, 2};
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
      const profile model = small_model(memory > 0 ? 4 : 5);
      profile told = model;  // layers that are no decoders are not recomputed
      for (auto& layer : told.layers) {
        if (layer.kind == "decoder") continue;
        layer.recomputations = {};
        layer.shardings = std::vector<layer_variant>{layer.shardings.get()[0], layer.shardings.get()[2]};
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
        "pipedream cannot express this model: no layer may be run with \"full\", and of what layers recompute it can "
        "be told "
        "none");
  asked.choices.recomputations = {};
  asked.choices.tensor_parallel = {2};
  CHECK(refusal<not_representable>([&] { (void)plan_hybrid(model, asked); }) ==
        "pipedream cannot express this model: it gives a replica one device");
  asked.target = framework::deepspeed;
  CHECK(refusal<not_representable>([&] { (void)plan_hybrid(model, asked); }) ==
        "deepspeed cannot express this model: it gives a stage one device; several have megatron, megatron-flags, "
        "torchtitan, alpa, pipedream");
}

namespace {

layer timed_layer(const std::string& kind, double activations) {
  layer made;
  made.name = kind;
  made.kind = kind;
  made.forward = 1;
  made.backward = 2;
  made.activations = activations;
  return made;
}

layer_variant way_to_run(const std::string& name, double backward, double activations, std::size_t ways = 1) {
  layer_variant made;
  made.name = name;
  made.tensor_parallel = ways;
  made.forward = 1;
  made.backward = backward;
  made.activations = activations;
  return made;
}

hybrid_plan_request of_devices(std::size_t devices, std::size_t microbatches) {
  hybrid_plan_request asked;
  asked.pipeline.devices = devices;
  asked.pipeline.microbatches = microbatches;
  asked.choices.machine = topology({devices}, {{0, 1e9}});
  return asked;
}

}  // namespace

TEST_CASE("what decoders are run with is the same for all that Megatron-LM recomputes") {
  profile model;
  model.layers = {timed_layer("embedding", 0), timed_layer("decoder", 9), timed_layer("decoder", 9),
                  timed_layer("head", 0)};
  model.layers[2].recomputations = std::vector<layer_variant>{way_to_run("full", 3, 1)};
  hybrid_plan_request asked = of_devices(2, 2);
  asked.target = framework::megatron;
  asked.pipeline.memory_limit = 17;
  asked.pipeline.at_most = true;
  // The first decoder has no such way: none is recomputed, and one of two stages would need 18 bytes.
  CHECK(plan_hybrid(model, asked).state() == state::infeasible);
  model.layers[1].recomputations = model.layers[2].recomputations;
  const auto found = plan_hybrid(model, asked);
  REQUIRE(found);
  CHECK(!io::as_megatron(*found).empty());
  model.layers.insert(model.layers.begin() + 3, timed_layer("mtp", 1));
  CHECK(plan_hybrid(model, asked).state() == state::infeasible);  // nor has what guesses further tokens
  model.layers[0].recomputation = std::string("full");
  CHECK(refusal<not_representable>([&] { (void)plan_hybrid(model, asked); }) ==
        "megatron cannot express this model: layer \"embedding\" of kind \"embedding\" was profiled with recomputation "
        "\"full\", and it recomputes decoders alone");
}

TEST_CASE("a recomputation that Megatron-LM does not know is none to plan with") {
  profile model;
  model.layers = {timed_layer("embedding", 0), timed_layer("decoder", 9), timed_layer("head", 0)};
  model.layers[1].recomputations = std::vector<layer_variant>{way_to_run("odd", 1, 1), way_to_run("full", 3, 1)};
  hybrid_plan_request asked = of_devices(2, 2);
  asked.target = framework::megatron;
  asked.pipeline.at_most = true;
  asked.pipeline.memory_limit = 5;
  const auto found = plan_hybrid(model, asked);
  REQUIRE(found);
  CHECK(found->choices[1].recomputation == "full");
  CHECK(!io::as_megatron(*found).empty());
  asked.choices.recomputations = {"odd"};
  CHECK_THROWS_AS((void)plan_hybrid(model, asked), not_representable);
  asked.choices.recomputations = {};
  model.layers[1].recomputation = std::string("odd");
  const auto other = plan_hybrid(model, asked);  // as profiled it cannot be told
  REQUIRE(other);
  CHECK(!io::as_megatron(*other).empty());
  model.layers[1].recomputations = std::vector<layer_variant>{};
  CHECK(refusal<not_representable>([&] { (void)plan_hybrid(model, asked); }) ==
        "megatron cannot express this model: layer \"decoder\" of kind \"decoder\" was profiled with recomputation "
        "\"odd\", "
        "which it cannot be told");
}

TEST_CASE("devices share no layer whose shardings recompute what cannot be told") {
  profile model;
  model.layers = {timed_layer("decoder", 1), timed_layer("decoder", 1)};
  for (layer& each : model.layers) {
    layer_variant way = way_to_run("tp2+sel", 1, 1, 2);
    way.recomputation = "selective";
    each.shardings = std::vector<layer_variant>{way};
  }
  hybrid_plan_request asked = of_devices(2, 4);
  asked.choices.tensor_parallel = {1, 2};
  asked.target = framework::alpa;
  const auto found = plan_hybrid(model, asked);
  REQUIRE(found);
  CHECK(!io::as_alpa(*found).empty());
  asked.choices.tensor_parallel = {2};
  CHECK(refusal<not_representable>([&] { (void)plan_hybrid(model, asked); }) ==
        "alpa cannot express this model: layers that several devices share recompute what it cannot be told");
  // One that does what the layer did when it was profiled can be told.
  for (layer& each : model.layers) each.recomputation = std::string("selective");
  asked.pipeline.stages = 1;
  const auto same = plan_hybrid(model, asked);
  REQUIRE(same);
  CHECK(!io::as_alpa(*same).empty());
}

TEST_CASE("of shared parameters torchtitan has one stage, of nodes with one device Alpa has one device a stage") {
  profile model;
  model.layers = {timed_layer("embedding", 1), timed_layer("head", 1)};
  model.layers[0].name = "tok_embeddings";
  model.layers[1].name = "output";
  for (auto& layer : model.layers) layer.tied = std::vector<tied_parameters>{{"w", 8, {}, {}}};
  hybrid_plan_request asked = of_devices(2, 2);
  asked.choices.replicas = {1, 2};
  asked.target = framework::torchtitan;
  const auto found = plan_hybrid(model, asked);
  REQUIRE(found);
  CHECK(found->stages.size() == 1);
  CHECK(!io::find_format("torchtitan")->write(*found).empty());
  asked.pipeline.stages = 2;
  CHECK_THROWS_AS((void)plan_hybrid(model, asked), not_representable);
  asked.pipeline.stages = {};
  asked.choices.machine = topology({1, 2}, {{0, 1e9}, {0, 1e8}});
  asked.target = framework::alpa;
  const auto apart = plan_hybrid(model, asked);
  REQUIRE(apart);
  CHECK(apart->stages.size() == 2);
}

TEST_CASE("of shared parameters a device holds as much as the layer that is divided least") {
  profile model;
  model.layers = {timed_layer("a", 0), timed_layer("b", 0)};
  for (auto& layer : model.layers) layer.tied = std::vector<tied_parameters>{{"w", 8, {}, {}}};
  model.layers[0].shardings = std::vector<layer_variant>{way_to_run("tp2", 2, 0, 2)};
  hybrid_plan_request asked = of_devices(2, 2);
  asked.choices.tensor_parallel = {2};
  asked.choices.memory_accounting.parameter_multiplier = 4;
  for (const plan_objective objective :
       {plan_objective::iteration, plan_objective::stage_time, plan_objective::pipeline_latency}) {
    asked.objective = objective;
    asked.pipeline.memory_limit = 31;
    CHECK(plan_hybrid(model, asked).state() == state::infeasible);
    asked.pipeline.memory_limit = 32;
    const auto found = plan_hybrid(model, asked);
    REQUIRE(found);
    CHECK(found->stages[0].memory.resident == 32);
    check_holds(model, *found);
  }
  model.layers[1].tied = std::vector<tied_parameters>{{"w", 9, {}, {}}};
  CHECK(refusal<invalid_input>([&] { (void)plan_hybrid(model, asked); }) ==
        "layer 1 (\"b\"): shares \"w\" with layer 0, and says other bytes of it");
}

TEST_CASE("replicas with microbatches of their own divide the stage time") {
  profile model;
  model.layers = {timed_layer("a", 0), timed_layer("b", 0)};
  model.layers[1].backward = 1;
  hybrid_plan_request asked = of_devices(2, 4);
  asked.uniform = true;
  asked.choices.replicas = {1, 2};
  asked.objective = plan_objective::stage_time;
  const auto found = plan_hybrid(model, asked);
  REQUIRE(found);
  CHECK(found.state() == state::optimal);
  CHECK(found->objective.value == 2.5);
  CHECK(found->stages[0].replicas == 2);
  check_holds(model, *found);
  plan wrong = *found;
  wrong.objective.value = wrong.objective.bound = 5;
  CHECK(!verify_plan(model, wrong).holds());
  asked.choices.replicas = {1};
  const auto two = plan_hybrid(model, asked);
  REQUIRE(two);
  REQUIRE(two->stages.size() == 2);
  check_holds(model, *two);
  wrong = *two;
  wrong.stages[1].replicas = 2;
  CHECK(verify_plan(model, wrong).find("devices")->result == check_result::broken);
}

TEST_CASE("what lacks bytes does not lack more than would do, and bad figures are refused whatever the devices") {
  profile model;
  for (int i = 0; i < 2; ++i) {
    model.layers.push_back(timed_layer("a", 10));
    model.layers.back().output = 15;
  }
  hybrid_plan_request asked = of_devices(2, 1);
  asked.pipeline.at_most = true;
  asked.choices.memory_accounting.parameter_multiplier = 0;
  asked.choices.memory_accounting.boundary_buffers = 2;
  asked.pipeline.memory_limit = 19;
  const auto none = plan_hybrid(model, asked);
  CHECK(none.state() == state::infeasible);
  CHECK(none.why().needed == 20);
  asked.pipeline.memory_limit = 20;
  CHECK(plan_hybrid(model, asked).state() == state::optimal);
  asked = of_devices(2, 3);
  asked.choices.replicas = {2};
  asked.uniform = true;
  CHECK(plan_hybrid(model, asked).state() == state::infeasible);
  model.layers[1].output = -1;
  CHECK_THROWS_AS((void)plan_hybrid(model, asked), invalid_input);
}
