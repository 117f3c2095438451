// SPDX-License-Identifier: BSL-1.0
#include "output/plan_text.hpp"

#include <doctest/doctest.h>

#include <stagecut/plan/plan_chain.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/profile/as_inference.hpp>

#include <algorithm>
#include <sstream>

using stagecut::plan_chain;

namespace {

stagecut::profile model(std::size_t n, const std::string& name) {
  stagecut::profile made;
  for (std::size_t i = 0; i < n; ++i) {
    stagecut::layer each;
    each.name = name + std::to_string(i);
    each.kind = i == 0 ? "first" : "";
    each.forward = 0.001 * static_cast<double>(i + 1);
    each.backward = 2 * each.forward;
    each.parameters = 1024;
    made.layers.push_back(each);
  }
  return made;
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, glyphs(line));
  return most;
}

}  // namespace

TEST_CASE("a plan fits the screen, has no colours unless asked, and says what is proved") {
  const auto plan =
      plan_chain(model(20, "transformer.encoder.block.with.a.long.name."), {.devices = 4, .microbatches = 8});
  const std::string text = plan_text(*plan, {});
  CHECK(widest(text) <= 100);
  CHECK(widest(plan_text(*plan, {.width = 80, .colour = false})) <= 80);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(plan_text(*plan, {.width = 160, .colour = true}).find("\x1b[33m") != std::string::npos);
  CHECK(text.find("bottleneck of time: 171 ms, optimal: no cut is below 171 ms") != std::string::npos);
  CHECK(text.find("1f1b of 8 microbatches: ") != std::string::npos);
  CHECK(text.find("in flight") != std::string::npos);
  CHECK(text.find(" \n") == std::string::npos);
}

TEST_CASE("what is not proved is said with its bound") {
  using enum stagecut::plan_objective;
  const auto text = [](stagecut::plan_objective objective, double bound) {
    auto plan = *plan_chain(model(5, ""), {.devices = 2, .objective = objective});
    plan.objective.state = stagecut::state::feasible;
    plan.objective.bound = bound * plan.objective.value;
    return plan_text(plan, {});
  };
  CHECK(text(range, 0.5).find("lightest stage, feasible: no cut is below 4.5 ms, 50 % less\n") != std::string::npos);
  CHECK(text(variance, 0.25).find("(root of the mean square), feasible: no cut is below 2.25 ms, 50 % less\n") !=
        std::string::npos);
  CHECK(text(leximax, 0.5).find("as light as can be, feasible: no cut is below 13.5 ms, 50 % less\n") !=
        std::string::npos);
  CHECK(text(leximax, 1).find("as light as can be, feasible: no cut is below 27 ms\n") != std::string::npos);
  CHECK(text(bottleneck, 0.5).find("feasible: no cut is below 13.5 ms, 50 % less\n") != std::string::npos);
  // Of a search that was stopped before it knew a bound.
  CHECK(text(bottleneck, 0).find("bottleneck of time: 27 ms, feasible\n") != std::string::npos);
}

TEST_CASE("a schedule without a name is an order of the plan's own, and an objective without one a cost") {
  auto plan = *plan_chain(model(4, "l"), {.devices = 2, .microbatches = 2});
  using enum stagecut::op_kind;
  plan.schedule = {"", 2, {{{forward, 0, 0}, {forward, 0, 1}, {backward, 0, 0}, {backward, 0, 1}},
                           {{forward, 1, 0}, {backward, 1, 0}, {forward, 1, 1}, {backward, 1, 1}}}};
  plan.makespan = 0.075;
  plan.objective.value = plan.objective.bound = 0.021;
  CHECK(plan_text(plan, {}).find("\nits own order of 2 microbatches: 75 ms without transfers, ") != std::string::npos);
  plan.objective.name = "";
  CHECK(plan_text(plan, {}).find("\ncost of time: 21 ms, ") != std::string::npos);
  CHECK(schedule_name("zbv") == "zbv");
  CHECK(schedule_name("").find("own order") != std::string::npos);
}

