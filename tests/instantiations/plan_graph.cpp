// SPDX-License-Identifier: BSL-1.0
// A profile with branches, planned.
#include <stagecut/graph/plan_graph.hpp>

#include <cstdio>

int main() {
  stagecut::profile model;
  const auto plan = stagecut::plan_graph(model, {.devices = 4, .microbatches = 32});
  if (!plan) return std::puts(plan.why().text().c_str()), 1;
  std::printf("%zu\n", plan->stages.size());
}
