// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/search_makespan.hpp>

#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <doctest/doctest.h>

#include <cstddef>

TEST_CASE("what the door finds of a model is what the search finds of its times") {
  const stagecut::item_times model({1, 2, 1, 4, 1, 1, 3}, {2, 3, 2, 5, 2, 1, 6});
  for (const std::size_t stages : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{5}}) {
    CAPTURE(stages);
    stagecut::makespan_request request;
    request.order = stagecut::one_forward_one_backward(stages, 4);
    const auto door = stagecut::minimize_makespan(model, request);
    stagecut::engine::chain_ticks chain(model, request.order, request.links);
    const stagecut::detail::no_constraint all;
    const stagecut::engine::model_rules<stagecut::item_times, stagecut::detail::no_constraint> rules(
        model, request.order, request.memory_per_device, all);
    const auto found = stagecut::detail::search_makespan(chain, request, rules);
    REQUIRE(found);
    CHECK(found.state() == stagecut::state::optimal);
    CHECK(found->cuts == door->cuts);
    CHECK(found->makespan == door->makespan);
  }
}