TEST_CASE("the part of an iteration that comes after its last pass is told where there is one") {
  auto layers = model(4, "l");
  CHECK(plan_text(*plan_chain(layers, {.devices = 2, .microbatches = 4}), {}).find("last pass") == std::string::npos);
  for (auto& layer : layers.layers) layer.update = 0.004;
  // The first stage is done last: 8 ms behind 122 ms.
  auto plan = *plan_chain(layers, {.devices = 2, .microbatches = 4, .by = stagecut::measure::layers});
  const std::string text = plan_text(plan, {});
  INFO(text);
  const double passes = *plan.makespan - 0.008;
  CHECK(share_at_end(plan) == doctest::Approx(0.008 / *plan.makespan));
  CHECK(text.find(fmt::format(" % of it, {:.2g} % after the last pass\n", 0.8 / *plan.makespan)) != std::string::npos);
  CHECK(text.find("1f1b of 4 microbatches: " + seconds_text(passes + 0.008)) != std::string::npos);
  plan.stages[0].all_reduce = 0;  // the other stage's is over before the last pass
  *plan.makespan = passes;
  CHECK(plan_text(plan, {}).find("last pass") == std::string::npos);
  plan.stages[0].all_reduce = 0.008;
  plan.schedule.name = "nobody's";  // an edited plan is shown all the same
  CHECK(plan_text(plan, {}).find("last pass") == std::string::npos);
}

TEST_CASE("objectives in plain words, speeds in a column, and whether messages count") {
  using enum stagecut::plan_objective;
  const auto text = [](const stagecut::plan_request& request) {
    return plan_text(*plan_chain(model(4, "l"), request), {});
  };
  CHECK(text({.devices = 2, .objective = range})
            .find("\nrange: 6 ms between the heaviest and the lightest stage, optimal\n") != std::string::npos);
  CHECK(text({.devices = 2, .objective = variance})
            .find("\nvariance: 3 ms from the mean of the stages (root of the mean square), optimal\n") !=
        std::string::npos);
  CHECK(text({.devices = 2, .objective = leximax})
            .find("\nleximax: 18 ms for the heaviest stage, then the next as light as can be, optimal\n") !=
        std::string::npos);
  CHECK(
      text({.devices = 2, .by = stagecut::measure::layers, .objective = range}).find("\nrange of layers: 0 between") !=
      std::string::npos);
  const std::string fast = text({.devices = 2, .microbatches = 4, .speeds = {1, 2.5}});
  CHECK(fast.find("stage  speed  layers") == 0);
  CHECK(fast.find("\n    1    2.5  l2 .. l3") != std::string::npos);
  CHECK(fast.find(" without transfers") != std::string::npos);
  CHECK(text({.devices = 2, .microbatches = 4, .links = {{1, 0}}}).find(" with transfers") != std::string::npos);
}

TEST_CASE("each device's own memory stands beside what it takes") {
  stagecut::plan_request request{.devices = 2};
  request.memory_limit = {1073741824, 2147483648};
  auto layers = model(4, "l");
  for (auto& layer : layers.layers) layer.parameters = 1024;
  const std::string text = plan_text(*plan_chain(layers, request), {});
  CHECK(text.find(" memory     of\n") != std::string::npos);
  CHECK(text.find("  1 GiB") != std::string::npos);
  CHECK(text.find("  2 GiB") != std::string::npos);
  CHECK(text.find("\nmemory: within the limit of each device\n") != std::string::npos);
}

TEST_CASE("of inference both figures are told, whatever was minimised") {
  const auto layers = as_inference(model(4, "l"));
  stagecut::plan_request request{.devices = 2};
  const std::string text = plan_text(*plan_chain(layers, request), {});
  CHECK(text.find("\nbottleneck of time: ") != std::string::npos);
  CHECK(text.find("\ntime per token: ") != std::string::npos);
  CHECK(text.find(" passes of groups of requests a second, 2 groups in flight; memory is for 1 of them: --in-flight 2 "
                  "plans for all\n") != std::string::npos);
  request.objective = stagecut::plan_objective::time_per_token;
  request.in_flight = {2, 2};
  const std::string least = plan_text(*plan_chain(layers, request), {});
  CHECK(least.find("\ntime-per-token: ") != std::string::npos);
  CHECK(least.find(" a second, 2 groups in flight\n") != std::string::npos);
}

