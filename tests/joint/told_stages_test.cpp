// SPDX-License-Identifier: BSL-1.0
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/joint/detail/told_stages.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/profile.hpp>

#include <doctest/doctest.h>

using namespace stagecut;
using detail::told_stages;

namespace {

profile model_of(const std::vector<std::string>& kinds) {
  profile made;
  for (const std::string& kind : kinds) {
    made.layers.emplace_back();
    made.layers.back().kind = kind;
    made.layers.back().name = kind;
  }
  return made;
}

}  // namespace

TEST_CASE("layers stand where Megatron-LM has them") {
  const profile model = model_of({"embedding", "decoder", "decoder", "decoder", "norm", "head"});
  const told_stages told(entry_of(framework::megatron), model);
  CHECK(!told.has_equal_middles());
  CHECK(told(0, 6));
  CHECK(told(0, 1));
  CHECK(told(1, 3));
  CHECK(!told(1, 5));  // the norm is on the last stage
  CHECK(told(4, 6));
}

TEST_CASE("without a layout each stage has decoders, and those between equally many") {
  const profile model = model_of({"embedding", "decoder", "decoder", "decoder", "decoder", "decoder", "norm", "head"});
  told_stages told(entry_of(framework::megatron_flags), model);
  CHECK(told.has_equal_middles());
  CHECK(!told(0, 1));
  CHECK(told(0, 2));
  CHECK(!told(6, 8));
  CHECK(told(0, 8));
  const auto none = std::vector<std::optional<std::size_t>>{std::nullopt};
  CHECK(told.middles(1) == none);
  CHECK(told.middles(2) == none);
  CHECK(told.middles(3) == std::vector<std::optional<std::size_t>>{1, 2, 3});
  CHECK(told.middles(5) == std::vector<std::optional<std::size_t>>{1});
  CHECK(told.middles(6) == none);
  told.set_middle(2);
  CHECK(told(2, 4));
  CHECK(!told(2, 3));
  CHECK(!told(2, 5));
  CHECK(told(0, 4));
  CHECK(told(3, 8));
  told.set_middle({});
  CHECK(told(2, 5));
}

TEST_CASE("what is kept together is not cut") {
  profile model = model_of({"a", "b", "c", "d"});
  for (const std::size_t i : {1U, 3U}) model.layers[i].tied = std::vector<tied_parameters>{{"t", 1, {}, {}}};
  const told_stages told(entry_of(framework::sagemaker), model);  // shared parameters are on one stage
  CHECK(told(0, 1));
  CHECK(told(1, 4));
  CHECK(!told(0, 2));
  CHECK(!told(2, 4));
  CHECK(told(0, 4));
}
