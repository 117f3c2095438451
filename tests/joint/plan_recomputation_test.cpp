// SPDX-License-Identifier: BSL-1.0
#include <stagecut/joint/plan_recomputation.hpp>

#include <stagecut/cost/objective.hpp>
#include <stagecut/joint/even_recomputation.hpp>
#include <stagecut/joint/simulate_recomputation.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/verify_plan.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "../refusal.hpp"
#include "random_models.hpp"

using joint_tests::drawn;
using stagecut::layer;
using stagecut::layer_variant;
using stagecut::plan;
using stagecut::plan_recomputation;
using stagecut::plan_request;
using stagecut::profile;
using stagecut::recompute_options;
using stagecut::schedule_kind;
using stagecut::state;

namespace {

/// Layers that may be recomputed, between an embedding and a loss.
profile decoders(std::size_t n) {
  profile model;
  for (std::size_t i = 0; i < n + 2; ++i) {
    const bool is_end = i == 0 || i == n + 1;
    layer each;
    each.name = i == 0 ? "in" : is_end ? "out" : "l" + std::to_string(i);
    each.forward = is_end ? 1 : 4;
    each.backward = 2 * each.forward;
    each.backward_input = each.backward_weight = each.forward;
    each.parameters = 5;
    each.activations = is_end ? 4 : 30;
    each.output = 2;
    each.workspace = 3;
    if (!is_end) {
      layer_variant full;
      full.name = "full";
      full.forward = each.forward;
      full.backward = 12;
      full.backward_input = 8;
      full.backward_weight = 4;
      full.parameters = each.parameters;
      full.activations = 2;
      full.output = each.output;
      full.workspace = 3;
      layer_variant part = full;
      part.name = "part";
      part.backward = 9;
      part.backward_input = 5;
      part.activations = 20;
      each.recomputations = std::vector<layer_variant>{part, full};
    }
    model.layers.push_back(each);
  }
  return model;
}

/// What is wrong with a plan first.
std::string broken(const profile& model, const plan& made) {
  for (const auto& check : stagecut::verify_plan(model, made).checks) {
    if (check.result == stagecut::check_result::broken) return check.name + ", " + check.place + ": " + check.why;
  }
  return "";
}

/// The most bytes that any device needs, by a walk through its order.
double most_bytes(const plan& made) {
  const stagecut::schedule order = stagecut::schedule_of(made);
  double most = 0;
  for (std::size_t r = 0; r < order.ranks(); ++r) {
    double held = 0;
    double stays = 0;
    double peak = 0;
    for (const auto& stage : made.stages) {
      if (stage.device == r) stays += stage.memory.resident + stage.memory.workspace + stage.memory.buffers;
    }
    for (const stagecut::op& op : order.orders[r]) {
      const double kept = made.stages[op.stage].memory.activations;
      if (op.kind == stagecut::op_kind::forward) held += kept;
      peak = std::max(peak, held);
      if (op.kind == stagecut::op_kind::backward || op.kind == stagecut::op_kind::backward_weight) held -= kept;
    }
    most = std::max(most, stays + peak);
  }
  return most;
}

}  // namespace

TEST_CASE("plans hold: cuts, choices, times and bytes, with all limits of memory and orders") {
  const profile model = decoders(5);
  struct of {
    schedule_kind kind;
    std::size_t chunks;
  };
  for (const of each : {of{schedule_kind::one_forward_one_backward, 1}, of{schedule_kind::gpipe, 1},
                        of{schedule_kind::one_forward_one_backward, 2}, of{schedule_kind::sapp_big, 2},
                        of{schedule_kind::zb_h1, 1}, of{schedule_kind::zbv, 2}}) {
    CAPTURE(to_string(each.kind));
    CAPTURE(each.chunks);
    plan_request request;
    request.devices = 2;
    request.stages_per_rank = each.chunks;
    request.microbatches = 4;
    request.schedule = each.kind;
    const auto free = plan_recomputation(model, request);
    REQUIRE(free.state() == state::optimal);
    for (const auto& choice : free->choices) CHECK(choice.recomputation.empty());  // nothing is computed again
    CHECK(broken(model, *free).empty());
    double last = *free->makespan;
    const double all = most_bytes(*free);
    std::size_t found = 0;
    for (double limit = all; limit > 0; limit -= 80) {
      CAPTURE(limit);
      request.memory_limit = limit;
      const auto made = plan_recomputation(model, request);
      if (made.state() == state::infeasible) break;
      REQUIRE(made.state() == state::optimal);
      ++found;
      CHECK(broken(model, *made) == "");
      CHECK(most_bytes(*made) <= limit);
      CHECK(*made->makespan >= last);  // less memory never helps
      last = *made->makespan;
      CHECK(made->objective.name == "makespan");
      CHECK(made->objective.bound == made->objective.value);
      CHECK(made->choices.size() == model.layers.size());
      for (std::size_t i = 0; i < model.layers.size(); ++i) {
        const std::string& name = made->choices[i].recomputation;
        CHECK((name.empty() || stagecut::find_variant(model.layers[i].recomputations, name) != nullptr));
      }
    }
    CHECK(found > 1);
    CHECK(last > *free->makespan);
  }
}

