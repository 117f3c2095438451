// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/compare_plans.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/score_cut.hpp>
#include <stagecut/plan/verify_plan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "../cases.hpp"
#include "random_made.hpp"
#include "random_requests.hpp"

using stagecut::cuts;
using stagecut::make_plan;
using stagecut::plan_objective;
using stagecut::plan_request;
using stagecut::profile;
using stagecut::score_cut;

namespace {

/// All cuts of as many layers into as many stages, whatever they part.
std::vector<cuts> all_cuts(std::size_t layers, std::size_t stages) {
  std::vector<cuts> result;
  std::vector<bool> cut(layers - 1);
  std::fill(cut.begin(), cut.begin() + static_cast<std::ptrdiff_t>(std::min(stages, layers) - 1), true);
  do {
    std::vector<std::size_t> points = {0};
    for (std::size_t i = 0; i + 1 < layers; ++i) {
      if (cut[i]) points.push_back(i + 1);
    }
    points.push_back(layers);
    result.emplace_back(std::move(points));
  } while (std::prev_permutation(cut.begin(), cut.end()));
  return result;
}

/// Two layers, of one second and three, and of 10 and 30 bytes.
profile two_layers() {
  profile model;
  for (const double each : {1.0, 3.0}) {
    stagecut::layer one;
    one.name = each == 1 ? "a" : "b";
    one.kind = "decoder";
    one.forward = each;
    one.backward = 2 * each;
    one.resident = 10 * each;
    model.layers.push_back(one);
  }
  return model;
}

}  // namespace

TEST_CASE("the plan that is made is that of the best cut of all that break nothing") {
  random_requests::dice dice(1);
  std::size_t planned = 0, none = 0, broken = 0, worse = 0;
  for (std::size_t round = 0; round < cases(1000); ++round) {
    const profile model = random_made::random_profile(dice, 3 + dice.up_to(4));
    plan_request request = random_made::random_request(dice, model);
    request.search = {.node_limit = 100000};
    const std::size_t stages = request.devices * request.stages_per_rank;
    if (stages > model.layers.size()) continue;
    try {
      const auto best = make_plan(model, request);
      double least = 0;
      bool any = false;
      for (const cuts& cut : all_cuts(model.layers.size(), stages)) {
        const auto scored = score_cut(model, request, cut);
        INFO((scored ? "" : scored.why().text()));
        REQUIRE(scored);
        REQUIRE(scored->made.cuts == cut);
        REQUIRE(scored->made.profile == model);
        broken += scored->broken.empty() ? 0 : 1;
        if (!scored->broken.empty()) continue;
        REQUIRE(stagecut::verify_plan(model, scored->made).holds());
        least = any ? std::min(least, scored->made.objective.value) : scored->made.objective.value;
        any = true;
        if (best) worse += scored->made.objective.value > best->objective.value ? 1 : 0;
      }
      none += best.state() == stagecut::state::infeasible ? 1 : 0;
      if (best.state() == stagecut::state::unknown) continue;  // by stages, of several on a device
      if (!best && request.by == stagecut::measure::layers) continue;  // the even cut alone is tried
      REQUIRE(any == best.has_value());
      if (!best) continue;
      ++planned;
      REQUIRE(best->objective.bound <= least * (1 + 1e-9));
      REQUIRE(best->objective.value >= least * (1 - 1e-9));
      if (best.state() == stagecut::state::optimal) REQUIRE(best->objective.value == doctest::Approx(least));
    } catch (const std::invalid_argument&) {  // a request that makes no sense
    }
  }
  CHECK(planned > 200);
  CHECK(none > 20);
  CHECK(broken > 1000);
  CHECK(worse > 300);
}

TEST_CASE("a plan is not worse than the cut that it begins with, however short the search") {
  random_requests::dice dice(3);
  std::size_t equal = 0, better = 0;
  for (std::size_t round = 0; round < cases(300); ++round) {
    const profile model = random_made::random_profile(dice, 6 + dice.up_to(8));
    plan_request request = random_made::random_request(dice, model);
    if (dice.up_to(7) == 0) request.schedule = stagecut::schedule_kind::synthesized;
    const std::size_t stages = request.devices * request.stages_per_rank;
    if (stages > model.layers.size()) continue;
    try {
      request.search = {.node_limit = 1000};
      const auto best = make_plan(model, request);
      if (!best) continue;
      request.search.node_limit = dice.up_to(2);
      request.start = best->cuts;
      const auto again = make_plan(model, request);
      REQUIRE(again);
      const bool orders = request.schedule == stagecut::schedule_kind::synthesized;
      if (!orders) REQUIRE(again->objective.value <= best->objective.value * (1 + 1e-12));
      REQUIRE(again->objective.bound <= again->objective.value);
      const auto own = score_cut(model, request, request.start);
      if (own) REQUIRE(again->objective.value <= own->made.objective.value);
      request.start = {};
      const auto without = make_plan(model, request);
      (without && without->objective.value <= again->objective.value ? equal : better) += 1;
    } catch (const std::invalid_argument&) {  // a request that makes no sense
    }
  }
  CHECK(equal > 100);
  CHECK(better > 3);
}

