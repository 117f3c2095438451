// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/detail/check_stages_request.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace detail = stagecut::detail;
using stagecut::plan_objective;
using stagecut::plan_request;
using stagecut::schedule_kind;

namespace {

stagecut::profile model_of(std::size_t layers) {
  stagecut::profile model;
  model.layers.resize(layers);
  return model;
}

std::string refusal(const plan_request& request) {
  try {
    detail::check_stages_request("f", model_of(8), request);
  } catch (const stagecut::argument_error& error) {
    return error.what();
  }
  return "";
}

bool refused_for(const plan_request& request, const char* text) {
  return refusal(request).find(text) != std::string::npos;
}

plan_request with(schedule_kind kind, std::size_t chunks = 1, std::size_t microbatches = 0) {
  plan_request request;
  request.devices = 2, request.chunks = chunks, request.microbatches = microbatches, request.schedule = kind;
  return request;
}

}  // namespace

TEST_CASE("stages of a device are as many as its schedule has") {
  CHECK(refusal(with(schedule_kind::one_forward_one_backward)) == "");
  CHECK(refusal(with(schedule_kind::one_forward_one_backward, 3)) == "");  // interleaved
  CHECK(refusal(with(schedule_kind::zbv, 2)) == "");
  CHECK(refused_for(with(schedule_kind::interleaved), "needs chunks above 1"));
  CHECK(refused_for(with(schedule_kind::zb_h1, 2), "has one stage on each device: chunks must be 1"));
  CHECK(refused_for(with(schedule_kind::zbv), "has 2 stages on each device: chunks must say so"));
  CHECK(refused_for(with(schedule_kind::interleaved, 2, 5), "microbatches = 5"));
  CHECK(refusal(with(schedule_kind::interleaved, 2, 6)) == "");
}

TEST_CASE("what is least by the mean is not of unlike devices, nor a makespan of stages") {
  for (const plan_objective objective : {plan_objective::range, plan_objective::variance}) {
    auto request = with(schedule_kind::gpipe);
    request.objective = objective;
    CHECK(refusal(request) == "");
    request.speeds = {1, 2};
    CHECK(refused_for(request, "is of equal devices without messages"));
    request.speeds.clear();
    request.links = {{1, 1}};
    CHECK(refused_for(request, "is of equal devices without messages"));
    request.objective = plan_objective::bottleneck;
    CHECK(refusal(request) == "");
  }
  auto request = with(schedule_kind::gpipe);
  request.objective = plan_objective::makespan;
  CHECK(refused_for(request, "is what make_plan minimises"));
}

TEST_CASE("memory is limited where it is known what is kept") {
  auto request = with(schedule_kind::interleaved, 2);
  request.memory_per_device = 1;
  CHECK(refused_for(request, "memory_per_device = 1"));
  CHECK(refused_for(request, "keeps, and that is not known: the number of microbatches is not known"));
  CHECK_FALSE(detail::knows_in_flight(request));
  request.microbatches = 4;
  CHECK(refusal(request) == "");
  CHECK(detail::knows_in_flight(request));
  auto plain = with(schedule_kind::one_forward_one_backward);
  plain.memory_per_device = 1;
  CHECK(refusal(plain) == "");
}

TEST_CASE("what stages keep: by the rule of the schedule, else by its order, never more than there are microbatches") {
  const auto kept = [](const plan_request& request) { return detail::microbatches_kept(model_of(8), request); };
  CHECK(kept(with(schedule_kind::one_forward_one_backward)) == std::vector<std::size_t>{2, 1});
  CHECK(kept(with(schedule_kind::one_forward_one_backward, 1, 1)) == std::vector<std::size_t>{1, 1});
  CHECK(kept(with(schedule_kind::gpipe, 1, 5)) == std::vector<std::size_t>{5, 5});
  CHECK(kept(with(schedule_kind::gpipe)).empty());
  CHECK(kept(with(schedule_kind::interleaved, 2)).empty());
  for (const schedule_kind kind : {schedule_kind::interleaved, schedule_kind::zbv}) {
    const auto request = with(kind, 2, 4);
    CHECK(kept(request) == stagecut::microbatches_in_flight(stagecut::detail::schedule_of_request(request)));
    CHECK(kept(request).size() == 4);
  }
  auto said = with(schedule_kind::in_flight, 1, 2);
  said.in_flight = {3, 1};
  CHECK(kept(said) == std::vector<std::size_t>{2, 1});
  auto serving = model_of(8);
  serving.inference = true;
  CHECK(detail::microbatches_kept(serving, with(schedule_kind::gpipe, 1, 5)) == std::vector<std::size_t>{1, 1});
}
