// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/combinations.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "target_models.hpp"

namespace detail = stagecut::detail;
using stagecut::framework;
using stagecut::plan_choices;
using stagecut::plan_request;
using stagecut::schedule_kind;

namespace {

using numbers = std::tuple<std::size_t, std::size_t, std::size_t, schedule_kind>;

std::vector<numbers> numbers_of(const plan_request& request, const plan_choices& choices) {
  std::vector<numbers> result;
  for (const auto& combination : detail::combinations(request, choices)) {
    result.emplace_back(combination.devices, combination.stages_per_rank, combination.microbatches,
                        combination.schedule);
  }
  return result;
}

constexpr schedule_kind plain = schedule_kind::one_forward_one_backward, interleaved = schedule_kind::interleaved,
                        gpipe = schedule_kind::gpipe;

}  // namespace

TEST_CASE("all combinations in the order of devices, chunks, microbatches, schedules") {
  const plan_request request{.devices = 3, .microbatches = 6};
  CHECK(numbers_of(request, {}) == std::vector<numbers>{{3, 1, 6, plain}});
  CHECK(numbers_of(request, {.devices = {2, 4}, .microbatches = {8, 4}}) ==
        std::vector<numbers>{{2, 1, 8, plain}, {2, 1, 4, plain}, {4, 1, 8, plain}, {4, 1, 4, plain}});
  // What no list says means the schedule with as many chunks; a list says what it means.
  CHECK(numbers_of(request, {.stages_per_rank = {1, 2}}) == std::vector<numbers>{{3, 1, 6, plain}, {3, 2, 6, interleaved}});
  CHECK(numbers_of(request, {.stages_per_rank = {2}, .schedules = {gpipe, plain}}) ==
        std::vector<numbers>{{3, 2, 6, gpipe}, {3, 2, 6, plain}});
}

TEST_CASE("combinations are in the words of their target, and have a group where it is taken") {
  plan_request request{.devices = 2, .microbatches = 5, .target = framework::pytorch};
  auto all = detail::combinations(request, {.stages_per_rank = {1, 2}});
  REQUIRE(all.size() == 2);
  CHECK(all[0].group == 0);
  CHECK(all[1].group == 0);  // two rounds do not come out
  request.microbatches = 3;
  all = detail::combinations(request, {.stages_per_rank = {1, 2}});
  CHECK(all[1].group == 3);
  request.microbatches = 5;
  request.target = framework::torchgpipe;
  CHECK(numbers_of(request, {}) == std::vector<numbers>{{2, 1, 5, gpipe}});
  request.target = framework::none;
  request.group = 5;
  all = detail::combinations(request, {.stages_per_rank = {1, 2}});
  CHECK(all[0].group == 0);
  CHECK(all[1].group == 5);
}

TEST_CASE("why a combination cannot be tried") {
  const auto model = target_models::of_kinds({"embedding", "decoder", "decoder", "decoder", "head"});
  const auto why = [&](const plan_request& request) { return detail::shape_obstacle(model, request); };
  plan_request fine{.devices = 2, .microbatches = 4};
  CHECK(why(fine) == "");
  auto other = fine;
  other.schedule = interleaved;
  CHECK(why(other).find(" does not run ") != std::string::npos);
  other.stages_per_rank = 2;
  CHECK(why(other) == "");
  other.microbatches = 5;
  CHECK(why(other).find(" does not run ") != std::string::npos);
  other = fine;
  other.in_flight = {1, 1, 1};
  CHECK(why(other) == "the numbers in flight are for another schedule or other devices");
  other = fine;
  other.speeds = {1, 1, 1};
  CHECK(why(other) == "the speeds are those of another number of devices");
  other = fine;
  other.memory_limit = {1, 1, 1};
  CHECK(why(other) == "the memory is given for another number of devices");
  other = fine;
  other.links = {{1, 1}, {1, 1}};
  CHECK(why(other) == "the links are those of another number of stages");
  other = fine;
  other.devices = 4, other.microbatches = 8;
  other.topology = stagecut::topology({2, 1}, {{1, 1}, {1, 1}});
  CHECK(why(other) == "the topology has fewer devices");
  other = fine;
  other.schedule = schedule_kind::zb_h1;
  CHECK(why(other) == "the model has no time for the gradient of the weights alone, which the schedule runs apart");
  other = fine;
  other.target = framework::alpa;
  CHECK(why(other) == "");
  other.stages_per_rank = 2;
  other.schedule = interleaved;
  CHECK(why(other) == "2 stages on every device, and it knows only one");
}