TEST_CASE("only the choices that are named") {
  const profile model = decoders(4);
  plan_request request;
  request.devices = 2;
  request.microbatches = 4;
  recompute_options options;
  options.names = {"full"};
  const auto full = plan_recomputation(model, request, options);
  REQUIRE(full);
  for (std::size_t i = 1; i < 5; ++i) CHECK(full->choices[i].recomputation == "full");
  CHECK(full->choices[0].recomputation.empty());
  CHECK(full->choices[5].recomputation.empty());
  CHECK(broken(model, *full).empty());
  options.names = {"none"};
  const auto none = plan_recomputation(model, request, options);
  REQUIRE(none);
  CHECK(*none->makespan < *full->makespan);
}

TEST_CASE("empty stages of devices that have several") {
  plan_request request;
  request.devices = 2;
  request.stages_per_rank = 3;
  request.microbatches = 2;
  request.schedule = schedule_kind::sapp_big;
  recompute_options options;
  options.empty_stages = true;
  for (const bool ends : {true, false}) {
    CAPTURE(ends);
    profile model = decoders(ends ? 2 : 3);
    if (!ends) {
      model.layers.erase(model.layers.begin());
      model.layers.pop_back();
    }
    const auto without = plan_recomputation(model, request);
    REQUIRE(without.state() == state::infeasible);
    CHECK(without.why().what == stagecut::reason::cause::more_stages_than_layers);
    for (const bool messages : {true, false}) {
      CAPTURE(messages);
      plan_request asked = request;
      if (messages) asked.links = {{0.5, 4}};
      const auto made = plan_recomputation(model, asked, options);
      REQUIRE(made);
      // In front of the first layer nothing is handed on, so bounds take no message and the most buffers anywhere.
      if (ends) CHECK(made.state() == state::optimal);
      CHECK(broken(model, *made) == "");
      CHECK(made->cuts.stages() == 6);
      CHECK(made->cuts.items() == model.layers.size());
      std::size_t empty = 0;
      for (std::size_t s = 0; s < 6; ++s) empty += made->cuts[s] == made->cuts[s + 1] ? 1 : 0;
      CHECK(empty >= (ends ? 2 : 3));
    }
  }
}

TEST_CASE("the constant is needed beside stages") {
  const profile model = decoders(4);
  plan_request request;
  request.devices = 2;
  request.microbatches = 4;
  request.memory_limit = 250;
  const auto made = plan_recomputation(model, request);
  REQUIRE(made.state() == state::optimal);
  request.memory_limit = 1250;
  recompute_options options;
  options.constant = 1000;
  const auto again = plan_recomputation(model, request, options);
  REQUIRE(again.state() == state::optimal);
  CHECK(*again->makespan == *made->makespan);
  CHECK(again->cuts == made->cuts);
  CHECK(again->choices == made->choices);
}

TEST_CASE("what this planner cannot keep to is refused") {
  const profile model = decoders(4);
  plan_request good;
  good.devices = 2;
  good.microbatches = 4;
  const auto said = [](const profile& of, const plan_request& request, const recompute_options& options = {}) {
    return refusal([&] { return plan_recomputation(of, request, options); });
  };
  CHECK(said(model, good) == "not refused");
  plan_request request = good;
  request.objective = stagecut::plan_objective::bottleneck;
  CHECK(said(model, request) == "stagecut::plan_recomputation: objective = bottleneck, must be the makespan");
  request = good;
  request.forbidden_cuts = {1};
  CHECK(said(model, request).find("forbidden_cuts = {…}, must be empty") != std::string::npos);
  request = good;
  request.kept_together = {{0, 2}};
  CHECK(said(model, request).find("must be empty, as kept_together") != std::string::npos);
  request = good;
  request.speeds = {1, 2};
  CHECK(said(model, request).find("speeds = {…}, are not told with recomputation, for devices that are alike") != std::string::npos);
  request = good;
  request.memory_accounting.checkpoint = stagecut::checkpointing::always;
  CHECK(said(model, request).find("memory_accounting.checkpoint = always, must be never") != std::string::npos);
  request = good;
  request.microbatches = 0;
  CHECK(said(model, request) != "not refused");
  CHECK(said(model, good, {{"full", "silly"}}) ==
        "stagecut::plan_recomputation: names[1] = \"silly\", is the recomputation of no layer: must be \"none\", "
        "\"part\" or "
        "\"full\"");
}

