// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/parts/stage_devices.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

namespace detail = stagecut::detail;

TEST_CASE("links and speeds of stages are those of their devices") {
  stagecut::plan_request request{.devices = 2, .stages_per_rank = 2};
  const std::vector<std::size_t> rank_of{0, 1, 0, 1};
  CHECK(detail::links_of(request, rank_of).empty());
  CHECK(detail::speeds_of_stages(request, rank_of).empty());
  request.speeds = {1, 0.5};
  CHECK(detail::speeds_of_stages(request, rank_of) == std::vector<double>{1, 0.5, 1, 0.5});
  CHECK(detail::speeds_of_stages(request, {0, 1, 1, 0}) == std::vector<double>{1, 0.5, 0.5, 1});
  request.links = {{1, 2}};
  CHECK(detail::links_of(request, rank_of) == request.links);
  request.links.clear();
  request.topology = stagecut::topology({2, 2}, {{0, 100}, {1, 10}});
  CHECK(detail::links_of(request, {0, 1, 1, 2}) == std::vector<stagecut::link_speed>{{0, 100}, {0, 0}, {1, 10}});
  CHECK(detail::links_of(request, {0}).empty());
}
