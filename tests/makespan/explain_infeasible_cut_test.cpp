// SPDX-License-Identifier: BSL-1.0
#include <stagecut/makespan/detail/explain_infeasible_cut.hpp>

#include <stagecut/cost/at_most.hpp>
#include <stagecut/cost/prefix_sums.hpp>
#include <stagecut/makespan/minimize_makespan.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "random_chains.hpp"

using stagecut::makespan_request;
using stagecut::minimize_makespan;
using stagecut::reason;
using stagecut::schedule_kind;
using stagecut::state;

namespace {

/// A constraint whose reason somebody else finds.
struct told_elsewhere {
  using unexplained = void;
  bool operator()(std::size_t, std::size_t, std::size_t) const { return false; }
};

makespan_request request_for(schedule_kind kind, std::size_t ranks, std::size_t microbatches, std::size_t chunks = 1) {
  makespan_request request;
  request.schedule = stagecut::make_schedule(kind, {.ranks = ranks, .stages_per_rank = chunks, .microbatches = microbatches});
  return request;
}

/// Layers of some bytes each for every microbatch in flight.
chains::layers of_bytes(const std::vector<double>& bytes) {
  const std::vector<double> ones(bytes.size(), 1);
  return chains::layers(ones, ones, ones, {}, std::vector<double>(bytes.size(), 0), bytes);
}

/// The text of an answer that there is none.
template <class... Rules>
std::string why(const chains::layers& model, const makespan_request& request, const Rules&... rules) {
  const auto answer = minimize_makespan(model, request, rules...);
  REQUIRE(answer.state() == state::infeasible);
  return answer.why().text();
}

}  // namespace

TEST_CASE("a constraint tells by its obstacle, or as far as is found out") {
  const auto request = request_for(schedule_kind::gpipe, 3, 4);
  const auto model = of_bytes({1, 1, 1, 1});
  const stagecut::prefix_sums cost{5, 12, 3, 4};
  CHECK(why(model, request, stagecut::at_most(cost, 10)) ==
        "no cut keeps to the constraint: item 1 alone costs more than the 10 that a stage may cost: 12");
  const auto not_the_last = [](std::size_t s, std::size_t, std::size_t) { return s != 2; };
  CHECK(why(model, request, not_the_last) ==
        "no cut keeps to the constraint: stage 2 finds no items that it may hold, wherever those before it end");
}

TEST_CASE("what does not fit into memory is said in bytes") {
  auto request = request_for(schedule_kind::one_forward_one_backward, 2, 4);
  const auto model = of_bytes({8, 8, 8, 8});  // 2 in flight, then 1: 16 and 24 at best
  request.memory_limit = 24;
  CHECK(minimize_makespan(model, request));
  request.memory_limit = 23;
  CHECK(why(model, request) == "the fullest of 2 stages needs at least 24 bytes, and a device has 23 bytes");
  // A constraint that leaves cuts is not to blame, one that leaves none is, whatever the memory.
  const auto any = [](std::size_t, std::size_t first, std::size_t) { return first != 1; };
  CHECK(why(model, request, any) == "the fullest of 2 stages needs at least 32 bytes, and a device has 23 bytes");
  const auto never = [](std::size_t, std::size_t first, std::size_t) { return first == 0; };
  CHECK(why(model, request, never).starts_with("no cut keeps to the constraint: stage 1 finds no items"));
  const stagecut::prefix_sums cost{5, 12, 3, 4};
  CHECK(why(model, request, stagecut::at_most(cost, 10)).find("item 1 alone costs more") != std::string::npos);
}

TEST_CASE("stages that fit alone and not together are said of their rank") {
  auto request = request_for(schedule_kind::interleaved, 2, 2, 2);
  const std::vector<double> ones(6, 1);
  const chains::layers model(ones, ones, ones, {}, ones, std::vector<double>(6, 0));
  request.memory_limit = 2.5;  // 6 layers in 4 stages: a rank of two has 3
  CHECK(why(model, request) == "the fullest of 2 ranks needs at least 3 bytes, and a device has 2 bytes");
  request.memory_limit = 1;
  CHECK(why(model, request) == "the fullest of 4 stages needs at least 2 bytes, and a device has 1 byte");
}

TEST_CASE("of ranks that have their own memory the fullest is said as on the one with most") {
  auto request = request_for(schedule_kind::one_forward_one_backward, 2, 4);
  const auto model = of_bytes({8, 8, 8, 8});  // 2 in flight, then 1
  request.memory_limit = {16, 24};
  CHECK(minimize_makespan(model, request));
  request.memory_limit = {15, 60};  // the first layer alone takes 16
  CHECK(why(model, request) ==
        "the fullest of 2 stages, counted as on the one with most memory, needs at least 64 bytes, and a device has 60 "
        "bytes");
}

TEST_CASE("where there are too many cuts to try, the memory is said to be too little, and no more") {
  auto request = request_for(schedule_kind::gpipe, 4, 1);
  request.memory_limit = 900;
  const auto model = of_bytes({1});
  const auto said = [&]<class Constraint>(std::size_t items, const Constraint& allowed) {
    const stagecut::engine::model_rules<chains::layers, Constraint> rules(model, request.schedule,
                                                                          request.memory_limit.for_all(), allowed);
    return stagecut::detail::explain_infeasible_cut(rules, request.schedule, items, request.memory_limit.for_all(), allowed);
  };
  CHECK(said(4000, stagecut::detail::no_constraint()) ==
        reason{reason::cause::memory, 901, 900, "the fullest of 4 stages", {}});
  const auto never = [](std::size_t, std::size_t, std::size_t) { return false; };
  CHECK(said(4000, never).what == reason::cause::constraint);
  CHECK(said(1, told_elsewhere()) == reason{reason::cause::constraint, 0, 0, {}, {}});
}
