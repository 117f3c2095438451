// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/check_target.hpp>

#include <stagecut/cost/objective.hpp>
#include <stagecut/io/frameworks/formats.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/parts/with_target.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../plan/random_requests.hpp"
#include "worked_plan.hpp"

using doctest::Contains;
using stagecut::framework;
using stagecut::not_representable;
namespace detail = stagecut::io::detail;

TEST_CASE("each check of a target names the place") {
  const auto check = [](framework to, const stagecut::plan& p) { detail::check_target("as_x", to, p); };
  auto p = worked_plan("gpipe");
  CHECK_NOTHROW(check(framework::torchgpipe, p));
  CHECK_NOTHROW(check(framework::torchgpipe, worked_plan()));
  CHECK_THROWS_WITH_AS(
      check(framework::deepspeed, p),
      "deepspeed cannot express this plan: its schedule is \"gpipe\", and the only one there is \"1f1b\"",
      not_representable);
  p.schedule.name = "zb-h1";
  CHECK_THROWS_WITH_AS(
      check(framework::alpa, p),
      "alpa cannot express this plan: its schedule is \"zb-h1\", and those there are \"1f1b\" and \"gpipe\"",
      not_representable);
  p = worked_plan("gpipe");
  p.stages[2].device = 3;
  CHECK_THROWS_WITH_AS(check(framework::torchgpipe, p),
                       "torchgpipe cannot express this plan: stage 2 stands on device 3, and its place is device 2",
                       not_representable);

  const auto two = transformer_plan({1, 1, 1, 1}, 2);
  CHECK_NOTHROW(check(framework::megatron, two));
  CHECK_THROWS_WITH_AS(check(framework::alpa, two), Contains("2 stages on every device, and it knows only one"),
                       not_representable);
  p = two;
  p.schedule.name = "1f1b";
  CHECK_THROWS_WITH_AS(check(framework::megatron, p), Contains("with several stages on a device"), not_representable);
}

TEST_CASE("stages stand where their schedule has them") {
  auto p = transformer_plan({1, 1, 1, 1}, 2);
  const stagecut::target_entry& f = entry_of(framework::torchtitan);
  CHECK_NOTHROW(detail::check_placement(f, p));
  p.schedule.name = "zbv";
  CHECK_THROWS_WITH_AS(detail::check_placement(f, p),
                       "torchtitan cannot express this plan: stage 2 stands on device 0, and its place is device 1",
                       not_representable);
  p.stages[2].device = 1;
  p.stages[3].device = 0;
  CHECK_NOTHROW(detail::check_placement(f, p));
  p.schedule.name = "interleaved";
  CHECK_THROWS_WITH_AS(detail::check_placement(f, p), Contains("stage 2 stands on device 1"), not_representable);
}