TEST_CASE("what a cut breaks is told") {
  profile model = two_layers();
  plan_request request;
  request.devices = 2;
  request.microbatches = 4;
  request.memory_limit = 20;
  const auto broken = [&] {
    const auto scored = score_cut(model, request, cuts{0, 1, 2});
    REQUIRE(scored);
    CHECK(scored->made.objective.state == stagecut::state::unknown);
    std::string text;
    for (const std::string& rule : scored->broken) text += rule + '\n';
    return text;
  };
  CHECK(broken() == "device 1 needs 30 bytes, and may have 20 bytes\n");
  request.memory_limit = {};
  CHECK(broken().empty());
  model.machine.memory = 20;
  CHECK(broken() == "device 1 needs 30 bytes, and may have 20 bytes\n");
  model.machine.memory.reset();
  request.forbidden_cuts = {1};
  const std::string apart = "layer 0 (\"a\") and layer 1 (\"b\") stay together, and stand on two stages\n";
  CHECK(broken() == apart);
  request.forbidden_cuts.clear();
  model.layers[0].group = model.layers[1].group = "g";
  CHECK(broken() == apart);
  model.layers[0].group = model.layers[1].group = "";
  for (auto& layer : model.layers) layer.tied = {{"w", 1, 2, stagecut::tied_parameters::placement::colocated}};
  CHECK(broken() == apart);
  for (auto& layer : model.layers) layer.tied = {};
  model.layers[0].kind = "embedding";
  model.layers[1].kind = "decoder";
  stagecut::layer head = model.layers[0];
  head.kind = "head";
  model.layers.push_back(head);
  request.target = stagecut::framework::vllm;
  request.microbatches = 0;
  const auto scored = score_cut(model, request, cuts{0, 1, 3});
  REQUIRE(scored);
  REQUIRE(scored->broken.size() == 1);
  CHECK(scored->broken[0].find("vllm: 2 stages of at least one decoder each, and there are 1") != std::string::npos);
}

TEST_CASE("a cut that breaks something is none to begin with") {
  random_requests::dice dice(7);
  std::size_t broken = 0, planned = 0;
  for (std::size_t round = 0; round < cases(1000); ++round) {
    const profile model = random_made::random_profile(dice, 3 + dice.up_to(6));
    plan_request request = random_made::random_request(dice, model);
    request.search = {.node_limit = 2000};
    const std::size_t stages = request.devices * request.stages_per_rank;
    if (stages > model.layers.size()) continue;
    const std::vector<cuts> all = all_cuts(model.layers.size(), stages);
    try {
      const auto without = make_plan(model, request);
      request.start = all[dice.up_to(all.size() - 1)];
      const auto own = score_cut(model, request, request.start);
      broken += own && !own->broken.empty() ? 1 : 0;
      const auto made = make_plan(model, request);
      if (without.state() == stagecut::state::infeasible) REQUIRE(made.state() == stagecut::state::infeasible);
      if (without.state() != stagecut::state::optimal) continue;
      REQUIRE(made);
      REQUIRE(made->objective.value == doctest::Approx(without->objective.value));
      ++planned;
    } catch (const std::invalid_argument&) {  // a request that makes no sense
    }
  }
  CHECK(broken > 100);
  CHECK(planned > 100);
}

TEST_CASE("cuts of other stages or layers are refused") {
  const profile model = two_layers();
  plan_request request;
  request.devices = 2;
  request.microbatches = 4;
  const auto text = [&](const cuts& at) {
    return [&] {
      try {
        (void)score_cut(model, request, at);
      } catch (const stagecut::argument_error& error) {
        return std::string(error.what());
      }
      return std::string();
    }();
  };
  CHECK(text({0, 2}).find("at = 1 stages of 2 layers, must be 2 of 2") != std::string::npos);
  CHECK(text({0, 1, 3}).find("at = 2 stages of 3 layers, must be 2 of 2") != std::string::npos);
  request.start = cuts{0, 2};
  CHECK_THROWS_WITH_AS((void)make_plan(model, request), doctest::Contains("start = 1 stages of 2 layers"),
                       stagecut::argument_error);
}

TEST_CASE("plans that are compared begin with a cut where they have as many stages") {
  random_requests::dice dice(5);
  const profile model = random_made::random_profile(dice, 12);
  plan_request request;
  request.devices = 2;
  request.microbatches = 4;
  request.start = cuts{0, 5, 12};
  request.search = {.node_limit = 1};
  const auto compared = stagecut::compare_plans(model, request, stagecut::usual_choices(model, 0));
  REQUIRE(compared.best);
  request.schedule = stagecut::schedule_kind::one_forward_one_backward;
  const auto own = score_cut(model, request, request.start);
  REQUIRE(own);
  if (own->broken.empty()) CHECK(compared.best->objective.value <= own->made.objective.value);
}
