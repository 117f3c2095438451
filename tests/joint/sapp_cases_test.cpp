// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/joint/baselines/sapp_surrogate.hpp>
#include <stagecut/joint/even_recomputation.hpp>
#include <stagecut/joint/minimize_recomputation.hpp>
#include <stagecut/joint/simulate_recomputation.hpp>
#include <stagecut/schedule/in_flight_vectors.hpp>
#include <stagecut/schedule/sapp_bubbles.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "../refusal.hpp"
#include "sapp_cases.hpp"

using joint_tests::json;
using joint_tests::megabyte;
using joint_tests::sapp_case;
using joint_tests::strategy_of;
using namespace stagecut;

namespace {

doctest::Approx about(double figure) { return doctest::Approx(figure).epsilon(1e-9); }

std::string name_of_case(const json& each) { return each.at("name").get<std::string>(); }

/// Whether SAPP simulated a sequence in parts as if it were whole.
bool is_split(const json& each) { return each.at("input").value("seq_split", 1) != 1; }

/// Whether SAPP's solver found the strategy, and did not end with parts of layers.
bool is_solved(const json& each) { return each.contains("sim") && each.at("milp").at("status") == "Optimal"; }

recompute_run run_of(sapp_case of, const json& layers) {
  // The offsets of SAPP's test of the simulator add up to three layers fewer than its model has.
  if (of.name == "test_sapp_simulate_vpp3") of.model.layers.resize(189);
  const auto plan = strategy_of(of, layers);
  return simulate_recomputation(of.model, of.request, plan.cuts, plan.choices);
}

/// Compares an iteration with what SAPP's simulator said of it.
void compare(const sapp_case& of, const recompute_run& run, const json& said) {
  CAPTURE(of.name);
  CHECK(run.makespan * 1e3 == about(said.at("end_time").get<double>()));
  const json& peaks = said.contains("peak_mem") ? said.at("peak_mem") : said.at("peak_mem_mb");
  REQUIRE(run.memory.size() == peaks.size());
  for (std::size_t r = 0; r < run.memory.size(); ++r) {
    CAPTURE(r);
    CHECK(run.memory[r] / megabyte == about(peaks[r].get<double>()));
  }
  const schedule& order = of.request.schedule;
  const auto found = sapp_bubbles_of(order.ranks(), order.stages() / order.ranks(), order.microbatches,
                                     run.times.forward, run.recomputed, run.makespan);
  const json& bubbles = said.at("bubbles");
  CHECK(found.real == about(bubbles.at("real").get<double>()));
  CHECK(found.ideal == about(bubbles.at("ideal").get<double>()));
  // SAPP adds 1e-10.
  CHECK(found.imbalance == about(bubbles.at("imba").get<double>() - 1e-10));
  CHECK(found.recomputation == about(bubbles.value("recompute", 0.0)));
}

}  // namespace

TEST_CASE("strategies of SAPP, and better ones, take the time and the memory that its simulator says") {
  const auto all = joint_tests::sapp_cases();
  if (!all) return;
  int given = 0;
  int solved = 0;
  int better = 0;
  for (const char* const group : {"strategy_simulations", "solver_cases"}) {
    for (const json& each : all->at(group)) {
      if (is_split(each) || !(each.contains("result") || is_solved(each))) continue;
      const sapp_case known(each);
      if (each.contains("result")) {
        compare(known, run_of(known, each.at("strategy_layers")), each.at("result"));
        ++given;
      } else {
        compare(known, run_of(known, each.at("strategy_layers")), each.at("sim"));
        ++solved;
      }
      for (const char* const found : {"best_known_min1", "best_known_min0"}) {
        if (!each.contains(found)) continue;
        const json& best = each.at(found);
        compare(known, run_of(known, best.at("strategy_layers")), best.at("verified_with_sapp_simulator"));
        ++better;
      }
    }
  }
  CHECK(given == 7);
  CHECK(solved == 12);
  CHECK(better == 16);
}