TEST_CASE("those that count decoders have what is in front on the first stage, and what is behind on the last") {
  const auto check = [](const std::vector<const char*>& kinds, const stagecut::cuts& cuts) {
    std::vector<stagecut::layer> layers;
    for (const char* const kind : kinds) layers.push_back(layer_of("x", kind));
    detail::check_target("as_x", framework::vllm, plan_of(layers, cuts));
  };
  CHECK_NOTHROW(check({"embedding", "embedding", "decoder", "decoder", "norm", "head"}, {0, 3, 6}));
  CHECK_NOTHROW(check({"vision_embedding", "vision", "projector", "embedding", "decoder", "decoder"}, {0, 5, 6}));
  CHECK_THROWS_WITH_AS(check({"embedding", "encoder", "encoder"}, {0, 2, 3}),  // BERT
                       Contains("layer \"x\" of kind \"encoder\" stands behind layer \"x\" of kind \"embedding\""),
                       not_representable);
  CHECK_NOTHROW(check({"decoder", "decoder"}, {0, 1, 2}));
  CHECK_THROWS_WITH_AS(check({"vision", "embedding", "decoder", "decoder"}, {0, 1, 4}),
                       Contains("layer \"x\" of kind \"embedding\" on stage 1, and its place is stage 0, the first"),
                       not_representable);
  CHECK_THROWS_WITH_AS(check({"vision", "decoder", "decoder", "vision"}, {0, 2, 4}),
                       Contains("layer \"x\" of kind \"vision\" stands behind layer \"x\" of kind \"decoder\""),
                       not_representable);
  CHECK_THROWS_WITH_AS(check({"embedding", "encoder", "decoder", "decoder"}, {0, 3, 4}),  // T5
                       Contains("layer \"x\" of kind \"encoder\" stands behind layer \"x\" of kind \"embedding\""),
                       not_representable);
  CHECK_NOTHROW(check({"encoder", "projector", "embedding", "decoder", "decoder"}, {0, 4, 5}));
  for (const char* const kind : {"norm", "head", "mtp"}) {
    CHECK_THROWS_WITH_AS(check({"decoder", kind, "decoder"}, {0, 2, 3}),
                         Contains("on stage 0, and its place is stage 1, the last"), not_representable);
  }
  for (const char* const kind : {"Conv2d", ""}) {
    CHECK_THROWS_WITH_AS(check({"decoder", kind}, {0, 2}), Contains("kinds known to it are vision_embedding, vision"),
                         not_representable);
  }
  CHECK_THROWS_WITH_AS(check({"embedding", "decoder", "head"}, {0, 1, 3}),
                       Contains("stage 0 has no layer of kind \"decoder\""), not_representable);
  CHECK_THROWS_WITH_AS(check({"embedding", "head"}, {0, 2}), Contains("stage 0 has no layer"), not_representable);
}

namespace {

using random_requests::dice;
using stagecut::schedule_kind;

/// A model of kinds that frameworks know, now and then with one that they do not, and with shared parameters.
stagecut::profile random_model(dice& random) {
  std::vector<std::string> kinds;
  if (random.up_to(2) == 0) kinds.insert(kinds.end(), {"vision_embedding", "vision"});
  if (random.up_to(3) == 0) kinds.emplace_back("projector");
  kinds.emplace_back("embedding");
  for (std::size_t i = 3 + random.up_to(4); i-- > 0;) kinds.emplace_back("decoder");
  if (random.up_to(20) == 0) kinds.emplace_back("attention");
  const bool first = random.up_to(1) == 0;
  if (first) kinds.emplace_back("norm");
  for (std::size_t i = random.up_to(3); i > 1; --i) kinds.emplace_back("mtp");
  if (!first && random.up_to(1) == 0) kinds.emplace_back("norm");
  kinds.emplace_back("head");
  stagecut::profile model = random.profile(kinds.size());
  const bool tied = random.up_to(3) == 0;
  const std::size_t other = random.up_to(1) == 0 ? kinds.size() - 1 : random.up_to(kinds.size() - 1);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    model.layers[i].kind = kinds[i];
    model.layers[i].name = "l" + std::to_string(i);
    model.layers[i].group.clear();
    model.layers[i].parameters = 1 + random.whole(50);
    model.layers[i].activations = 1 + random.whole(20);
    if (tied && (i == other || i + 2 == other)) model.layers[i].tied.push_back({"t", 1, std::nullopt});
  }
  return model;
}

/// The plan of every cut, for a request without a target.
std::vector<stagecut::plan> plans_of_all_cuts(const stagecut::profile& model, const stagecut::plan_request& request) {
  std::vector<stagecut::plan> result;
  random_requests::each_cut(model, request, [&](const random_requests::points& c) {
    stagecut::plan_request pinned = request;
    for (std::size_t s = 0; s + 1 < c.size(); ++s) pinned.kept_together.push_back({c[s], c[s + 1]});
    auto made = stagecut::make_plan(model, pinned);
    if (made) result.push_back(*std::move(made));
  });
  return result;
}

/// What an iteration of a plan takes to its last pass where stage 0 runs its backward pass whole, as W.
double value_of_whole_first(stagecut::plan made) {
  made.stages[0].backward_weight = made.stages[0].backward;
  made.stages[0].backward_input.reset();
  auto times = stagecut::times_of(made, true);
  times.all_reduce.clear();
  return stagecut::simulate(stagecut::schedule_of(made), times, stagecut::transfers_of(made)).makespan;
}

