// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/frameworks/not_representable.hpp>
#include <stagecut/io/frameworks/torch_schedule.hpp>
#include <stagecut/io/frameworks/torchtitan.hpp>
#include <stagecut/plan/explain_plan.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../cases.hpp"

using namespace stagecut;

namespace {

profile random_chain(std::mt19937& random, std::size_t n) {
  const auto below = [&](std::size_t count) { return static_cast<double>(random() % count); };
  profile result;
  for (std::size_t i = 0; i < n; ++i) {
    layer each;
    each.name = "l" + std::to_string(i);
    each.forward = 1 + below(9);
    each.backward_input = 1 + below(9);
    each.backward_weight = 1 + below(9);
    each.backward = *each.backward_input + *each.backward_weight - below(2);
    each.activations = 1 + below(4);
    switch (random() % 10) {
      case 0: each.whole_backward = true; break;
      case 1: each.backward_weight = each.backward, each.backward_input = 0; break;               // its input has no gradient
      case 2: each.backward = 0, each.backward_input = each.backward_weight = 0; break;  // frozen, and nothing before it
      case 3: each.tied = {tied_parameters{"t", 4.0}}; break;
      default: break;
    }
    result.layers.push_back(each);
  }
  return result;
}

/// As PyTorch has it, told by hand.
bool must_run_whole(const profile& model, std::size_t first, std::size_t last) {
  std::size_t tied = 0;
  for (std::size_t i = first; i < last; ++i) {
    const layer& each = model.layers[i];
    tied += each.tied.size();
    if (each.whole_backward) return true;
    if (each.backward > 0 && each.backward_input == 0.0) return true;
  }
  return tied > 1;
}

/// Whether an order runs I and W apart of a stage that must run whole, and where.
bool loses_gradients(const plan& made) {
  const schedule order = schedule_of(made);
  for (const auto& ops : order.orders) {
    for (const auto& op : ops) {
      if (op.kind != op_kind::backward_input || op.stage == 0) continue;
      if (must_run_whole(made.profile, made.cuts[op.stage], made.cuts[op.stage + 1])) return true;
    }
  }
  return false;
}

/// Of all cuts into as many stages the least makespan of those that lose nothing; infinite: there are none.
double least_of_all(const profile& model, plan_request request) {
  request.target = framework::none;
  const std::size_t n = model.layers.size();
  const std::size_t stages = request.devices * request.stages_per_rank;
  // Layers that share parameters stand on one stage in PyTorch.
  std::size_t first_tied = n, last_tied = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (model.layers[i].tied.empty()) continue;
    first_tied = std::min(first_tied, i), last_tied = i;
  }
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t set = 0; set < std::size_t{1} << (n - 1); ++set) {
    std::vector<std::size_t> points = {0};
    request.forbidden_cuts.clear();
    bool right = true;
    for (std::size_t c = 1; c < n; ++c) {
      if ((set >> (c - 1)) % 2 == 0) {
        request.forbidden_cuts.push_back(c);
      } else {
        points.push_back(c);
        right = right && (c <= first_tied || c > last_tied);
      }
    }
    points.push_back(n);
    if (points.size() != stages + 1) continue;
    for (std::size_t s = 1; s < stages; ++s) right = right && !must_run_whole(model, points[s], points[s + 1]);
    if (!right) continue;
    const auto made = make_plan(model, request);
    if (!made) continue;
    // PyTorch computes nothing for I of stage 0, and all for its W.
    pass_times<double> times = times_of(*made, true);
    times.backward_input[0] = 0;
    times.backward_weight[0] = times.backward[0];
    best = std::min(best, simulate(schedule_of(*made), times).makespan);
  }
  return best;
}

plan_request zero_bubble(std::mt19937& random) {
  plan_request result;
  result.target = framework::pytorch;
  result.devices = 2 + random() % 2;
  result.microbatches = 2 * result.devices;
  const bool vee = result.devices == 2 && random() % 2 == 0;
  result.schedule = vee ? schedule_kind::zbv : schedule_kind::zb_h1;
  result.stages_per_rank = vee ? 2 : 1;
  return result;
}

}  // namespace

