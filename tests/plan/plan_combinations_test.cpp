// SPDX-License-Identifier: BSL-1.0
#include <stagecut/plan/plan_combinations.hpp>

#include <stagecut/core/error.hpp>
#include <stagecut/plan/compare_plans.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/score_cut.hpp>
#include <stagecut/plan/sweep_rows.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "../joint/small_requests.hpp"
#include "../refusal.hpp"

using joint_tests::add_part;
using joint_tests::small_request;
using joint_tests::small_request_of;
using stagecut::plan_combination;
using stagecut::plan_combinations;
using stagecut::plan_problem;
using stagecut::plan_proof;
using stagecut::plan_request;
using stagecut::request_part;
using stagecut::request_part_entry;
using stagecut::request_parts;

namespace {

const plan_combination* row_of(plan_problem problem, request_part part) {
  for (const plan_combination& row : plan_combinations()) {
    if (row.problem == problem && row.part == part) return &row;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("the parts stand in their order, and each row stands once, with a reason if it is refused") {
  for (std::size_t i = 0; i < request_parts().size(); ++i) CHECK(static_cast<std::size_t>(request_parts()[i].part) == i);
  for (const plan_combination& row : plan_combinations()) {
    CHECK(&row == row_of(row.problem, row.part));
    CHECK((row.proof != plan_proof::refused || *row.why != '\0'));
  }
}

TEST_CASE("a part without a row makes another problem") {
  for (const auto& problem : stagecut::plan_problem_names) {
    for (const request_part_entry& part : request_parts()) {
      small_request small = small_request_of(problem.value);
      CHECK(stagecut::problem_of(small.model, small.request) == problem.value);
      add_part(part.part, small);
      if (!part.is_in(small.model, small.request)) continue;  // the method of module trees is none of graphs
      CAPTURE(std::string(problem.name));
      CAPTURE(std::string(part.name));
      const bool same = stagecut::problem_of(small.model, small.request) == problem.value;
      CHECK(same == (row_of(problem.value, part.part) != nullptr));
    }
  }
}

TEST_CASE("the combinations of a request are its parts, and the first that is refused is named") {
  small_request small = small_request_of(plan_problem::several_devices);
  small.request.memory_limit = 1000;
  std::vector<request_part> parts;
  for (const plan_combination& row : combinations_of(small.model, small.request)) parts.push_back(row.part);
  CHECK(parts == std::vector<request_part>{request_part::replicas, request_part::memory_limit});
  CHECK_NOTHROW(stagecut::check_combinations(small.model, small.request));
  small.request.slices = 2;
  small.request.speeds = {1, 2};
  CHECK(refusal([&] { stagecut::check_combinations(small.model, small.request); }) ==
        "stagecut::plan_model: slices = 2, must be 1 where stages have several devices");
}

TEST_CASE("a planner of chains names the header for what only plan_model takes, and ignores nothing") {
  const stagecut::profile model = joint_tests::small_chain();
  const std::string header = " = {…}, is planned by plan_model: include <stagecut/joint/plan_model.hpp>";
  const auto refused = [&](const plan_request& request, const std::string& field) {
    CHECK(refusal([&] { (void)stagecut::make_plan(model, request); }) == "stagecut::make_plan: " + field + header);
    CHECK(refusal([&] { (void)stagecut::compare_plans(model, request, {}); }) ==
          "stagecut::compare_plans: " + field + header);
    CHECK(refusal([&] { (void)stagecut::sweep_rows(model, request, {}); }) == "stagecut::sweep_rows: " + field + header);
    CHECK(refusal([&] { (void)stagecut::score_cut(model, request, stagecut::cuts{0, 3, 7}); }).ends_with(field + header));
  };
  plan_request plain;
  plain.devices = 2;
  plain.microbatches = 4;
  REQUIRE(stagecut::make_plan(model, plain));
  for (const auto& [part, field] : {std::pair(request_part::open_choices, "choices"),
                                    std::pair(request_part::recomputations, "recomputations"),
                                    std::pair(request_part::empty_stages, "empty_stages"),
                                    std::pair(request_part::replicas, "replicas"),
                                    std::pair(request_part::device_size, "device_size")}) {
    small_request small{model, plain};
    add_part(part, small);
    refused(small.request, field);
  }
  plan_request request = plain;
  request.tensor_parallel = {2};
  refused(request, "tensor_parallel");
  request = plain;
  request.any_schedule = true;
  refused(request, "any_schedule");
  request = plain;
  request.inference = true;
  refused(request, "inference");
  request = plain;
  request.method = stagecut::graph_method::modules;
  refused(request, "method");
}

TEST_CASE("a chain refuses weights without their measure, an imbalance, and to be planned as a graph") {
  const stagecut::profile model = joint_tests::small_chain();
  plan_request request;
  request.devices = 2;
  request.weights.assign(model.layers.size(), 1);
  CHECK(refusal([&] { (void)stagecut::make_plan(model, request); }) ==
        "stagecut::make_plan: weights = {…}, go with their measure alone");
  request.by = stagecut::measure::weights;
  CHECK(stagecut::make_plan(model, request));
  request.imbalance = 0.5;
  CHECK(refusal([&] { (void)stagecut::make_plan(model, request); }) ==
        "stagecut::make_plan: imbalance = 0.5, is of the method communication");
  request.imbalance = plan_request().imbalance;
  request.as_graph = true;
  CHECK(refusal([&] { (void)stagecut::make_plan(model, request); }) ==
        "stagecut::make_plan: as_graph = set, is for graphs only: see plan_graph");
}
