// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <limits>
#include <tuple>
#include <vector>

#include <stagecut/joint/detail/known_options.hpp>

#include <doctest/doctest.h>

#include "hybrid_models.hpp"

using namespace stagecut;

namespace {

using shown = std::vector<std::tuple<std::size_t, std::size_t, std::size_t, double>>;

shown shown_by(detail::known_options& known, std::size_t last, const std::vector<std::size_t>& devices, double most) {
  shown all;
  known.each(
      last, devices, most, [](const stage_option&) { return true; },
      [&](std::size_t first, std::size_t device, const stage_option& option) {
        if (option.time <= most) all.emplace_back(first, device, option.replicas, option.time);
        return option.time <= most;
      });
  return all;
}

}  // namespace

TEST_CASE("options are asked for once where few are kept, and are the same where none is") {
  joint_tests::hybrid_layers model;
  for (int i = 1; i < 6; ++i) model.layers.push_back({{8.0 * i, 9.0 * i}, {1, 1}, 1, 1, 1});
  model.shapes = {{1, 1}, {2, 1}};
  model.links = {0, 4};
  const detail::stage_options_of asked_of(model);
  detail::known_options kept(asked_of, {}, 1000);
  const shown narrow = shown_by(kept, 4, {1}, 20);
  const std::size_t asked = model.asked;
  CHECK(asked == 4);
  CHECK(shown_by(kept, 4, {1}, 20) == narrow);
  const shown all = shown_by(kept, 4, {1}, 1000);
  CHECK(all.size() == 16);
  CHECK(model.asked == asked);
  CHECK(shown_by(kept, 4, {2}, 1000).size() == 16);  // other devices are asked for
  CHECK(model.asked == 2 * asked);
  CHECK(shown_by(kept, 4, {1, 2}, 1000).size() == 32);
  CHECK(model.asked == 2 * asked);

  detail::known_options forgotten(asked_of, {}, 3);
  CHECK(shown_by(forgotten, 4, {1}, 1000) == all);
  CHECK(shown_by(forgotten, 4, {1}, 20) == narrow);
  CHECK(forgotten.largest(7, [](const stage_option& option) { return option.time; }) == 7);
  CHECK(kept.largest(35, [](const stage_option& option) { return option.time; }) == 32.5);
  std::size_t of_one = 0;
  for (auto* known : {&kept, &forgotten}) {
    known->of_stage(1, 4, {1}, 1000, [&](std::size_t device, const stage_option&) { of_one += device; });
  }
  CHECK(of_one == 8);
}