TEST_CASE("a recomputation without parameters of its own has the layer's, and the checks of plans count them") {
  profile model = decoders(6);
  for (layer& each : model.layers) {
    each.update = 2;
    for (layer_variant& way : each.recomputations) way.parameters = 0;
  }
  plan_request request;
  request.devices = 2;
  request.microbatches = 4;
  request.memory_limit = 180;
  const auto found = plan_recomputation(model, request);
  REQUIRE(found);
  std::size_t recomputed = 0;
  for (const auto& choice : found->choices) recomputed += choice.recomputation.empty() ? 0 : 1;
  CHECK(recomputed > 0);
  CHECK(found->stages[0].memory.resident + found->stages[1].memory.resident == 8 * 5 * 4);
  CHECK(found->stages[0].all_reduce + found->stages[1].all_reduce == 8 * 2);
  CHECK(broken(model, *found).empty());

  // The planner refuses other parameters; the checks do not hold for a plan that says them.
  plan made = *found;
  for (layer& each : model.layers) {
    for (layer_variant& way : each.recomputations) way.parameters = 4;
  }
  made.profile = model;
  CHECK(refusal([&] { return plan_recomputation(model, request); }).find("parameters = 4, must be the layer's, 5") !=
        std::string::npos);
  CHECK(broken(model, made).find("its recomputation has another forward pass, output, parameters") !=
        std::string::npos);
}

TEST_CASE("with none alone it is what make_plan makes, and with more to choose from it is no worse") {
  std::mt19937 dice(5);
  const auto some = [&](std::size_t low, std::size_t high) { return static_cast<double>(drawn(dice, low, high)); };
  std::size_t better = 0;
  std::size_t alone = 0;
  for (int round = 0; round < 60; ++round) {
    CAPTURE(round);
    profile model = decoders(drawn(dice, 3, 7));
    for (layer& each : model.layers) {
      each.workspace = some(0, 40);
      std::vector<layer_variant> ways = each.recomputations.get();
      for (layer_variant& way : ways) way.workspace = some(0, 200);
      each.recomputations = ways;
    }
    for (layer* const end : {&model.layers.front(), &model.layers.back()}) {
      end->forward = some(1, 24);
      end->backward = 2 * end->forward;
      end->backward_input = end->backward_weight = end->forward;
    }
    plan_request request;
    request.devices = drawn(dice, 2, 3);
    request.microbatches = drawn(dice, 2, 6);
    if (dice() % 3 == 0) request.links = {{1e-3, 4}};
    request.memory_limit = some(150, 700);
    const auto plain = stagecut::make_plan(model, request);
    const auto none = plan_recomputation(model, request, {.names = {"none"}});
    const auto best = plan_recomputation(model, request);
    CHECK(none.state() == plain.state());
    if (best) CHECK(most_bytes(*best) <= *request.memory_limit.for_all());
    if (best && best->cuts[1] == 1) ++alone;
    if (!plain) {
      if (best) ++better;
      continue;
    }
    REQUIRE(plain.state() == state::optimal);
    CHECK(*none->makespan == doctest::Approx(*plain->makespan).epsilon(1e-12));
    REQUIRE(best);
    CHECK(*best->makespan <= *plain->makespan * (1 + 1e-12));
    if (*best->makespan < *plain->makespan * (1 - 1e-9)) ++better;
  }
  CHECK(better > 5);
  CHECK(alone > 5);
}

