// SPDX-License-Identifier: BSL-1.0
#include <stagecut/core/search_end.hpp>

#include <doctest/doctest.h>

#include <string>

using stagecut::search_end;
using stagecut::detail::record_end;

TEST_CASE("what ended a search has a name") {
  CHECK(to_string(search_end::complete) == std::string("complete"));
  CHECK(to_string(search_end::node_limit) == std::string("node limit"));
  CHECK(to_string(search_end::time_limit) == std::string("time limit"));
  CHECK(to_string(search_end::stopped) == std::string("stopped"));
}

TEST_CASE("of several reasons the later one stays") {
  search_end why = search_end::complete;
  record_end(&why, search_end::time_limit);
  CHECK(why == search_end::time_limit);
  record_end(&why, search_end::node_limit);
  CHECK(why == search_end::time_limit);
  record_end(&why, search_end::stopped);
  CHECK(why == search_end::stopped);
  record_end(nullptr, search_end::stopped);
}
