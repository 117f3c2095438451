// SPDX-License-Identifier: BSL-1.0
#include <stagecut/graph/detail/load_work.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>

using stagecut::search_options;
using stagecut::detail::most_work;
using stagecut::detail::work_of_round;

TEST_CASE("work counts where rounds are limited, and time is not") {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  search_options limits{.time_limit = 10};
  CHECK(most_work(limits, 1, 10) == most);
  limits.node_limit = 3;
  CHECK(most_work(limits, 1, 10) == most);
  limits.time_limit.reset();
  CHECK(most_work(limits, 1, 10) == 4 * work_of_round(10));
  CHECK(most_work(limits, 1, 5000) == 4 * work_of_round(5000));
  CHECK(work_of_round(5000) > work_of_round(10));
  limits.node_limit = 0;  // what is small is proved anyhow
  CHECK(most_work(limits, 1, 10) == work_of_round(10));
  limits.node_limit = 40;
  CHECK(most_work(limits, 0.25, 10) == 11 * work_of_round(10));
  limits.node_limit = most;
  CHECK(most_work(limits, 1, 10) == most);
  limits.node_limit.reset();
  CHECK(most_work(limits, 1, 10) == most);
}
