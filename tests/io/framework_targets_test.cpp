// SPDX-License-Identifier: BSL-1.0
#include "framework_rules.hpp"

#include <stagecut/io/frameworks/formats.hpp>
#include <stagecut/plan/compare_plans.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/targets.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "framework_models.hpp"

namespace {

using stagecut::framework;

/// What was made of the requests for a target.
struct tally {
  std::size_t planned = 0;
  std::size_t refused = 0;
};

/// A request whose answer is the same on every machine.
stagecut::plan_request request_of(framework to, std::size_t devices, std::size_t chunks, std::size_t microbatches) {
  stagecut::plan_request request;
  request.target = to;
  request.devices = devices;
  request.stages_per_rank = chunks;
  request.microbatches = microbatches;
  request.search.time_limit.reset();
  request.search.node_limit = 50;
  return request;
}

/// The text of a plan for its target, which has to be one that the framework takes.
std::string accepted(const stagecut::target_entry& entry, const stagecut::plan& made) {
  std::string text;
  REQUIRE_NOTHROW(text = stagecut::io::find_format(entry.name)->write(made));
  CAPTURE(text);
  std::string broken;
  for (const auto& violation : violations(entry.name, made, text)) broken += violation + "\n";
  CHECK(broken == "");
  return text;
}

void demand_rule(std::string_view text) {
  CAPTURE(text);
  CHECK(!text.empty());
  CHECK(text != "no cut keeps to the constraint");
}

/// The plan of a request; none if the answer names the rule that leaves none.
std::optional<stagecut::plan> planned(const stagecut::profile& model, const stagecut::plan_request& request) {
  try {
    auto made = stagecut::make_plan(model, request);
    if (made) return *std::move(made);
    CHECK(made.state() == stagecut::state::infeasible);
    demand_rule(made.why().text());
  } catch (const stagecut::not_representable& error) {
    demand_rule(error.what());
  } catch (const stagecut::argument_error& error) {  // only for microbatches that the devices do not divide
    CAPTURE(error.what());
    CHECK(request.microbatches % request.devices != 0);
    const auto group = stagecut::entry_of(request.target).group;
    const bool grouped = group != nullptr && group(request.devices, request.microbatches) != 0;
    CHECK_FALSE(grouped);
  }
  return std::nullopt;
}

stagecut::profile model_called(std::string_view name, std::size_t most) {
  for (auto& model : framework_models::models(most)) {
    if (model.name == name) return model;
  }
  throw std::invalid_argument(std::string(name));
}

}  // namespace

TEST_CASE("every plan for a framework is one that it takes") {
  std::map<std::string_view, tally> tallies;
  for (const auto& model : framework_models::models(13)) {
    for (const auto& entry : stagecut::targets) {
      for (std::size_t shape = 0; shape < 12; ++shape) {
        const std::size_t chunks = 1 + shape % 3, devices = shape / 3 % 2 == 0 ? 2 : 4;
        const auto request = request_of(entry.kind, devices, chunks, 2 * devices + shape / 6);
        CAPTURE(model.name);
        CAPTURE(entry.name);
        CAPTURE(devices);
        CAPTURE(chunks);
        CAPTURE(request.microbatches);
        const auto made = planned(model, request);
        if (made) (void)accepted(entry, *made);
        ++(made ? tallies[entry.name].planned : tallies[entry.name].refused);
      }
    }
  }
  // Of 180. One stage on a device is a third of the requests, and three models of four share no parameters.
  for (const auto& [name, each] : tallies) {
    CAPTURE(name);
    CHECK(each.planned + each.refused == 180);
    CHECK(each.planned >= 44);
  }
  CHECK(tallies["megatron"].planned >= 104);  // interleaved, m has to be a multiple of p
  CHECK(tallies["sapp"].planned >= 96);
  CHECK(tallies["pytorch"].planned >= 88);
}

TEST_CASE(
    "DeepSeek-V3 on 16 ranks of two stages: MTP layers stand on one of the last, the norm with the last decoder") {
  const auto model = model_called("deepseek-v3", 61);
  auto request = request_of(framework::megatron, 16, 2, 64);
  const auto made = planned(model, request);
  REQUIRE(made);
  const std::string text = accepted(stagecut::entry_of(framework::megatron), *made);
  CAPTURE(text);
  CHECK(text.find("--pipeline-model-parallel-layout \"E") != std::string::npos);
  CHECK(text.find("L\"") != std::string::npos);
  CHECK(made->cuts.stages() == 32);
  const auto stages = made->cuts.assignment();
  for (std::size_t i = 0; i < stages.size(); ++i) {
    if (model.layers[i].kind == "mtp") CHECK(stages[i] >= 16);
    if (model.layers[i].kind == "norm") CHECK(model.layers[i - 1].kind == "decoder");
    if (model.layers[i].kind == "norm") CHECK(stages[i] == stages[i - 1]);
  }
  // 61 decoders do not come out even.
  CHECK_FALSE(planned(model, request_of(framework::megatron_flags, 16, 2, 64)));
}

TEST_CASE("a vision tower stands on the first stage, wherever a framework has a place of its own for it") {
  for (const char* const name : {"qwen2.5-vl-7b", "llava-1.5-7b"}) {
    const auto model = model_called(name, 12);
    for (const auto& entry : stagecut::targets) {
      CAPTURE(name);
      CAPTURE(entry.name);
      const auto made = planned(model, request_of(entry.kind, 4, 1, 8));
      if (entry.counts == stagecut::decoder_counts::equal_or_ends || entry.counts == stagecut::decoder_counts::any ||
          entry.kind == framework::megatron || entry.kind == framework::torchtitan) {
        REQUIRE(made);
      }
      if (!made) continue;
      (void)accepted(entry, *made);
      if (entry.kinds.size() == 0) continue;
      const auto stages = made->cuts.assignment();
      for (std::size_t i = 0; i < stages.size(); ++i) {
        if (framework_rules::sees(model.layers[i])) CHECK(stages[i] == 0);
      }
    }
  }
}

TEST_CASE("the best of all schedules is one that the framework takes") {
  for (const char* const name : {"llama-3-8b", "deepseek-v3", "qwen2.5-vl-7b", "gpt2-xl", "bert-large", "resnet-50"}) {
    const auto model = model_called(name, 8);
    for (const auto& entry : stagecut::targets) {
      CAPTURE(name);
      CAPTURE(entry.name);
      try {
        const auto compared =
            stagecut::compare_plans(model, request_of(entry.kind, 4, 1, 8), stagecut::usual_choices(model));
        if (compared.best) {
          (void)accepted(entry, *compared.best);
        } else {
          demand_rule(compared.best.why().text());
        }
      } catch (const stagecut::not_representable& error) {
        demand_rule(error.what());
      }
    }
  }
}
