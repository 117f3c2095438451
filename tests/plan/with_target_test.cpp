// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/parts/with_target.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "target_models.hpp"

namespace detail = stagecut::detail;
using stagecut::framework;
using stagecut::interval;
using stagecut::not_representable;
using stagecut::plan_request;
using stagecut::schedule_kind;
using target_models::of_kinds;

namespace {

const std::vector<std::string> plain = {"embedding", "decoder", "decoder", "decoder", "norm", "head"};

plan_request request_of(framework to, std::size_t devices, std::size_t chunks, std::size_t microbatches) {
  plan_request request;
  request.target = to, request.devices = devices, request.stages_per_rank = chunks, request.microbatches = microbatches;
  return request;
}

}  // namespace

TEST_CASE("1F1B by default is the framework's own schedule where it has no 1F1B") {
  CHECK(detail::in_words_of_target(request_of(framework::torchgpipe, 2, 1, 4)).schedule == schedule_kind::gpipe);
  for (const framework to : {framework::none, framework::megatron, framework::pytorch, framework::vllm}) {
    CHECK(detail::in_words_of_target(request_of(to, 2, 1, 4)).schedule == schedule_kind::one_forward_one_backward);
  }
  auto said = request_of(framework::torchgpipe, 2, 1, 4);
  said.schedule = schedule_kind::zb_h1;
  CHECK(detail::in_words_of_target(said).schedule == schedule_kind::zb_h1);
}

TEST_CASE("microbatches that are no multiple of the devices go in groups that the framework runs") {
  CHECK(detail::in_words_of_target(request_of(framework::megatron, 2, 2, 5)).group == 0);  // which one is to be said
  CHECK(detail::in_words_of_target(request_of(framework::pytorch, 4, 2, 10)).group == 5);
  CHECK(detail::in_words_of_target(request_of(framework::megatron, 2, 2, 6)).group == 0);
  CHECK(detail::in_words_of_target(request_of(framework::megatron, 2, 1, 5)).group == 0);
  CHECK(detail::in_words_of_target(request_of(framework::none, 2, 2, 5)).group == 0);
  CHECK(detail::in_words_of_target(request_of(framework::sapp, 2, 2, 5)).group == 0);
  auto said = request_of(framework::megatron, 2, 2, 5);
  said.group = 5;
  CHECK(detail::in_words_of_target(said).group == 5);
  CHECK(detail::in_words_of_target(request_of(framework::megatron, 0, 2, 5)).group == 0);
}

TEST_CASE("what a framework cannot run is refused before anything is cut") {
  const auto model = of_kinds(plain);
  const auto why = [&](const plan_request& request) { return detail::target_obstacle(model, request); };
  CHECK(why(request_of(framework::alpa, 2, 2, 4)) == "2 stages on every device, and it knows only one");
  CHECK(why(request_of(framework::none, 2, 2, 4)) == "");
  CHECK(why(request_of(framework::megatron, 2, 2, 5)).find("a multiple of the 2 ranks") != std::string::npos);
  auto serving = model;
  serving.inference = true;
  CHECK(detail::target_obstacle(serving, request_of(framework::megatron, 2, 2, 5)) == "");

  auto zero_bubble = request_of(framework::megatron, 2, 1, 4);
  zero_bubble.schedule = schedule_kind::zb_h1;
  CHECK_THROWS_WITH_AS(
      (void)detail::with_target(model, zero_bubble),
      "megatron cannot express this schedule: its schedule is \"zb-h1\", and the only one there is \"1f1b\"",
      not_representable);
  CHECK_THROWS_WITH_AS(
      (void)detail::with_target(of_kinds({"embedding", "decoder"}), request_of(framework::megatron, 2, 1, 4)),
      "megatron cannot express this model: it has no layer of kind \"head\"", not_representable);
  auto named = model;
  named.layers[1].name = "l0";
  CHECK_THROWS_WITH_AS((void)detail::with_target(named, request_of(framework::pytorch, 2, 1, 4)),
                       doctest::Contains("stands also in layer \"l0\""), not_representable);
  CHECK_THROWS_WITH_AS(
      (void)detail::with_target(target_models::tied(model, 0, 5), request_of(framework::torchgpipe, 2, 1, 4)),
      doctest::Contains("share no parameters"), not_representable);
}

TEST_CASE("a request as its framework wants it") {
  auto request = request_of(framework::none, 2, 1, 4);
  request.kept_together = {{1, 3}};
  CHECK(detail::with_target(of_kinds({"x"}), request).kept_together == std::vector<interval>{{1, 3}});
  request.target = framework::pytorch;
  const auto made = detail::with_target(target_models::tied(of_kinds(plain), 3, 5), request);
  CHECK(made.kept_together == std::vector<interval>{{1, 3}, {3, 6}});
  CHECK(made.target == framework::pytorch);
  CHECK_NOTHROW((void)detail::with_target(of_kinds(plain), request_of(framework::megatron, 0, 1, 4)));
}
