// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/stage_times.hpp>
#include <stagecut/cost/with_speeds.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <string>

#include "../refusal.hpp"
#include "small_models.hpp"

using small::least;
using stagecut::item_times;
using stagecut::with_speeds;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("stages that take a time of their own") {
  using stagecut::stage_times;
  using stagecut::with_stage_times;
  const item_times items({1, 2}, {4, 6}, {2, 2});
  const with_stage_times<item_times> model(items, {{5}, {7, 8, 9}, {}});
  static_assert(stagecut::promises<with_stage_times<item_times>, stagecut::stage_invariant>);
  static_assert(!stagecut::promises<with_stage_times<least>, stagecut::stage_invariant>);
  static_assert(stagecut::split_pipeline_model<with_stage_times<item_times>>);
  CHECK(model.forward(2, 1) == 2);
  CHECK(model.stage_forward(0) == 5);
  CHECK(model.stage_forward(100) == 5);  // one number for all
  CHECK(model.stage_backward(2) == 9);
  CHECK(model.stage_backward_weight(2) == 0);
  CHECK(refusal([&] { return model.stage_backward(3); }) ==
        "stagecut::with_stage_times: times.backward.size() = 3, must be the number of stages, above 3");
  // One around the other: what is told already counts, too, and speeds divide all that they are put around.
  const with_stage_times<with_stage_times<item_times>> more(model, {{}, {1}, {1}});
  CHECK(more.stage_forward(1) == 5);
  CHECK(more.stage_backward(1) == 9);
  CHECK(more.stage_backward_weight(1) == 1);
  const with_speeds<with_stage_times<item_times>> slow(model, {1, 0.5, 2});
  CHECK(slow.stage_forward(1) == 10);
  CHECK(slow.stage_backward(2) == 4.5);
  CHECK(slow.stage_backward_weight(2) == 0);
  CHECK(with_speeds<item_times>(items, {2}).stage_forward(0) == 0);
}

TEST_CASE("times of stages that are none") {
  using stagecut::with_stage_times;
  const item_times items({1, 2}, {4, 6});
  const auto refused = [&](const stagecut::stage_times& times) {
    return refusal([&] { return with_stage_times<item_times>(items, times); });
  };
  CHECK(refused({{1, -1}, {}, {}}) == "forward[1]: must be finite and not negative");
  CHECK(refused({{}, {infinity}, {}}) == "backward[0]: must be finite and not negative");
  CHECK(refused({{}, {1, 2}, {0, -2}}) == "backward_weight[1]: must be finite and not negative");
  CHECK(refused({{}, {1, 2}, {1, 3}}) == "backward_weight[1]: is above the whole backward pass");
  CHECK(refused({{}, {2, 1}, {2}}) == "backward_weight[1]: is above the whole backward pass");
  CHECK(refused({{}, {}, {1}}) == "backward_weight[0]: is above the whole backward pass");
  CHECK(refused({{}, {1}, {1, 1, 1}}) == "not refused");
}