TEST_CASE("columns stand below each other whatever characters names have") {
  const auto plan = plan_chain(model(3, "ä"), {.devices = 3});
  std::istringstream lines(plan_text(*plan, {}));
  std::string head;
  std::string first;
  std::getline(lines, head);
  std::getline(lines, first);
  CHECK(glyphs(first.substr(0, first.find('#'))) == glyphs(head) + 2);
}

TEST_CASE("the value is in the unit of what was minimised") {
  using stagecut::measure;
  const auto text = [&](measure by) { return plan_text(*plan_chain(model(4, "l"), {.devices = 2, .by = by}), {}); };
  CHECK(text(measure::parameters).find("bottleneck of parameters: 2 KiB") != std::string::npos);
  CHECK(text(measure::layers).find("bottleneck of layers: 2, optimal") != std::string::npos);
  CHECK(text(measure::time_and_memory).find(" %, optimal") != std::string::npos);
  CHECK(text(measure::layers).find("time") != std::string::npos);
  auto plain = model(4, "l");
  plain.weights_only = true;
  CHECK(plan_text(*plan_chain(plain, {.devices = 2}), {}).find("bottleneck of time: 0.018, optimal") !=
        std::string::npos);
}

TEST_CASE("names are whole where the screen has room for them: bars give way first") {
  const auto plan = *plan_chain(model(20, "transformer.blocks.layer."), {.devices = 4, .microbatches = 8});
  const std::string wide = plan_text(plan, {.width = 120});
  CHECK(wide.find("transformer.blocks.layer.0 .. transformer.blocks.layer.9 ") != std::string::npos);
  CHECK(wide.find("##") != std::string::npos);
  const std::string text = plan_text(plan, {.width = 100});
  CHECK(text.find("transformer.blocks.layer.0 .. transformer.blocks.layer.9 ") != std::string::npos);
  CHECK(widest(text) <= 100);
  const auto shorter = *plan_chain(model(20, "encoder.layer."), {.devices = 4, .microbatches = 8});
  const std::string narrow = plan_text(shorter, {.width = 80});
  CHECK(narrow.find("encoder.layer.0 .. encoder.layer.9 ") != std::string::npos);
  CHECK(widest(narrow) <= 80);
  const std::string small = plan_text(plan, {.width = 80});  // no more is cut off than has to be
  CHECK(small.find("#") == std::string::npos);
  CHECK(small.find("ks.layer.0 .. ") != std::string::npos);
  CHECK(widest(small) <= 80);
  CHECK(widest(small) >= 76);
}

TEST_CASE("where stages share a device, what they take together is told") {
  stagecut::plan_request request{.devices = 2, .microbatches = 4, .stages_per_rank = 2};
  auto layers = model(8, "l");
  for (auto& layer : layers.layers) layer.activations = 1048576;
  const auto plan = *plan_chain(layers, request);
  const auto bytes = stagecut::device_memories(plan);
  const std::string text = plan_text(plan, {});
  CHECK(text.find("\ndevice  stages") != std::string::npos);
  for (std::size_t d = 0; d < 2; ++d) {
    CHECK(text.find(fmt::format("\n     {}  {}, {}  ", d, d, d + 2)) != std::string::npos);
    CHECK(text.find("  " + bytes_text(bytes[d]) + "\n") != std::string::npos);
  }
  CHECK(plan_text(*plan_chain(layers, {.devices = 2, .microbatches = 4}), {}).find("device  stages") ==
        std::string::npos);
  auto edited = plan;
  edited.schedule.name = "nobody's";
  CHECK(devices_text(edited).empty());
  request.microbatches = 0;  // nothing is known of the iteration
  CHECK(devices_text(*plan_chain(layers, request)).empty());
}
