// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/joint/even_recomputation.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/joint/simulate_recomputation.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

#include <doctest/doctest.h>

#include "../refusal.hpp"

using namespace stagecut;

namespace {

/// Layers of two types: `a` can be run in four ways, `b` in two.
recompute_model two_types(std::size_t layers) {
  recompute_model model;
  model.types.push_back({.name = "a",
                         .forward = 1,
                         .choices = {{"none", 2, 0, 9}, {"wide", 2, 0, 10}, {"full", 3, 0, 1}, {"slow", 4, 0, 1}}});
  model.types.push_back({.name = "b", .forward = 2, .choices = {{"full", 6, 0, 1}, {"none", 4, 0, 5}}});
  for (std::size_t i = 0; i < layers; ++i) model.layers.push_back(i < layers / 2 ? 0 : 1);
  return model;
}

std::vector<std::size_t> points(const recompute_strategy& plan) {
  return {plan.cuts.points().begin(), plan.cuts.points().end()};
}

}  // namespace

TEST_CASE("layers are dealt out evenly, the first stages being longer") {
  CHECK(points(even_recomputation(two_types(8), 4, even_choice::fastest)) == std::vector<std::size_t>{0, 2, 4, 6, 8});
  CHECK(points(even_recomputation(two_types(10), 4, even_choice::leanest)) == std::vector<std::size_t>{0, 3, 6, 8, 10});
  CHECK(points(even_recomputation(two_types(2), 4, "none")) == std::vector<std::size_t>{0, 1, 2, 2, 2});
  CHECK(points(even_recomputation(two_types(3), 1, "full")) == std::vector<std::size_t>{0, 3});
}

TEST_CASE("every layer has the choice that was asked for") {
  const recompute_model model = two_types(4);
  using numbers = std::vector<std::size_t>;
  CHECK(even_recomputation(model, 2, even_choice::fastest).choices == numbers{0, 0, 1, 1});
  CHECK(even_recomputation(model, 2, even_choice::leanest).choices == numbers{2, 2, 0, 0});
  CHECK(even_recomputation(model, 2, "full").choices == numbers{2, 2, 0, 0});
  CHECK(even_recomputation(model, 2, "none") == even_recomputation(model, 2, even_choice::fastest));
}

TEST_CASE("an even plan can be simulated") {
  const recompute_model model = two_types(4);
  const recompute_request request{.schedule = one_forward_one_backward(2, 4)};
  const auto lean = even_recomputation(model, 2, even_choice::leanest);
  const recompute_run run = simulate_recomputation(model, request, lean.cuts, lean.choices);
  CHECK(run.times.forward == std::vector<double>{2, 4});
  CHECK(run.times.backward == std::vector<double>{6, 12});
  CHECK(run.recomputed == std::vector<double>{2, 4});
  CHECK(run.memory == std::vector<double>{4, 2});
  CHECK(run.makespan == 2 + 4 * 16 + 6);
}

TEST_CASE("even plans that there are not") {
  CHECK(refusal([] { return even_recomputation(two_types(4), 0, even_choice::fastest); }) ==
        "stagecut::even_recomputation: stages = 0, must be at least 1");
  CHECK(refusal([] { return even_recomputation(two_types(4), 2, "slow"); }) ==
        "stagecut::even_recomputation: name = \"slow\", must be a choice of \"b\": full or none");
  CHECK_THROWS_AS((void)even_recomputation(two_types(0), 2, "none"), invalid_input);
}
