// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/joint/minimize_hybrid.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"
#include "hybrid_models.hpp"

using namespace stagecut;

namespace {

std::size_t cases_wanted(std::size_t usual) {
  return std::getenv("STAGECUT_CASES") ? std::strtoul(std::getenv("STAGECUT_CASES"), nullptr, 10) : usual;
}

/// Layers with both passes, whose stages run on a few replicas and ways, recomputed or not; links repeat after `links`.
struct timed_layers {
  struct layer {
    double forward, backward, parameters, kept, resident, message;
  };
  std::vector<layer> layers;
  std::vector<std::pair<std::size_t, std::size_t>> shapes{{1, 1}, {2, 1}, {3, 1}, {1, 2}, {2, 2}};
  std::vector<double> links{0};
  double unit = 1;

  [[nodiscard]] std::size_t size() const { return layers.size(); }
  [[nodiscard]] std::size_t period() const { return links.size(); }
  [[nodiscard]] static bool has(std::size_t, std::size_t) { return true; }

  template <class Visit>
  void each_option(const stage_query& query, const Visit& visit) const {
    for (const auto& [replicas, ways] : shapes) {
      for (std::size_t choice = 0; choice < 2; ++choice) {
        stage_option option{replicas, ways, choice};
        const auto share = static_cast<double>(replicas) * (ways == 1 ? 1 : 1.6);
        for (std::size_t i = query.first; i < query.last; ++i) {
          const layer& each = layers[i];
          option.forward += unit * each.forward / share;
          option.backward += unit * (each.backward + (choice == 1 ? each.forward : 0)) / share;
          option.activations += each.kept / (choice == 1 ? 4 : 1) / static_cast<double>(replicas * ways);
          option.resident += each.resident / static_cast<double>(ways);
          option.all_reduce += replicas > 1 ? unit * each.parameters : 0;
        }
        const double link = unit * links[query.device % links.size()];
        option.message = query.first > 0 ? unit * layers[query.first].message + link : 0;
        option.all_reduce += replicas > 1 ? link : 0;
        option.time = option.forward + option.backward;
        visit(option);
      }
    }
  }
};

struct timed_case {
  timed_layers model;
  hybrid_request request;
};

timed_case drawn_case(std::mt19937& dice, std::size_t most_layers, std::size_t most_devices) {
  const auto draw = [&dice](std::size_t least, std::size_t most) {
    return static_cast<double>(least + dice() % (most - least + 1));
  };
  timed_case made;
  const bool messages = dice() % 2 == 0;
  for (auto i = static_cast<std::size_t>(draw(1, most_layers)); i > 0; --i) {
    made.model.layers.push_back(
        {draw(0, 20), draw(1, 30), draw(0, 20), draw(0, 9), draw(0, 6), messages ? draw(0, 9) : 0});
  }
  made.model.unit = dice() % 3 == 0 ? 1.0 / 3 : 1;
  made.request.devices = static_cast<std::size_t>(draw(1, most_devices));
  if (made.request.devices % 2 == 0 && dice() % 3 == 0) made.model.links = {draw(0, 8), draw(0, 2)};
  made.request.microbatches = static_cast<std::size_t>(draw(1, 8));
  made.request.at_most = dice() % 2 == 0;
  if (dice() % 3 != 0) made.request.memory_limit = draw(5, 60);
  if (dice() % 6 == 0) made.request.stages = static_cast<std::size_t>(draw(1, 4));
  made.request.search.time_limit.reset();
  return made;
}

std::optional<double> least_makespan(const timed_case& of) {
  std::optional<double> best;
  joint_tests::each_hybrid(of.model, of.request, [&](const std::vector<hybrid_stage>& stages) {
    if (of.request.memory_limit.for_all() && joint_tests::bytes_of(of.request, stages) > *of.request.memory_limit.for_all()) return;
    const double here = joint_tests::makespan_of(stages, of.request.microbatches);
    if (!best || here < *best) best = here;
  });
  return best;
}

/// Whether the stages are a cut of the model on its devices.
void check_stages(const timed_case& of, const hybrid_cut& cut) {
  std::size_t point = 0;
  std::size_t device = cut.stages[0].first_device;
  for (const hybrid_stage& stage : cut.stages) {
    CHECK(stage.first == point);
    CHECK(stage.first_device == device);
    point = stage.last;
    device += stage.option.devices();
  }
  CHECK(point == of.model.size());
  CHECK(device == of.request.devices);
  CHECK((of.request.at_most || cut.stages[0].first_device == 0));
  CHECK(joint_tests::makespan_of(cut.stages, of.request.microbatches) == cut.value);
  if (of.request.memory_limit.for_all()) CHECK(joint_tests::bytes_of(of.request, cut.stages) <= *of.request.memory_limit.for_all());
}

constexpr double rounding = 1e-12;

}  // namespace

