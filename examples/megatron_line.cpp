// SPDX-License-Identifier: BSL-1.0
// From a profile to the line of a launch script: megatron_line PROFILE.
//
// prints, of models/llama-2-7b.csv
//   an iteration of 16 microbatches takes 4.309 s, and no cut ends earlier than 4.309 s
//   --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout "Et*8|t*8|t*8|t*8L"
#include <stagecut/io/frameworks/megatron.hpp>
#include <stagecut/io/read_profile.hpp>
#include <stagecut/stagecut.hpp>

#include <cstdio>
#include <exception>

int main(int argc, char** argv) try {
  if (argc != 2) return std::puts("megatron_line PROFILE"), 2;
  const stagecut::profile model = stagecut::io::read_profile(argv[1]);

  stagecut::plan_request request;
  request.devices = 4;
  request.microbatches = 16;
  request.memory_limit = 80e9;
  request.buffer_fraction = 0.1;  // for what no profile knows of
  const auto plan = stagecut::make_plan(model, request);
  if (!plan) return std::puts(plan.why().text().c_str()), 3;  // which layer, how many bytes, and a remedy

  if (plan->makespan) {
    std::printf("an iteration of %zu microbatches takes %.3f s, and no cut ends earlier than %.3f s\n",
                request.microbatches, *plan->makespan, plan->objective.bound);
  }
  std::puts(stagecut::io::as_megatron(*plan).c_str());
} catch (const std::exception& error) {
  return std::puts(error.what()), 1;
}
