// SPDX-License-Identifier: BSL-1.0
// A profile, planned on a machine.
#include <stagecut/joint/plan_hybrid.hpp>

#include <cstdio>

int main() {
  stagecut::profile model;
  const auto plan = stagecut::plan_hybrid(model, {});
  if (!plan) return std::puts(plan.why().text().c_str()), 1;
  std::printf("%zu\n", plan->stages.size());
}
