// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/target_reason.hpp>

#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/parts/with_target.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "target_models.hpp"

using random_requests::dice;
using stagecut::framework;
using stagecut::plan_objective;
using stagecut::plan_request;
using stagecut::reason;
using target_models::of_kinds;
using target_models::points;

namespace {

plan_request request_of(framework to, std::size_t devices, std::size_t chunks = 1) {
  plan_request request;
  request.target = to, request.devices = devices, request.stages_per_rank = chunks, request.microbatches = 2 * devices;
  request.search.time_limit.reset();
  return request;
}

/// Why there is no plan; the same by the makespan and by the bottleneck.
std::string why(const stagecut::profile& model, plan_request request) {
  const auto made = stagecut::make_plan(model, request);
  REQUIRE_FALSE(made);
  CHECK(made.state() == stagecut::state::infeasible);
  request.objective = plan_objective::bottleneck;
  const auto by_stages = stagecut::make_plan(model, request);
  REQUIRE_FALSE(by_stages);
  CHECK(by_stages.why().text() == made.why().text());
  return made.why().text();
}

const std::vector<std::string> four = {"embedding", "decoder", "decoder", "decoder", "decoder", "head"};

/// The bytes of the fullest stage of a cut.
double fullest(const stagecut::profile& model, plan_request request, const points& cut) {
  request = stagecut::detail::in_words_of_target(request);
  request.target = framework::none;
  request.memory_limit = 1e9;
  for (std::size_t s = 0; s + 1 < cut.size(); ++s) request.kept_together.push_back({cut[s], cut[s + 1]});
  const auto made = stagecut::make_plan(model, request);
  REQUIRE(made);
  double most = 0;
  for (const auto& stage : made->stages) most = std::max(most, stage.total_memory());
  return most;
}

}  // namespace

TEST_CASE("parameters that stages share") {
  const auto model = target_models::tied(of_kinds(four), 0, 5);
  CHECK(why(model, request_of(framework::pytorch, 2)) ==
        "no cut keeps to the constraint: pytorch: layer \"l5\" of kind \"head\" shares \"t\" with layer \"l0\" of kind "
        "\"embedding\", and its stages share no parameters; that leaves 1 block for 2 stages");
  CHECK(stagecut::make_plan(model, request_of(framework::pytorch, 1)));
  CHECK(stagecut::make_plan(model, request_of(framework::megatron, 2)));
  // Without a target it is what must share a stage.
  auto kept = request_of(framework::none, 2);
  kept.kept_together = {{0, 6}};
  CHECK(why(of_kinds(four), kept).find("2 stages need at least 2 layers, and there are 1") == 0);
}

TEST_CASE("places in conflict, fewer decoders than stages, and decoders that do not come out even") {
  auto kept = request_of(framework::megatron, 2);
  kept.kept_together = {{0, 5}};
  CHECK(stagecut::make_plan(of_kinds(four), kept));
  const auto one = of_kinds({"embedding", "decoder", "norm", "head"});
  CHECK(why(one, request_of(framework::vllm, 2)) ==
        "no cut keeps to the constraint: vllm: 2 stages of at least one decoder each, and there are 1");
  const auto seen = of_kinds({"vision", "embedding", "decoder", "norm", "head"});
  kept = request_of(framework::megatron, 2);
  kept.kept_together = {{1, 5}};
  CHECK(
      why(seen, kept) ==
      "no cut keeps to the constraint: megatron: layer \"l1\" of kind \"embedding\" has its place on the first stage, "
      "layer \"l3\" of kind \"norm\" on the last, and they must share a stage");
  // What is on the first stage would be cut in two.
  kept = request_of(framework::megatron, 3);
  kept.kept_together = {{2, 5}};
  CHECK(why(seen, kept).find("megatron: 3 stages, and at most 2 have a layer") != std::string::npos);
  const auto five = of_kinds({"embedding", "decoder", "decoder", "decoder", "decoder", "decoder", "head"});
  CHECK(why(five, request_of(framework::megatron_flags, 2, 2)) ==
        "no cut keeps to the constraint: megatron-flags: 5 decoders do not come out even on 4 stages; megatron has "
        "layouts");
  kept = request_of(framework::megatron_flags, 4);
  kept.kept_together = {{2, 4}, {1, 3}};
  CHECK(
      why(five, kept).find("5 decoders do not come out even on 4 stages, nor with others on the first and the last") !=
      std::string::npos);
}

TEST_CASE("the bytes told are those of the fullest stage of the best of all cuts that the framework builds") {
  dice random(31);
  std::size_t told = 0, fits = 0, none = 0;
  for (int round = 0; round < 60; ++round) {
    const auto model = target_models::random_transformer(random, 5);
    auto request = request_of(framework::none, 2 + random.up_to(1));
    if (request.devices > model.layers.size()) continue;
    for (const auto& entry : stagecut::targets) {
      request.target = entry.kind;
      CAPTURE(std::string(entry.name));
      CAPTURE(round);
      double least = std::numeric_limits<double>::infinity();
      target_models::each_cut(model, request.devices, [&](const points& cut) {
        if (!target_models::is_built(entry.kind, model, cut, request.devices)) return;
        least = std::min(least, fullest(model, request, cut));
      });
      if (!stagecut::detail::kinds_obstacle(entry, model).empty()) continue;
      if (!(least < std::numeric_limits<double>::infinity())) {
        request.memory_limit = 1e9;
        CHECK(stagecut::make_plan(model, request).why().what != reason::cause::memory);
        ++none;
        continue;
      }
      request.memory_limit = least;
      CHECK(stagecut::make_plan(model, request).has_value());
      ++fits;
      request.memory_limit = random.up_to(1) == 0 ? least - 1 : least / 2;
      for (const plan_objective objective : {plan_objective::automatic, plan_objective::bottleneck}) {
        request.objective = objective;
        const auto made = stagecut::make_plan(model, request);
        REQUIRE_FALSE(made);
        const reason& no = made.why();
        CAPTURE(no.text());
        CHECK((no.what == reason::cause::memory || no.what == reason::cause::layer_too_large));
        if (no.what == reason::cause::memory) CHECK(static_cast<double>(no.needed) == least);
        told += no.what == reason::cause::memory ? 1 : 0;
      }
      request.objective = plan_objective::automatic;
    }
  }
  CHECK(told > 300);
  CHECK(fits > 300);
  CHECK(none > 20);
}
