// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/outcome.hpp>
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/joint/compare_hybrids.hpp>
#include <stagecut/joint/plan_hybrid.hpp>
#include <stagecut/profile/sharded_transformer.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"
#include "two_nodes.hpp"

using namespace stagecut;
using joint_tests::check_holds;
using joint_tests::sixteen;
using joint_tests::two_nodes;

TEST_CASE("plans hold before verify, and are read back as they were written") {
  const profile model = sixteen();
  for (const double memory : {16e9, 24e9, 80e9}) {
    for (const bool alike : {false, true}) {
      for (const plan_objective objective :
           {plan_objective::iteration, plan_objective::stage_time, plan_objective::pipeline_latency}) {
        hybrid_plan_request asked = two_nodes(memory);
        asked.uniform = alike;
        asked.objective = objective;
        const auto made = plan_hybrid(model, asked);
        CAPTURE(memory);
        CAPTURE(alike);
        CAPTURE(to_string(objective));
        REQUIRE(made.state() == state::optimal);
        check_holds(model, *made);
        CHECK(io::parse_json_plan(io::as_json(*made), "p") == *made);
        std::size_t devices = 0;
        for (const planned_stage& stage : made->stages) {
          devices += stage.replicas * stage.tensor_parallel;
          CHECK(stage.total_memory() <= memory);
          if (alike) CHECK(stage.replicas == made->stages[0].replicas);
          if (alike) CHECK(stage.tensor_parallel == made->stages[0].tensor_parallel);
        }
        for (const layer_choice& choice : made->choices) CHECK((!alike || choice == made->choices[0]));
        CHECK(devices == 8);
        CHECK(made->own_microbatches == alike);
        if (alike) CHECK(made->schedule.microbatches * made->stages[0].replicas == 16);
      }
    }
  }
}

TEST_CASE("a wrong figure of a plan with replicas does not hold") {
  const profile model = sixteen();
  const auto made = plan_hybrid(model, two_nodes(80e9));
  REQUIRE(made);
  REQUIRE(made->stages[0].replicas > 1);
  const auto broken = [&](const auto& change) {
    plan other = *made;
    change(other);
    bool any = false;
    for (const plan_check& check : verify_plan(model, other).checks) any = any || check.result == check_result::broken;
    return any;
  };
  CHECK_FALSE(broken([](plan&) {}));
  CHECK(broken([](plan& p) { p.stages[0].forward *= 2; }));
  CHECK(broken([](plan& p) { p.stages[0].memory.activations *= 2; }));
  CHECK(broken([](plan& p) { p.stages[0].replicas = 1; }));
  CHECK(broken([](plan& p) { p.own_microbatches = true; }));
  CHECK(broken([](plan& p) { p.objective.value *= 0.5, p.objective.bound *= 0.5; }));
}

TEST_CASE("no other planner's choice ends an iteration earlier") {
  const profile model = sixteen();
  for (const double memory : {16e9, 24e9, 80e9}) {
    const auto rows = compare_hybrids(model, two_nodes(memory));
    REQUIRE(rows.size() == 5);
    REQUIRE(rows.back().made.state() == state::optimal);
    bool worse = false;
    for (const compared_hybrid& row : rows) {
      if (!row.made) continue;
      CAPTURE(row.name);
      CHECK(*row.made->makespan >= *rows.back().made->makespan * (1 - 1e-12));
      worse = worse || *row.made->makespan > 1.01 * *rows.back().made->makespan;
    }
    CHECK(worse);
  }
}

TEST_CASE("all stages alike are no better than stages of any kind with as many samples at a time") {
  const profile model = sixteen();
  hybrid_plan_request asked = two_nodes(24e9);
  const auto any = plan_hybrid(model, asked);
  asked.uniform = true;
  const auto alike = plan_hybrid(model, asked);
  REQUIRE(any);
  REQUIRE(alike);
  CHECK(alike->objective.value >= any->objective.value * (1 - 1e-12));
}

TEST_CASE("what does not fit tells the stage and the bytes that would do") {
  const profile model = sixteen();
  hybrid_plan_request asked = two_nodes(2e9);
  for (const bool alike : {false, true}) {
    asked.uniform = alike;
    const auto none = plan_hybrid(model, asked);
    REQUIRE(none.state() == state::infeasible);
    CAPTURE(none.why().text());
    const bool bytes = none.why().what == reason::cause::memory || none.why().what == reason::cause::layer_too_large;
    CHECK(bytes);
    CHECK(none.why().remedy.find("bytes a device would do") != std::string::npos);
  }
}

