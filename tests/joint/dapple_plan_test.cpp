// SPDX-License-Identifier: BSL-1.0
#include <array>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include <stagecut/joint/baselines/dapple_plan.hpp>
#include <stagecut/joint/baselines/minimize_placed_latency.hpp>
#include <stagecut/joint/minimize_hybrid.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <doctest/doctest.h>

#include "antichain_states.hpp"

using namespace stagecut;

TEST_CASE("a chain by hand: two stages on a machine each, and the score with its peculiar parts") {
  placed_layers batch;
  batch.times = batch.parameters = batch.messages = {0};
  for (int i = 0; i < 4; ++i) {
    batch.times.push_back(batch.times.back() + 8);
    batch.parameters.push_back(batch.parameters.back() + 1e9);
    batch.messages.push_back(1e9);
  }
  const auto found = dapple_plan(batch, {2, 2}, 8, 1);
  REQUIRE(found.stages.size() == 2);
  CHECK(found.pipelines == 2);
  CHECK(found.stages[0].last == 2);
  CHECK(found.stages[0].of_machine == std::vector<std::size_t>{2, 0});
  CHECK(found.stages[1].of_machine == std::vector<std::size_t>{0, 2});
  // 4 microbatches: blocks of 16 / 2 / 4 = 2, three of them; 32 / (2 * 4) = 4; a message of 1/8 s; gradients of three layers,
  // one of them the next stage's, in 3 * 1 / 25 s.
  CHECK(found.speedup == doctest::Approx(32 / (3 * 2 + 4 + 0.125 + 0.12)));
}

namespace {

/// The same layers on two machines of 8 devices, for the simulator: a third of a stage's time is its forward pass.
struct placed_model {
  const placed_layers& layers;

  [[nodiscard]] std::size_t size() const { return layers.times.size() - 1; }
  [[nodiscard]] static std::size_t period() { return 8; }

  template <class Visit>
  void each_option(const stage_query& query, const Visit& visit) const {
    for (std::size_t d = 1; d <= 16; ++d) {
      const auto share = static_cast<double>(d);
      stage_option option;
      option.replicas = d;
      option.time = (layers.times[query.last] - layers.times[query.first]) / share;
      option.forward = option.time / 3;
      option.backward = option.time - option.forward;
      const std::size_t first = (query.device + 16 - d) % 8;
      option.message = query.first == 0 ? 0 : layers.messages[query.first] / share / (first == 0 ? 1e9 : 25e9);
      const double bytes = layers.parameters[query.last] - layers.parameters[query.first];
      const double bandwidth = first + d > 8 ? 3e9 : 25e9 * static_cast<double>(d < 2 ? 1 : d / 2);
      option.all_reduce = 2 * (share - 1) / share * bytes / bandwidth;
      visit(option);
    }
  }
  template <class Visit>
  void each_stage(std::size_t last, const Visit& visit) const {
    for (std::size_t i = layers.begins[last].size(); i-- > 0;) {
      if (!visit(layers.begins[last][i], stagecut::detail::options_between<placed_model>{*this})) return;
    }
  }
};

/// DAPPLE's two stages of a machine each, simulated.
double simulated(const placed_model& model, std::size_t split, std::size_t microbatches) {
  pass_times<double> times;
  transfer_times<double> messages;
  for (const auto& [first, last, device] : {std::array<std::size_t, 3>{0, split, 8}, {split, model.size(), 8}}) {
    model.each_option({first, last, device}, [&](const stage_option& option) {
      if (option.replicas != 8) return;
      times.forward.push_back(option.forward);
      times.backward.push_back(option.backward);
      times.all_reduce.push_back(option.all_reduce);
      if (option.message > 0) messages.forward = messages.backward = {option.message};
    });
  }
  return simulate(one_forward_one_backward(2, microbatches), times, messages).makespan;
}

}  // namespace

TEST_CASE("the plans of published profiles") {
  const char* const folder = std::getenv("STAGECUT_WORKLOADS");
  if (folder == nullptr) {
    MESSAGE("skipped: STAGECUT_WORKLOADS is not set");
    return;
  }
  // Samples of the profile, a batch and a microbatch; where the second of two stages of 8 devices begins; the speedup said.
  struct row {
    std::string name;
    std::size_t profiled, batch, microbatch, split;
    double speedup;
  };
  for (const row& each : {row{"xlnet", 1, 128, 1, 16, 14.03}, row{"amoebanet_18", 8, 128, 8, 22, 7.89},
                          row{"gnmt_32_simplified", 64, 1024, 64, 31, 9.64}, row{"bert_48", 6, 64, 2, 30, 0}}) {
    CAPTURE(each.name);
    std::ifstream text(std::string(folder) + "/hpgo/" + each.name + ".txt");
    REQUIRE(text);
    const joint_tests::antichain_states states(text);
    placed_layers layers = states.layers(static_cast<double>(each.batch) / static_cast<double>(each.profiled));
    const equal_machines machines{2, 8};
    const auto plan = dapple_plan(layers, machines, each.batch, each.microbatch);
    REQUIRE(plan.stages.size() == 2);
    CHECK(plan.stages[0].last == each.split);
    CHECK(plan.stages[0].of_machine == std::vector<std::size_t>{8, 0});
    CHECK(plan.stages[1].of_machine == std::vector<std::size_t>{0, 8});
    // 12.34 is said of bert_48: the profile measured then had other messages.
    if (each.speedup > 0) CHECK(plan.speedup == doctest::Approx(each.speedup).epsilon(0.0005));
    const double share = static_cast<double>(each.microbatch) / static_cast<double>(each.batch);
    for (auto* figures : {&layers.times, &layers.messages}) {
      for (double& figure : *figures) figure *= share;
    }
    placed_request request;
    request.machines = machines;
    request.microbatches = each.batch / each.microbatch;
    request.search.time_limit.reset();
    const auto found = minimize_placed_latency(layers, request);
    REQUIRE(found.state() == state::optimal);
    const placed_model model{layers};
    hybrid_request asked;
    asked.devices = 16;
    asked.at_most = true;
    asked.microbatches = request.microbatches;
    asked.search.time_limit.reset();
    asked.search.node_limit = 2'000'000;
    const auto ours = minimize_hybrid(model, asked);
    REQUIRE(ours);
    const double theirs = simulated(model, each.split, request.microbatches);
    CHECK(ours->value <= theirs);
    MESSAGE(each.name, ": an iteration of ", theirs, " s by its plan, ", ours->value, " s by ours, none below ",
            ours->bound);
    MESSAGE(each.name, ": ", found->value, " s in ", found->stages.size(), " stages, ", found->statistics.searches, " searches");
  }
}
