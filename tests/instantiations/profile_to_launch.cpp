// SPDX-License-Identifier: BSL-1.0
// The README's way from a profile to the words of a framework.
#include <stagecut/io/frameworks/megatron.hpp>
#include <stagecut/io/read_profile.hpp>
#include <stagecut/stagecut.hpp>

#include <cstdio>

int main() {
  const auto model = stagecut::io::read_profile("model.json");
  const auto plan = stagecut::make_plan(
      model, {.devices = 4, .microbatches = 32, .memory_limit = 42.95e9, .target = stagecut::framework::megatron});
  if (!plan) return std::puts(plan.why().text().c_str()), 1;
  std::puts(stagecut::io::as_megatron(*plan).c_str());
}
