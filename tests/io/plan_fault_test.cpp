// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/plan_fault.hpp>

#include <doctest/doctest.h>

namespace detail = stagecut::io::detail;

TEST_CASE("a fault is one if it says something") {
  CHECK_FALSE(detail::plan_fault{});
  CHECK_FALSE(detail::plan_fault{"/a", "1", ""});
  const auto fault = detail::not_below(detail::element_at("/a", 3, "/b"), 7, "things", 5);
  REQUIRE(fault);
  CHECK(fault.pointer == "/a/3/b");
  CHECK(fault.what == "7");
  CHECK(fault.problem == "is not below the number of things, 5");
}