TEST_CASE("zero bubble for PyTorch is cut so that no gradient is lost, as well as any such cut") {
  std::mt19937 random(22);
  int planned = 0, none = 0;
  for (std::size_t i = 0; i < cases(1000); ++i) {
    CAPTURE(i);
    const plan_request request = zero_bubble(random);
    const profile model = random_chain(random, 5 + random() % 2);
    const auto made = make_plan(model, request);
    const double least = least_of_all(model, request);
    if (!made) {
      CHECK(made.state() == state::infeasible);
      CHECK(least == std::numeric_limits<double>::infinity());
      CHECK(!made.why().text().empty());
      ++none;
      continue;
    }
    ++planned;
    CHECK_FALSE(loses_gradients(*made));
    CHECK(*made->makespan == doctest::Approx(least));
    CHECK_NOTHROW(io::check_torch_order(*made, schedule_of(*made)));
  }
  CHECK(planned > 10);
  CHECK(none > 10);
}

TEST_CASE("orders that are made run such stages whole, and are no longer than 1F1B") {
  std::mt19937 random(23);
  int some_apart = 0, some_whole = 0;
  for (std::size_t i = 0; i < cases(40); ++i) {
    CAPTURE(i);
    plan_request request;
    request.target = framework::pytorch;
    request.devices = 2 + random() % 2;
    request.microbatches = 4;
    const profile model = random_chain(random, 6);
    const auto plain = make_plan(model, request);
    request.schedule = schedule_kind::synthesized;
    request.search.time_limit.reset();
    request.search.node_limit = 3000;
    const auto made = make_plan(model, request);
    CHECK(made.has_value() == plain.has_value());
    if (!made || !plain) continue;
    CHECK_FALSE(loses_gradients(*made));
    CHECK(*made->makespan <= *plain->makespan * (1 + 1e-12));
    CHECK(made->objective.bound <= *made->makespan * (1 + 1e-12));
    for (const plan_check& check : verify_plan(model, *made).checks) CHECK(check.result != check_result::broken);
    const schedule order = schedule_of(*made);
    some_apart += has_kind(order, op_kind::backward_input) ? 1 : 0;
    for (std::size_t s = 1; s < request.devices; ++s) some_whole += must_run_whole(model, made->cuts[s], made->cuts[s + 1]) ? 1 : 0;
  }
  CHECK(some_apart > 5);
  CHECK(some_whole > 5);
}

TEST_CASE("plans of others that lose gradients are refused, and the reason names the layer") {
  profile model;
  for (std::size_t i = 0; i < 4; ++i) {
    layer each;
    each.name = "l" + std::to_string(i);
    each.forward = each.backward_input.emplace(1), each.backward_weight = 1, each.backward = 2;
    model.layers.push_back(each);
  }
  model.layers[2].backward_input = 0, model.layers[2].backward_weight = 2;
  plan_request request;
  request.devices = 4;
  request.microbatches = 8;
  request.schedule = schedule_kind::zb_h1;
  const auto made = make_plan(model, request);
  REQUIRE(made);
  CHECK_THROWS_AS(io::check_torch_order(*made, schedule_of(*made)), io::not_representable);
  CHECK_THROWS_AS((void)io::as_torchtitan(*made), io::not_representable);
  request.target = framework::pytorch;
  const auto none = make_plan(model, request);
  REQUIRE_FALSE(none);
  CHECK(none.why().text().find("(\"l2\") trains, and no gradient leaves it by its input") != std::string::npos);
  CHECK(none.why().text().find("1f1b") != std::string::npos);
  model.layers[2].backward_input = 1, model.layers[2].backward_weight = 1;
  CHECK(make_plan(model, request));
  model.layers[0].backward_input = 0;  // on stage 0, which PyTorch runs whole
  CHECK(make_plan(model, request));
}

