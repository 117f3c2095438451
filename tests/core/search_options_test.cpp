// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/search_options.hpp>

#include <cstddef>
#include <type_traits>

#include <doctest/doctest.h>

using stagecut::search_options;
using stagecut::search_progress;

namespace {

static_assert(std::is_copy_constructible_v<search_options> && std::is_nothrow_move_constructible_v<search_options>);

/// Options whose functions nothing else keeps.
search_options made(std::size_t& told) {
  return {.node_limit = 5, .stop = [n = 0]() mutable { return ++n == 3; },
          .progress = [&told](const search_progress& now) { told = now.nodes; }};
}

}  // namespace

TEST_CASE("options have no limit and no function unless they are set") {
  const search_options none;
  CHECK_FALSE(none.time_limit);
  CHECK_FALSE(none.node_limit);
  CHECK(none.seed == 1);
  CHECK_FALSE(none.stop);
  CHECK_FALSE(none.progress);
}

TEST_CASE("copies of options share their functions, also where those keep a state") {
  std::size_t told = 0;
  const search_options first = made(told);
  search_options second = first;
  second.seed = 2;
  CHECK_FALSE(first.stop());
  CHECK_FALSE(second.stop());
  CHECK(first.stop());
  second.progress({.nodes = 7});
  CHECK(told == 7);
}