TEST_CASE("against enumeration: optimal and infeasible, and bounds wherever it stops") {
  std::size_t infeasible = 0;
  for (std::size_t k = 0; k < cases_wanted(150); ++k) {
    std::mt19937 dice(static_cast<unsigned>(k + 1));
    timed_case drawn = drawn_case(dice, 5, 5);
    const std::optional<double> best = least_makespan(drawn);
    CAPTURE(k);
    const auto found = minimize_hybrid(drawn.model, drawn.request);
    if (!best) {
      ++infeasible;
      CHECK(found.state() == state::infeasible);
    } else {
      REQUIRE(found.state() == state::optimal);
      CHECK(found->value == doctest::Approx(*best).epsilon(rounding));
      CHECK(found->bound == found->value);
      check_stages(drawn, *found);
    }
    drawn.request.search.node_limit = dice() % 400;
    const auto stopped = minimize_hybrid(drawn.model, drawn.request);
    CHECK((best || !stopped));
    CHECK((!best || stopped.state() != state::infeasible));
    if (!best || !stopped) continue;
    CHECK(stopped->bound <= *best * (1 + rounding));
    CHECK(stopped->value >= *best * (1 - rounding));
    if (stopped.state() == state::optimal) CHECK(stopped->value == doctest::Approx(*best).epsilon(rounding));
    check_stages(drawn, *stopped);
  }
  CHECK(infeasible > 0);
}

TEST_CASE("more devices and more memory never worsen a plan, and times scale it") {
  for (unsigned k = 0; k < 20; ++k) {
    std::mt19937 dice(1000 + k);
    timed_case drawn = drawn_case(dice, 8, 8);
    drawn.request.at_most = true;
    drawn.request.stages.reset();
    drawn.model.links = {0};
    const auto first = minimize_hybrid(drawn.model, drawn.request);
    CAPTURE(k);
    timed_case other = drawn;
    other.model.unit *= 4;
    const auto scaled = minimize_hybrid(other.model, other.request);
    CHECK(scaled.state() == first.state());
    if (first) CHECK(scaled->value == 4 * first->value);
    other = drawn;
    other.request.devices += 3;
    const auto more = minimize_hybrid(other.model, other.request);
    if (first) CHECK(more->value <= first->value * (1 + rounding));
    other = drawn;
    other.request.memory_limit = other.request.memory_limit.scaled(2);
    const auto roomier = minimize_hybrid(other.model, other.request);
    if (first) CHECK(roomier->value <= first->value * (1 + rounding));
  }
}

TEST_CASE("the number of stages can be given, and the best of all numbers is the best") {
  std::mt19937 dice(5);
  timed_case drawn = drawn_case(dice, 6, 6);
  drawn.model.layers.resize(6, {4, 8, 3, 1, 1, 1});
  drawn.request = {};
  drawn.request.devices = 6;
  drawn.request.microbatches = 12;
  drawn.request.at_most = true;
  const auto best = minimize_hybrid(drawn.model, drawn.request);
  REQUIRE(best);
  double least = std::numeric_limits<double>::max();
  for (std::size_t stages = 1; stages <= 6; ++stages) {
    drawn.request.stages = stages;
    const auto here = minimize_hybrid(drawn.model, drawn.request);
    REQUIRE(here.state() == state::optimal);
    CHECK(here->stages.size() == stages);
    least = std::min(least, here->value);
  }
  CHECK(best->value == doctest::Approx(least).epsilon(rounding));
}

