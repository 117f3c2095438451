// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/not_representable.hpp>

#include <doctest/doctest.h>

#include <type_traits>

TEST_CASE("it is one type, whoever throws it") {
  static_assert(std::is_same_v<stagecut::io::not_representable, stagecut::not_representable>);
  CHECK_THROWS_AS(throw stagecut::io::not_representable("vllm", "why"), stagecut::not_representable);
}
