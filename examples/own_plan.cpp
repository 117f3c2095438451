// SPDX-License-Identifier: BSL-1.0
// A profile written in code, and plans of it: plain, with recomputation, with replicas, by any schedule; and what `verify_plan`
// finds in one that was changed.
//
// prints
//   plain: makespan 2.213 s, none below 2.213 s
//     1 of 30 ms, 4.83 GB: block 0
//     1 of 69 ms, 7.66 GB: block 1 block 2
//     1 of 126 ms, 5.46 GB: block 3 block 4 block 5
//     1 of 99 ms, 2.63 GB: block 6 block 7
//   recomputation: makespan 1.838 s, none below 1.838 s
//     1 of 73 ms, 5.70 GB: block 0 (recomputed) block 1
//     1 of 75 ms, 6.16 GB: block 2 block 3
//     1 of 87 ms, 3.66 GB: block 4 block 5
//     1 of 99 ms, 2.63 GB: block 6 block 7
//   replicas: iteration 1.699 s, none below 1.699 s
//     1 of 63 ms, 7.63 GB: block 0 block 1
//     1 of 75 ms, 4.66 GB: block 2 block 3
//     2 of 93 ms, 4.22 GB: block 4 block 5 block 6 block 7
//   any schedule: makespan 2.213 s, none below 2.213 s
//     1 of 30 ms, 4.83 GB: block 0
//     1 of 69 ms, 7.66 GB: block 1 block 2
//     1 of 126 ms, 5.46 GB: block 3 block 4 block 5
//     1 of 99 ms, 2.63 GB: block 6 block 7
//     1f1b, stages per rank 1: 2.213 s, none below 2.213 s
//     eager-1f1b, stages per rank 1: 3.133 s, none below 2.213 s
//     the search was complete
//   changed by hand: does not hold
//     objective: it is not the makespan
#include <stagecut/joint/plan_model.hpp>
#include <stagecut/plan/verify_plan.hpp>

#include <cstddef>
#include <cstdio>
#include <string>

stagecut::profile model_of_mine() {
  stagecut::profile model;
  for (std::size_t i = 0; i < 8; ++i) {
    stagecut::layer each;
    each.name = "block " + std::to_string(i);
    each.forward = 0.010 + 0.001 * static_cast<double>(i);  // seconds of a microbatch
    each.backward = 2 * each.forward;
    each.parameters = 200e6;               // bytes; the optimizer's state is added
    each.activations = i < 3 ? 1e9 : 5e8;  // bytes kept for the backward pass of a microbatch
    each.output = 16e6;                    // bytes sent to the next layer
    stagecut::layer_variant full;          // the same layer with its activations recomputed
    full.name = "full";
    full.forward = each.forward;
    full.backward = each.backward + each.forward;
    full.parameters = each.parameters;
    full.activations = full.output = each.output;
    if (i < 3) each.recomputations = {full};
    model.layers.push_back(each);
  }
  return model;
}

void print(const char* what, const stagecut::outcome<stagecut::plan>& plan) {
  if (!plan) return static_cast<void>(std::printf("%s: %s\n", what, plan.why().text().c_str()));
  const stagecut::objective_value& objective = plan->objective;
  std::printf("%s: %s %.3f s, none below %.3f s\n", what, objective.name.c_str(), objective.value, objective.bound);
  for (std::size_t s = 0; s < plan->stages.size(); ++s) {
    const stagecut::planned_stage& stage = plan->stages[s];
    std::printf("  %zu of %.0f ms, %.2f GB:", stage.replicas, 1e3 * (stage.forward + stage.backward),
                stage.total_memory() / 1e9);
    for (const std::size_t layer : layers_of(*plan, s)) {
      const bool again = !plan->choices.empty() && !plan->choices[layer].recomputation.empty();
      std::printf(" %s%s", plan->profile.layers[layer].name.c_str(), again ? " (recomputed)" : "");
    }
    std::printf("\n");
  }
}

void print_compared(const stagecut::planned_model& all) {
  print("any schedule", all.best);
  for (const stagecut::compared_plan& row : all.compared) {
    if (row.makespan == 0) continue;  // `row.why` tells why there is no plan
    std::printf("  %s, stages per rank %zu: %.3f s, none below %.3f s\n", to_string(row.schedule), row.stages_per_rank,
                row.makespan, row.bound);
  }
  std::printf("  the search was %s\n", to_string(all.statistics.ended));  // statistics: also nodes and seconds
}

void print_checks(const stagecut::plan_verification& checks) {
  std::printf("changed by hand: %s\n", checks.holds() ? "holds" : "does not hold");
  for (const stagecut::plan_check& check : checks.checks) {
    if (check.result == stagecut::check_result::broken) std::printf("  %s: %s\n", check.name.c_str(), check.why.c_str());
  }
}

int main() {
  const stagecut::profile model = model_of_mine();
  stagecut::plan_request request;
  request.devices = 4;
  request.microbatches = 16;
  request.links = {{5e-6, 5e9}};  // latency in seconds, bytes a second; without links messages take no time
  request.memory_limit = 8e9;     // bytes of each device
  print("plain", plan_model(model, request));

  stagecut::plan_request with_recomputation = request;
  with_recomputation.recomputations.emplace();  // an empty list: all that layers offer
  print("recomputation", plan_model(model, with_recomputation));

  stagecut::plan_request with_replicas = request;
  with_replicas.replicas = {1, 2, 4};  // of a stage; devices are those of the machine
  print("replicas", plan_model(model, with_replicas));

  stagecut::plan_request with_any_schedule = request;
  with_any_schedule.any_schedule = true;  // `choices` lists schedules, devices, microbatches of your own
  const stagecut::planned_model all = compare_model(model, with_any_schedule);
  print_compared(all);

  stagecut::plan changed = *all.best;
  changed.objective.bound = changed.objective.value *= 0.9;  // a plan that claims too much
  print_checks(stagecut::verify_plan(model, changed));
}