TEST_CASE("even plans are those that SAPP calls naive") {
  const auto all = joint_tests::sapp_cases();
  if (!all) return;
  int seen = 0;
  for (const json& simulation : all->at("strategy_simulations")) {
    const bool none = name_of_case(simulation) == "demo_naive_none";
    if (!none && name_of_case(simulation) != "demo_naive_all" && name_of_case(simulation) != "llama_vpp1_all") continue;
    const sapp_case known(simulation);
    const auto theirs = strategy_of(known, simulation.at("strategy_layers"));
    const auto ours = even_recomputation(known.model, known.request.schedule.stages(),
                                         none ? even_choice::fastest : even_choice::leanest);
    CHECK(ours.cuts == theirs.cuts);
    CHECK(ours.choices == theirs.choices);
    ++seen;
  }
  CHECK(seen == 3);
}

TEST_CASE("microbatches in flight are those that SAPP's orders have, where its closed form falls short as well") {
  const auto all = joint_tests::sapp_cases();
  if (!all) return;
  for (const json& each : all->at("activation_numbers")) {
    const auto number = [&](const char* of) { return each.at(of).get<std::size_t>(); };
    const sapp_memory memory = each.at("less_memory").get<bool>() ? sapp_memory::less : sapp_memory::big;
    const schedule order = number("vpp") == 1
                               ? one_forward_one_backward(number("pp"), number("micro_batches"))
                               : sapp_interleaved(number("pp"), number("vpp"), number("micro_batches"), memory);
    auto found = in_flight_vectors(order);
    auto said = each.at("exact_maximal_inflight_vectors").get<std::vector<std::vector<std::vector<std::size_t>>>>();
    for (auto* each_side : {&found, &said}) {
      for (auto& vectors : *each_side) std::sort(vectors.begin(), vectors.end());
    }
    CHECK(found == said);
  }
  CHECK(all->at("activation_numbers").size() == 12);
}

TEST_CASE("plans of least makespan are as good as those known, and no worse than SAPP's") {
  const auto all = joint_tests::sapp_cases();
  if (!all) return;
  struct goal {
    const char* name;
    std::size_t least_layers;
    double most;
    bool is_optimal;
    double megabytes = 0;  // in place of the case's
  };
  constexpr goal goals[] = {{"readme_auto_example_vpp1", 1, 1821.762486, true, 63378},
                            {"multi_group_patched_pp4_vpp1_mem5000", 1, 1203, true, 4000},
                            {"test_sapp_solver_vpp1", 1, 107460, true},
                            {"llama_vpp1_mem56000", 1, 1878.56325, true},
                            {"llama_vpp3_lm_mem56000", 1, 1394.534115, false},
                            {"llama_vpp3_big_mem56000", 1, 1369.834299, false},
                            {"hyper_llama2_70b_vpp1_mb32", 1, 93777, true},
                            {"mem_pp4_vpp1_mb8_mem56000", 1, 705, true},
                            {"multi_group_pp4_vpp1", 1, 1158, true},
                            {"demo_old_vpp3_big_mem62000_const0", 1, 41286.6, false},
                            {"demo_old_vpp3_big_mem62000_const0", 0, 39225.6, false},
                            {"multi_group_patched_pp4_vpp1_mem8000", 1, 1158, true},
                            {"multi_group_patched_pp4_vpp2_mem8000", 1, 1077, true},
                            {"multi_group_patched_pp4_vpp1_mem5000", 1, 1158, true},
                            {"multi_group_patched_pp4_vpp2_mem5000", 1, 1116, true},
                            {"multi_group_patched_pp4_vpp2_mem4000", 1, 1144, true}};
  for (const goal& wanted : goals) {
    CAPTURE(wanted.name);
    CAPTURE(wanted.least_layers);
    const json* found = nullptr;
    for (const char* const group : {"strategy_simulations", "solver_cases"}) {
      for (const json& each : all->at(group)) found = name_of_case(each) == wanted.name ? &each : found;
    }
    REQUIRE(found != nullptr);
    sapp_case known(*found);
    if (wanted.megabytes > 0) known.request.memory_limit = wanted.megabytes * megabyte;
    known.request.least_layers = wanted.least_layers;
    known.request.search.node_limit = 1'600'000;
    const auto plan = minimize_recomputation(known.model, known.request);
    REQUIRE(plan.has_value());
    CHECK(plan->value * 1e3 <= wanted.most * (1 + 1e-12));
    for (const double bytes : plan->memory) CHECK(bytes <= *known.request.memory_limit.for_all());
    if (wanted.is_optimal) {
      CHECK(plan.state() == state::optimal);
      CHECK(plan->value * 1e3 == about(wanted.most));
    }
    if (found->contains("milp") && is_solved(*found) && wanted.megabytes == 0)
      CHECK(plan->value <= run_of(known, found->at("strategy_layers")).makespan * (1 + 1e-12));
    const auto theirs = minimize_sapp_surrogate(known.model, known.request);
    REQUIRE(theirs.has_value());
    CHECK(plan->value <= theirs->makespan * (1 + 1e-12));
    CHECK(plan->bound <= theirs->makespan * (1 + 1e-12));
  }
}

