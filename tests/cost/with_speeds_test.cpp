// SPDX-License-Identifier: BSL-1.0
#include <stagecut/cost/with_speeds.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <string>

#include "../refusal.hpp"
#include "small_models.hpp"

using small::heavy;
using small::least;
using stagecut::item_times;
using stagecut::with_speeds;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("what stays known on devices of different speeds") {
  static_assert(!stagecut::promises<with_speeds<item_times>, stagecut::stage_invariant>);
  static_assert(stagecut::split_pipeline_model<with_speeds<item_times>>);
  static_assert(!stagecut::split_pipeline_model<with_speeds<least>>);
  static_assert(stagecut::memory_pipeline_model<with_speeds<heavy>>);
}

TEST_CASE("devices of different speeds") {
  const with_speeds<item_times> model(item_times({1, 2}, {4, 6}, {2, 2}, {9, 9}), {1, 2, 0.5});
  CHECK(model.size() == 2);
  CHECK(model.forward(0, 1) == 2);
  CHECK(model.forward(1, 0) == 0.5);
  CHECK(model.backward(2, 1) == 12);
  CHECK(model.backward_weight(1, 0) == 1);
  CHECK(model.sent(1) == 9);
  CHECK(model.splits_backward());
  const with_speeds<heavy> kept(heavy{}, {2, 2});
  CHECK(kept.memory(1, 0, 1, 7) == 7);
  CHECK(kept.backward(1, 0) == 1);
}

TEST_CASE("gradients that take another time apart, on devices of different speeds") {
  const stagecut::split_item_times lists({1, 2}, {4, 6}, {3, 5}, {2, 7});
  const with_speeds<stagecut::split_item_times> model(lists, {1, 2});
  CHECK(model.backward_input(0, 1) == 5);
  CHECK(model.backward_input(1, 1) == 2.5);
  CHECK(model.backward_weight(1, 1) == 3.5);
  CHECK(model.splits_backward());
}

TEST_CASE("speeds that are none") {
  const item_times model({1}, {1});
  CHECK(refusal([&] {
          return with_speeds<item_times>(model, {1, 0});
        }) == "stagecut::with_speeds: speeds[1] = 0.000000, must be above 0");
  CHECK(refusal([&] { return with_speeds<item_times>(model, {-1}); }) ==
        "stagecut::with_speeds: speeds[0] = -1.000000, must be above 0");
  CHECK(refusal([&] { return with_speeds<item_times>(model, {infinity}); }) ==
        "stagecut::with_speeds: speeds[0] = inf, must be above 0");
  const with_speeds<item_times> short_list(model, {1, 2});
  CHECK(refusal([&] { return short_list.forward(2, 0); }) ==
        "stagecut::with_speeds: speeds.size() = 2, must be the number of stages, above 2");
}
