// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/detail/search_limits.hpp>

#include <doctest/doctest.h>

using stagecut::search_end;
using stagecut::search_options;
using stagecut::detail::is_over;
using stagecut::detail::spent_all;

TEST_CASE("a search is over at its nodes, its seconds, a part of them, or a stop") {
  search_end why = search_end::complete;
  search_options limits{.time_limit = 10, .node_limit = 100, .ended = &why};
  CHECK_FALSE(is_over(limits, 99, 9.5));
  CHECK(why == search_end::complete);
  CHECK(is_over(limits, 50, 1, 0.5));
  CHECK(why == search_end::node_limit);
  CHECK(is_over(limits, 0, 5, 0.5));
  CHECK(why == search_end::time_limit);
  limits.stop = [] { return true; };
  CHECK(is_over(limits, 0, 0));
  CHECK(why == search_end::stopped);
  CHECK_FALSE(is_over({}, 1e300, 1e300));
}

TEST_CASE("nodes are spent when there are as many as the limit") {
  search_end why = search_end::complete;
  const search_options limits{.node_limit = 3, .ended = &why};
  CHECK_FALSE(spent_all(limits, 2));
  CHECK(why == search_end::complete);
  CHECK(spent_all(limits, 3));
  CHECK(why == search_end::node_limit);
  CHECK_FALSE(spent_all({}, 1000));
}
