// SPDX-License-Identifier: BSL-1.0
#include <stagecut/profile/layer.hpp>

#include <doctest/doctest.h>

TEST_CASE("a layer takes no time unless it is said") {
  CHECK(stagecut::layer{}.time() == 0);
  CHECK(stagecut::layer{"a", "b", 1, 2, 3, 4, 5}.time() == 3);
  CHECK(stagecut::layer{"a", "b"} != stagecut::layer{"a", "c"});
  stagecut::layer parent{"a", "b"};
  parent.children = {1};
  CHECK(parent != stagecut::layer{"a", "b"});
}
