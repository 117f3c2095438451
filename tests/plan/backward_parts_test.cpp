// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/parts/backward_parts.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <optional>

#include <stagecut/profile/layer.hpp>

using stagecut::planned_stage;
using stagecut::detail::backward_parts;

namespace {

stagecut::layer parts_of(double backward, std::optional<double> input, std::optional<double> weight) {
  stagecut::layer each;
  each.backward = backward;
  each.backward_input = input;
  each.backward_weight = weight;
  return each;
}

}  // namespace

TEST_CASE("parts that make up the whole say the weights alone") {
  backward_parts parts;
  parts.add(parts_of(0.3, 0.1, 0.2));
  parts.add(parts_of(0.7, 0.6, 0.1));
  CHECK(parts.known());
  CHECK_FALSE(parts.apart());
  planned_stage stage;
  parts.write_to(stage, 2, 0);
  CHECK(*stage.backward_weight == doctest::Approx(0.15));
  CHECK_FALSE(stage.backward_input.has_value());
}

TEST_CASE("parts that take longer say both, the input with what is computed again") {
  backward_parts parts;
  parts.add(parts_of(4, 3, 2));
  parts.add(parts_of(2, 0, 2));
  CHECK(parts.apart());
  planned_stage stage;
  parts.write_to(stage, 0.5, 7);
  CHECK(stage.backward_weight == 8);
  CHECK(stage.backward_input == 13);
}

TEST_CASE("what is not known, or not finite, is not written") {
  backward_parts parts;
  parts.add(parts_of(4, 3, 2));
  parts.add(parts_of(2, {}, {}));
  CHECK_FALSE(parts.known());
  CHECK_FALSE(parts.apart());
  planned_stage stage;
  parts.write_to(stage, 1, 0);
  CHECK(stage == planned_stage());
  backward_parts huge;
  huge.add(parts_of(1, std::numeric_limits<double>::max(), std::numeric_limits<double>::max()));
  huge.write_to(stage, 1, 0);
  CHECK(stage == planned_stage());
}

TEST_CASE("a layer that tells the weights alone leaves the rest to the input") {
  backward_parts parts;
  parts.add(parts_of(4, {}, 1));
  CHECK(parts.known());
  CHECK_FALSE(parts.apart());
}