/// The least value of those that a format can say; infinite if it can say none.
/// @param whole_first  whether stage 0 runs its backward pass whole there, though the schedule has I and W
double least_writable(const stagecut::io::format& format, const std::vector<stagecut::plan>& plans, bool whole_first) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& plan : plans) {
    try {
      (void)format.write(plan);
      least = std::min(least, whole_first ? value_of_whole_first(plan) : plan.objective.value);
    } catch (const not_representable&) {
    }
  }
  return least;
}

}  // namespace

TEST_CASE("the best plan of a target is the best of all that its format can say") {
  dice random(20261124);
  std::size_t planned = 0, none = 0;
  // 200 of them take a minute sanitized.
  const char* const cases = std::getenv("STAGECUT_CASES");
  const std::size_t rounds = cases == nullptr ? 60 : std::strtoul(cases, nullptr, 10);
  for (std::size_t round = 0; round < rounds; ++round) {
    const stagecut::profile model = random_model(random);
    stagecut::plan_request request;
    request.devices = 1 + random.up_to(3);
    constexpr schedule_kind kinds[] = {schedule_kind::one_forward_one_backward, schedule_kind::one_forward_one_backward,
                                       schedule_kind::gpipe, schedule_kind::zb_h1};
    request.schedule = kinds[random.up_to(3)];
    if (random.up_to(3) == 0 && request.devices < 4) request.stages_per_rank = 2;
    if (request.stages_per_rank == 2) request.schedule = random.up_to(1) == 0 ? schedule_kind::interleaved : schedule_kind::zbv;
    request.microbatches = request.devices * (2 + random.up_to(2)) + (random.up_to(3) == 0 ? 1 : 0);
    if (random.up_to(2) == 0) request.memory_limit = 300 + random.whole(900);
    random.add_links(request);
    const bool by_stages = random.up_to(3) == 0 && request.stages_per_rank == 1 && request.schedule != schedule_kind::zb_h1;
    if (by_stages) request.objective = stagecut::plan_objective::bottleneck;
    if (request.devices * request.stages_per_rank > model.layers.size()) continue;
    request.search.time_limit.reset();
    std::map<std::pair<schedule_kind, std::size_t>, std::vector<stagecut::plan>> of_schedule;
    for (const auto& entry : stagecut::targets) {
      CAPTURE(std::string(entry.name));
      CAPTURE(round);
      stagecut::plan_request asked = request;
      asked.target = entry.kind;
      stagecut::plan_request plain = stagecut::detail::in_words_of_target(asked);
      plain.target = framework::none;
      const auto& format = *stagecut::io::find_format(entry.name);
      double least = std::numeric_limits<double>::infinity();
      try {
        auto& plans = of_schedule[{plain.schedule, plain.group}];
        if (plans.empty()) plans = plans_of_all_cuts(model, plain);
        const bool apart = request.schedule == schedule_kind::zb_h1 || request.schedule == schedule_kind::zbv;
        const bool torch = entry.kind == framework::pytorch || entry.kind == framework::torchtitan;
        least = least_writable(format, plans, apart && torch);
      } catch (const stagecut::argument_error&) {  // a number of microbatches that the schedule has not
      }
      try {
        const auto made = stagecut::make_plan(model, asked);
        REQUIRE(made.has_value() == (least < std::numeric_limits<double>::infinity()));
        if (!made) {
          ++none;
          CHECK(made.state() == stagecut::state::infeasible);
          CHECK(made.why().text() != "no cut keeps to the constraint");
          continue;
        }
        CHECK(made.state() == stagecut::state::optimal);
        CHECK(made->objective.value == least);
        CHECK_NOTHROW((void)format.write(*made));
        ++planned;
      } catch (const std::invalid_argument& error) {
        CAPTURE(error.what());
        CHECK(least == std::numeric_limits<double>::infinity());
        ++none;
      }
    }
  }
  CHECK(planned > 4 * rounds);
  CHECK(none > 2 * rounds);
}