TEST_CASE("plans that cut sequences: the best of all cuts, whose figures hold, and no order but 1F1B") {
  std::mt19937 dice(11);
  const auto some = [&](std::size_t low, std::size_t high) { return static_cast<double>(drawn(dice, low, high)); };
  std::size_t limited = 0;
  for (int round = 0; round < 40; ++round) {
    CAPTURE(round);
    profile model = decoders(drawn(dice, 2, 5));
    for (auto& layer : model.layers) {
      layer.recomputations = {}, layer.forward = some(1, 9), layer.activations = some(0, 40);
      layer.workspace = some(0, 8), layer.recomputed = some(0, 12);
    }
    plan_request request;
    request.devices = drawn(dice, 2, 3);
    request.microbatches = drawn(dice, 1, 4);
    request.slices = std::size_t{1} << drawn(dice, 1, 2);
    request.memory_accounting.boundary_buffers = 2;
    if (dice() % 2 == 0) request.links = {{0.5, 4}};
    request.memory_limit = some(100, 300);
    const auto asked = stagecut::ask_recomputation(model, request);
    const std::size_t n = model.layers.size();
    double best = 0;
    for (std::size_t a = 1; a + request.devices - 2 < n; ++a) {
      for (std::size_t b = request.devices == 2 ? n : a + 1; b <= (request.devices == 2 ? n : n - 1); ++b) {
        std::vector<std::size_t> points{0, a};
        if (request.devices == 3) points.push_back(b);
        points.push_back(n);
        const auto run = stagecut::simulate_recomputation(asked.chain.model, asked.request, stagecut::cuts(points),
                                                          std::vector<std::size_t>(n, 0));
        if (*std::max_element(run.memory.begin(), run.memory.end()) > *request.memory_limit.for_all()) continue;
        if (best == 0 || run.makespan < best) best = run.makespan;
      }
    }
    const auto made = plan_recomputation(model, request);
    CHECK((made.state() == state::infeasible) == (best == 0));
    limited += best == 0 ? 1 : 0;
    if (!made) continue;
    CHECK(*made->makespan == doctest::Approx(best).epsilon(1e-12));
    CHECK(made.state() == state::optimal);
    CHECK(broken(model, *made) == "");
    CHECK(made->schedule == stagecut::schedule_choice{"seq-1f1b", request.microbatches, {}, 0, request.slices});
    const auto run = stagecut::simulate(stagecut::schedule_of(*made), stagecut::times_of(*made, false),
                                        stagecut::transfers_of(*made));
    CHECK(run.makespan == *made->makespan);
    CHECK(stagecut::fullest_device(*made) <= *request.memory_limit.for_all() * (1 + 1e-12));
  }
  CHECK(limited > 3);
  CHECK(limited < 30);
}

TEST_CASE("what does not cut sequences is refused") {
  const profile model = decoders(3);
  plan_request request;
  request.devices = 2;
  request.microbatches = 4;
  request.slices = 2;
  CHECK(refusal([&] { return stagecut::make_plan(model, request); }).find("slices = 2, must be 1") != std::string::npos);
  request.slices = std::size_t{1} << 62U;
  CHECK(refusal([&] { return plan_recomputation(model, request); }).find("makes more than") != std::string::npos);
  request.slices = 2;
  request.stages_per_rank = 2;
  CHECK(refusal([&] { return plan_recomputation(model, request); }).find("slices = 2, needs one stage") !=
        std::string::npos);
  request.stages_per_rank = 1;
  request.schedule = schedule_kind::gpipe;
  CHECK(refusal([&] { return plan_recomputation(model, request); }).find("slices = 2, goes with 1F1B alone") !=
        std::string::npos);
  request.slices = 0;
  CHECK(refusal([&] { return plan_recomputation(model, request); }).find("slices = 0, must be") != std::string::npos);
}

TEST_CASE("the plan of a strategy of one's own is what simulating it tells, within any memory") {
  const profile model = decoders(5);
  for (const std::size_t chunks : {1U, 2U}) {
    plan_request request;
    request.devices = 2;
    request.stages_per_rank = chunks;
    request.microbatches = 4;
    request.links = {{0.5, 4}};
    request.memory_limit = 1;
    const auto asked = stagecut::ask_recomputation(model, request);
    for (const auto choice : {stagecut::even_choice::fastest, stagecut::even_choice::leanest}) {
      const auto own = stagecut::even_recomputation(asked.chain.model, 2 * chunks, choice);
      const plan made = stagecut::plan_of_strategy(model, request, own);
      const auto run = stagecut::simulate_recomputation(asked.chain.model, asked.request, own.cuts, own.choices);
      CHECK(*made.makespan == run.makespan);
      CHECK(most_bytes(made) == std::max(run.memory[0], run.memory[1]));
      CHECK(stagecut::strategy_of(made, asked.chain) == own);
      CHECK(made.objective.state == state::feasible);
      CHECK(made.objective.bound == 0);
    }
  }
}