TEST_CASE("what does not fit tells what would do beside more memory, as far as that was not asked for") {
  const profile model = sixteen();
  const auto remedy = [&](double memory, std::vector<std::string> names, std::vector<std::size_t> ways, bool alike = false) {
    hybrid_plan_request asked = two_nodes(memory);
    asked.choices.recomputations = std::move(names);
    asked.choices.tensor_parallel = std::move(ways);
    asked.choices.replicas = {1};
    asked.uniform = alike;
    const auto none = plan_hybrid(model, asked);
    REQUIRE(none.state() == state::infeasible);
    return none.why().remedy.substr(none.why().remedy.find(';') + 1);
  };
  const std::string all = remedy(2e9, {}, {1, 2, 4});
  CHECK(all.find("recomputation") == std::string::npos);
  CHECK(all.find("tensor parallelism") == std::string::npos);
  CHECK(all == " so run, fewer than 33 devices do not hold it");
  // Two layers and 8 microbatches of each on the first of 8 stages: 32 GB of activations, 8 GB of parameters.
  CHECK(remedy(24e9, {"none"}, {1}) == " recomputation would do; tensor parallelism would do");
  CHECK(remedy(24e9, {"none"}, {1}, true) == " recomputation may do; tensor parallelism may do");
  // The first of 16 stages would keep 16 microbatches of its layer: 32 GB of activations. There are no more layers.
}

TEST_CASE("more devices are named by a number that would do, where a doubling up to 1024 does") {
  const profile model = sixteen();
  const auto asked_of = [](double memory, std::size_t times) {
    hybrid_plan_request asked = two_nodes(memory);
    asked.choices.recomputations = {"none"};
    asked.choices.tensor_parallel = {1};
    asked.choices.replicas = {1, 2, 4};
    asked.choices.machine = topology({4, 2 * times}, {{2e-6, 300e9}, {5e-6, 25e9}});
    asked.pipeline.devices = 8 * times;
    return asked;
  };
  std::size_t named = 0;
  for (const double memory : {9e9, 12e9, 16e9, 20e9, 24e9}) {
    CAPTURE(memory);
    const auto none = plan_hybrid(model, asked_of(memory, 1));
    if (none) continue;
    REQUIRE(none.state() == state::infeasible);
    const std::string& text = none.why().remedy;
    CAPTURE(text);
    CHECK(text.find("more devices") == std::string::npos);
    const std::size_t at = text.rfind("; ");
    if (text.find(" devices would do") == std::string::npos) continue;
    ++named;
    const std::size_t devices = std::stoul(text.substr(at + 2));
    CHECK(devices % 16 == 0);
    CHECK(plan_hybrid(model, asked_of(memory, devices / 8)));
    CHECK(!plan_hybrid(model, asked_of(memory, devices / 16)));
  }
  CHECK(named > 0);
}

TEST_CASE("a transformer's shardings are its layers as several devices share them") {
  transformer::architecture small;
  small.layers = 4;
  small.hidden = 1024;
  small.heads = 16;
  small.ffn = 4096;
  small.vocabulary = 32000;
  small.sequence = 2048;
  transformer::training how;
  how.variants = true;
  CHECK(transformer::possible_ways(small, how, {1, 2, 3, 8, 32}) == std::vector<std::size_t>{1, 2, 8});
  const profile made = transformer::sharded_profile(small, how, {}, {}, {1, 2, 8});
  for (const std::size_t ways : {std::size_t{2}, std::size_t{8}}) {
    transformer::training shared = how;
    shared.tensor_parallel = ways;
    const profile of = transformer::profile(small, shared);
    for (std::size_t i = 0; i < made.layers.size(); ++i) {
      const auto* const found = find_variant(made.layers[i].shardings, "tp" + std::to_string(ways));
      REQUIRE(found != nullptr);
      CHECK(found->tensor_parallel == ways);
      CHECK(found->forward == of.layers[i].forward);
      CHECK(found->activations == of.layers[i].activations);
      CHECK(found->output == made.layers[i].output);
      if (of.layers[i].recomputations.empty()) continue;
      const auto* const full = find_variant(made.layers[i].shardings, "tp" + std::to_string(ways) + "+full");
      REQUIRE(full != nullptr);
      CHECK(full->recomputation == "full");
      CHECK(full->backward == find_variant(of.layers[i].recomputations, "full")->backward);
    }
  }
  transformer::architecture mixed = small;
  mixed.experts = 8;
  mixed.top_k = 2;
  transformer::training spread = how;
  spread.expert_parallel = 8;
  CHECK(refusal([&] { (void)transformer::sharded_profile(mixed, spread, {}, {}, {8}); }) ==
        "training.expert_parallel: expert_parallel = 8, must divide context_parallel * data_parallel, 1: where "
        "tensor-parallel degrees are planned, layers may run at degree 1, too");
  how.tensor_parallel = 2;
  CHECK(refusal([&] { (void)transformer::sharded_profile(small, how, {}, {}, {1}); }) ==
        "training.tensor_parallel: must be 1: the degrees give it");
}

TEST_CASE("a request that makes no sense is refused") {
  const profile model = sixteen();
  hybrid_plan_request asked = two_nodes(80e9);
  asked.pipeline.devices = 7;
  CHECK(refusal([&] { (void)plan_hybrid(model, asked); }) ==
        "stagecut::plan_hybrid: pipeline.devices = 7, must be those of the machine");
  asked.pipeline.devices = 8;
  asked.objective = plan_objective::range;
  CHECK(refusal([&] { (void)plan_hybrid(model, asked); }) ==
        "stagecut::plan_hybrid: objective = range, must be iteration, stage-time or pipeline-latency");
}