TEST_CASE("SAPP's objective is what its solver says, and ours is its optimum") {
  const auto all = joint_tests::sapp_cases();
  if (!all) return;
  int seen = 0;
  for (const json& each : all->at("solver_cases")) {
    if (is_split(each) || !is_solved(each)) continue;
    const sapp_case known(each);
    CAPTURE(known.name);
    const auto strategy = strategy_of(known, each.at("strategy_layers"));
    const double said = each.at("milp").at("objective").get<double>();
    const double theirs = sapp_objective(known.model, known.request, strategy.cuts, strategy.choices) * 1e3;
    CHECK(theirs == about(said));
    const auto least = minimize_sapp_surrogate(known.model, known.request);
    REQUIRE(least.state() == state::optimal);
    const json& bound = each.at("milp").at("lower_bound");
    if (bound.is_null()) {
      CHECK(least->value * 1e3 == about(said));  // proved
    } else {
      CHECK(least->value * 1e3 <= said * (1 + 1e-9));
      CHECK(least->value * 1e3 >= bound.get<double>() * (1 - 1e-9));
    }
    MESSAGE(known.name, ": objective ", said, ", least ", least->value * 1e3, "; makespan ",
            each.at("sim").at("end_time").get<double>(), ", of the least ", least->makespan * 1e3);
    ++seen;
  }
  CHECK(seen == 12);
}

TEST_CASE("layers below nothing are refused") {
  const auto all = joint_tests::sapp_cases();
  if (!all) return;
  for (const json& each : all->at("solver_cases")) {
    if (name_of_case(each).find("demopp4") != 0) continue;
    const std::string said = refusal<invalid_input>([&] { return sapp_case(each); });
    MESSAGE(said);
    CHECK(said.find("demopp4_vpp1_mb8_mem20000#/layers_description/") == 0);
  }
}

TEST_CASE(
    "orders that SAPP's simulator waits in for ever are run: less memory, microbatches that ranks do not divide") {
  const auto all = joint_tests::sapp_cases();
  if (!all) return;
  for (const json& each : all->at("solver_cases")) {
    if (name_of_case(each) != "llama_vpp3_lm_mem56000") continue;
    sapp_case known(each);
    const auto strategy = strategy_of(known, each.at("strategy_layers"));
    known.request.schedule = sapp_interleaved(16, 3, 23, sapp_memory::less);
    const auto run = simulate_recomputation(known.model, known.request, strategy.cuts, strategy.choices);
    double busiest = 0;
    for (std::size_t r = 0; r < 16; ++r) {
      double here = 0;
      for (std::size_t v = 0; v < 3; ++v) here += run.times.forward[16 * v + r] + run.times.backward[16 * v + r];
      busiest = std::max(busiest, here);
    }
    CHECK(run.makespan > 23 * busiest);
    known.request.memory_limit = {};
    known.request.search.node_limit = 20'000;
    const auto plan = minimize_recomputation(known.model, known.request);
    REQUIRE(plan.has_value());
    CHECK(plan->value < run.makespan);
  }
}