namespace {

/// Twelve layers whose gradients take, apart, more than together.
stagecut::profile apart_chain() {
  stagecut::profile model;
  for (std::size_t i = 0; i < 12; ++i) {
    stagecut::layer each;
    each.forward = 1 + 0.125 * static_cast<double>(i % 3);
    each.backward = 2;
    each.backward_input = 1.25;
    each.backward_weight = 1;
    model.layers.push_back(each);
  }
  return model;
}

stagecut::plan planned_for(stagecut::framework target, stagecut::schedule_kind kind, std::size_t chunks,
                           const stagecut::profile& model) {
  stagecut::plan_request request{.devices = 3, .microbatches = 8, .stages_per_rank = chunks};
  request.schedule = kind;
  request.target = target;
  return *stagecut::make_plan(model, request);
}

double simulated(const stagecut::schedule& order, const stagecut::pass_times<double>& times) {
  return stagecut::simulate(order, times).makespan;
}

}  // namespace

TEST_CASE("planned for PyTorch or torchtitan, stage 0 runs its backward pass whole, for W") {
  using stagecut::schedule_kind;
  const stagecut::profile model = apart_chain();
  for (const auto target : {stagecut::framework::pytorch, stagecut::framework::torchtitan}) {
    for (const auto& [kind, chunks] :
         {std::pair(schedule_kind::zb_h1, 1U), std::pair(schedule_kind::zbv, 2U),
          std::pair(schedule_kind::interleaved_zero_bubble, 2U), std::pair(schedule_kind::dualpipev, 2U)}) {
      stagecut::profile named = model;
      for (std::size_t i = 0; i < named.layers.size(); ++i) named.layers[i].name = "layers." + std::to_string(i);
      const stagecut::plan made = planned_for(target, kind, chunks, named);
      CAPTURE(to_string(kind));
      const stagecut::schedule order = stagecut::schedule_of(made);
      // Of the layers: I of stage 0 takes nothing, and W all of B.
      stagecut::pass_times<double> times;
      for (std::size_t s = 0; s < made.stages.size(); ++s) {
        double forward = 0, backward = 0, input = 0, weight = 0;
        for (const std::size_t i : layers_of(made, s)) {
          const stagecut::layer& each = made.profile.layers[i];
          forward += each.forward, backward += each.backward, input += *each.backward_input,
              weight += *each.backward_weight;
        }
        times.forward.push_back(forward);
        times.backward.push_back(backward);
        times.backward_input.push_back(s == 0 ? 0 : input);
        times.backward_weight.push_back(s == 0 ? backward : weight);
      }
      CHECK(simulated(order, times) == doctest::Approx(*made.makespan).epsilon(1e-12));
      for (const stagecut::plan_check& check : stagecut::verify_plan(named, made).checks) {
        CAPTURE(check.name);
        CAPTURE(check.why);
        CHECK(check.result != stagecut::check_result::broken);
      }
      CHECK(stagecut::explain_plan(made).makespan == doctest::Approx(*made.makespan).epsilon(1e-12));
      stagecut::plan_request free{.devices = 3, .microbatches = 8, .stages_per_rank = chunks};
      free.schedule = kind;
      CHECK(*made.makespan <= *stagecut::make_plan(named, free)->makespan);  // apart they take longer
    }
  }
}

TEST_CASE("planned for DeepSpeed, DualPipeV runs all backward passes whole, and needs no times of their parts") {
  stagecut::profile model = apart_chain();
  for (const bool told : {true, false}) {
    for (stagecut::layer& layer : model.layers) {
      if (!told) layer.backward_input.reset(), layer.backward_weight.reset();
    }
    const stagecut::plan made =
        planned_for(stagecut::framework::deepspeed, stagecut::schedule_kind::dualpipev, 2, model);
    stagecut::schedule order = stagecut::schedule_of(made);
    for (auto& ops : order.orders) {
      std::vector<stagecut::op> whole;
      for (stagecut::op op : ops) {
        if (op.kind == stagecut::op_kind::backward_weight) continue;
        if (op.kind == stagecut::op_kind::backward_input) op.kind = stagecut::op_kind::backward;
        whole.push_back(op);
      }
      ops = whole;
    }
    CHECK(simulated(order, stagecut::times_of(made, false)) == doctest::Approx(*made.makespan).epsilon(1e-12));
    for (const stagecut::plan_check& check : stagecut::verify_plan(model, made).checks) {
      CAPTURE(check.name);
      CAPTURE(check.why);
      CHECK(check.result != stagecut::check_result::broken);
    }
  }
}