TEST_CASE("what does not fit is told") {
  timed_layers model;
  model.layers.assign(4, {1, 2, 0, 10, 5, 0});
  hybrid_request request;
  request.devices = 2;
  request.microbatches = 4;
  request.memory_limit = 9;
  const auto found = minimize_hybrid(model, request);
  REQUIRE(found.state() == state::infeasible);
  const std::string why = found.why().text();
  CHECK(why.find("bytes a device would do") != std::string::npos);
  const std::size_t enough = std::strtoul(found.why().remedy.c_str(), nullptr, 10);
  request.memory_limit = static_cast<double>(enough);
  CHECK(minimize_hybrid(model, request).has_value());
  request.memory_limit = static_cast<double>(enough - 1);
  CHECK(minimize_hybrid(model, request).state() == state::infeasible);
  request.memory_limit = {};
  request.stages = 5;
  CHECK(minimize_hybrid(model, request).why().what == reason::cause::more_stages_than_layers);
  request.stages = 3;
  CHECK(minimize_hybrid(model, request).why().text() ==
        "no cut keeps to the constraint: 3 stages need at least 3 devices, and there are 2");
}

TEST_CASE("what makes no sense is refused") {
  timed_layers model;
  model.layers.assign(2, {1, 2, 0, 0, 0, 0});
  const auto said = [&](const hybrid_request& request) {
    return refusal<argument_error>([&] { (void)minimize_hybrid(model, request); });
  };
  CHECK(said({.devices = 0}) == "stagecut::minimize_hybrid: request.devices = 0, must be at least 1");
  CHECK(said({.microbatches = 0}) == "stagecut::minimize_hybrid: request.microbatches = 0, must be at least 1");
  CHECK(said({.in_flight_rule = in_flight_rule::replicas}) ==
        "stagecut::minimize_hybrid: request.in_flight = replicas, must be `stages`, as 1F1B keeps them");
  model.layers[1].forward = -1;
  CHECK(refusal<invalid_input>([&] { (void)minimize_hybrid(model, {}); }) ==
        "option of the stage [1, 2): replicas and tensor_parallel must be at least 1, times and bytes finite and not negative");
}

TEST_CASE("a plan that is known is kept unless another one is better") {
  std::mt19937 dice(31);
  for (std::size_t i = 0; i < cases_wanted(300); ++i) {
    CAPTURE(i);
    timed_case of = drawn_case(dice, 4, 4);
    const auto best = minimize_hybrid(of.model, of.request);
    if (!best) continue;
    REQUIRE(best.state() == state::optimal);
    hybrid_cut known;
    known.value = best->value;  // of other options
    of.request.start = &known;
    const auto same = minimize_hybrid(of.model, of.request);
    REQUIRE(same.state() == state::optimal);
    CHECK(same->value == best->value);
    CHECK(same->stages.empty());
    known.value = best->value * (1 + 1.0 / static_cast<double>(1 + i % 9)) + 1;
    const auto better = minimize_hybrid(of.model, of.request);
    REQUIRE(better.state() == state::optimal);
    CHECK(better->value == doctest::Approx(best->value).epsilon(rounding));
    if (best->value > 0) CHECK_FALSE(better->stages.empty());
    of.request.search.node_limit = 0;
    const auto stopped = minimize_hybrid(of.model, of.request);
    REQUIRE(stopped);
    CHECK(stopped->bound <= best->value * (1 + rounding));
    CHECK(stopped->value <= known.value);
  }
}
