// SPDX-License-Identifier: BSL-1.0
#include <stagecut/io/detail/check_parts.hpp>

#include <doctest/doctest.h>

#include <string>

#include "../refusal.hpp"
#include "graph_plans.hpp"

namespace {

/// What is said of the diamond after `change`.
template <class Change>
std::string refused(const Change& change) {
  stagecut::plan made = diamond_plan();
  change(made);
  return refusal<stagecut::argument_error>([&] {
    stagecut::io::detail::check_parts("f", made);
    return 0;
  });
}

}  // namespace

TEST_CASE("numbers that do not agree are named") {
  using stagecut::plan;
  CHECK(refused([](plan&) {}) == "not refused");
  CHECK(refused([](plan& p) { p.assignment.clear(), p.cuts = {0, 3, 4}; }) == "not refused");
  CHECK(refused([](plan& p) { p.devices = 0; }) == "stagecut::io::f: plan.devices = 0, must be at least 1");
  CHECK(refused([](plan& p) { p.chunks = 0; }) == "stagecut::io::f: plan.chunks = 0, must be at least 1");
  CHECK(refused([](plan& p) { p.assignment.pop_back(); }) ==
        "stagecut::io::f: plan.assignment.size() = 3, must be the number of layers, 4");
  CHECK(refused([](plan& p) { p.assignment[1] = 2; }) ==
        "stagecut::io::f: plan.assignment = 2, must be below the number of stages, 2");
  CHECK(refused([](plan& p) { p.stages.resize(3); }) ==
        "stagecut::io::f: plan.stages.size() = 3, must be devices * chunks, 2 * 1");
  CHECK(refused([](plan& p) {
          p.assignment.clear(), p.cuts = {0, 3};
        }) == "stagecut::io::f: plan.cuts.items() = 3, must be the number of layers, 4");
  CHECK(refused([](plan& p) {
          p.assignment.clear(), p.cuts = {0, 4};
        }) == "stagecut::io::f: plan.cuts.stages() = 1, must be devices * chunks, 2 * 1");
  CHECK(refused([](plan& p) {
          p.assignment.clear(), p.cuts = {0, 3, 4}, p.stages.pop_back();
        }) == "stagecut::io::f: plan.stages.size() = 1, must be the number of stages, 2");
}
