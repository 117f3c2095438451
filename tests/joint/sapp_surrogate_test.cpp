// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <stagecut/joint/baselines/sapp_surrogate.hpp>
#include <stagecut/joint/minimize_recomputation.hpp>
#include <stagecut/joint/simulate_recomputation.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"
#include "random_models.hpp"

using namespace stagecut;

namespace {

/// SAPP's rows, one by one.
double objective_by_rows(const joint_tests::small_case& of, const recompute_run& run, std::size_t level) {
  const std::size_t p = of.request.schedule.ranks();
  const std::size_t v = of.request.schedule.stages() / p;
  const std::size_t m = of.request.schedule.microbatches;
  const auto f = [&](std::size_t chunk, std::size_t s) { return run.times.forward[chunk * p + s]; };
  const auto b = [&](std::size_t chunk, std::size_t s) { return run.times.backward[chunk * p + s]; };
  double max_stage = 0;
  double max_last = 0;
  for (std::size_t s = 0; s < p; ++s) {
    if (v == 1 || m != p || level == 0) {
      for (std::size_t i = 0; i < v; ++i) {
        for (std::size_t j = 0; j < v; ++j) max_stage = std::max(max_stage, f(i, s) + b(j, s));
      }
      continue;
    }
    for (std::size_t i = 0; i + 1 < v; ++i) max_stage = std::max(max_stage, b(i, s));
    const double tail = s + 1 == p ? of.model.tail.forward : 0;
    double among = static_cast<double>(s);
    if (of.request.schedule.name != "sapp-less-memory") {
      among = s < p / 2 ? 0 : std::abs(static_cast<double>(p) - 1 - 2 * static_cast<double>(s));
    }
    max_last = std::max(max_last, b(v - 1, s) + tail + among / static_cast<double>(m) * (f(v - 1, s) - tail));
  }
  return max_stage + (max_last == 0 ? 0 : std::max(max_stage, max_last));
}

struct best_plan {
  double objective;
  double recomputed;
};

/// The least objective, and the least that is recomputed with it, by trying everything.
std::optional<best_plan> best_of_all(const joint_tests::small_case& drawn, std::size_t level) {
  std::optional<best_plan> best;
  const recompute_request& request = drawn.request;
  joint_tests::each_cut(drawn, [&](const std::vector<std::size_t>& points) {
    joint_tests::each_choice(drawn.model, points, [&](const std::vector<std::size_t>& choices) {
      for (std::size_t r = 0; r < request.schedule.ranks(); ++r) {
        if (joint_tests::peak_of(drawn, r, points, choices) > *request.memory_limit.for_all()) return;
      }
      const cuts stages(points, empty_stages::allowed);
      const recompute_run run = simulate_recomputation(drawn.model, request, stages, choices);
      const double here = objective_by_rows(drawn, run, level);
      CHECK(sapp_objective(drawn.model, request, stages, choices, level) == doctest::Approx(here).epsilon(1e-12));
      double recomputed = 0;
      for (const double each : run.recomputed) recomputed += each;
      // Multiples of 1 / m, m at most 6: they are equal or far apart.
      if (!best || here < best->objective - 1e-9) {
        best = {here, recomputed};
      } else if (here < best->objective + 1e-9) {
        best->recomputed = std::min(best->recomputed, recomputed);
      }
    });
  });
  return best;
}

}  // namespace

TEST_CASE("the least objective of small models, compared with all plans") {
  const std::size_t wanted =
      std::getenv("STAGECUT_CASES") ? std::strtoul(std::getenv("STAGECUT_CASES"), nullptr, 10) : 30;
  std::mt19937 dice(5);
  std::size_t infeasible = 0;
  std::size_t slower = 0;
  for (std::size_t done = 0; done < wanted;) {
    const joint_tests::small_case drawn = joint_tests::drawn_case(dice, done % 2 == 0 ? 1 : 3);
    if (joint_tests::plans_of(drawn) > 2000) continue;
    ++done;
    CAPTURE(done);
    for (std::size_t level = 0; level <= 1; ++level) {
      const std::optional<best_plan> best = best_of_all(drawn, level);
      const auto found = minimize_sapp_surrogate(drawn.model, drawn.request, level);
      infeasible += best ? 0 : 1;
      if (!best) {
        CHECK(found.state() == state::infeasible);
        continue;
      }
      REQUIRE(found.state() == state::optimal);
      CHECK(found->value == doctest::Approx(best->objective).epsilon(1e-12));
      CHECK(found->bound == found->value);
      CHECK(found->recomputed == best->recomputed);
      CHECK(sapp_objective(drawn.model, drawn.request, found->cuts, found->choices, level) == found->value);
      for (const double bytes : found->memory) CHECK(bytes <= *drawn.request.memory_limit.for_all());
      const auto ours = minimize_recomputation(drawn.model, drawn.request);
      REQUIRE(ours.state() == state::optimal);
      CHECK(ours->value <= found->makespan);
      slower += ours->value < found->makespan ? 1 : 0;
    }
  }
  MESSAGE(infeasible, " of ", 2 * wanted, " infeasible, ", slower, " times the makespan is not the least");
}

TEST_CASE("too many options: a plan, and a bound of the work") {
  recompute_model model;
  for (std::size_t t = 0; t < 4; ++t) {
    const auto time = static_cast<double>(t + 1);
    model.types.push_back({.forward = time, .choices = {{"none", 2 * time, 0, 5}, {"full", 3 * time, 0, 1}}});
  }
  for (std::size_t i = 0; i < 60; ++i) model.layers.push_back(i * i % 7 % 4);
  recompute_request request{.schedule = sapp_interleaved(3, 3, 3, sapp_memory::big)};
  request.memory_limit = 400;
  const auto found = minimize_sapp_surrogate(model, request);
  REQUIRE(found.has_value());
  CHECK(found->bound <= found->value);
  CHECK(found->bound > 0);
  MESSAGE(std::string(to_string(found.state())), ", ", found->value, " with bound ", found->bound);
}

TEST_CASE("what SAPP has no objective for") {
  recompute_model model;
  model.types.push_back({.forward = 1, .choices = {{"none", 2, 0, 1}}});
  model.layers.assign(8, 0);
  const auto said = [&](schedule order, std::size_t level) {
    return refusal([&] { return minimize_sapp_surrogate(model, {.schedule = std::move(order)}, level); });
  };
  CHECK(said(one_forward_one_backward(4, 4), 2) == "stagecut::minimize_sapp_surrogate: level = 2, must be 0 or 1");
  CHECK(said(zbv(2, 4), 1) ==
        "stagecut::minimize_sapp_surrogate: order = \"zbv\", must have the stages of the ranks in turn");
  CHECK(said(zb_h1(2, 4), 1) == "stagecut::minimize_sapp_surrogate: order = \"zb-h1\", must run backward passes whole");
  CHECK(refusal([&] {
          return sapp_objective(model, {.schedule = zb_h1(2, 4)}, cuts{0, 4, 8}, {}, 0);
        }) == "stagecut::sapp_objective: order = \"zb-h1\", must run backward passes whole");
  const auto few = minimize_sapp_surrogate(model, {.schedule = one_forward_one_backward(9, 9)});
  CHECK(few.why().what == reason::cause::more_stages_than_layers);
}
