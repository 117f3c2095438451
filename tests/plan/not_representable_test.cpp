// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/not_representable.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <type_traits>

TEST_CASE("names the format and the reason") {
  static_assert(std::is_base_of_v<std::invalid_argument, stagecut::not_representable>);
  const stagecut::not_representable error("vllm", "stage 1 has no decoder");
  CHECK(std::string(error.what()) == "vllm cannot express this plan: stage 1 has no decoder");
  CHECK(error.format() == "vllm");
}
