// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan_modules.hpp>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/plan/detail/check_inference.hpp>
#include <stagecut/plan/partition_modules.hpp>
#include <stagecut/plan/parts/check_memory.hpp>
#include <stagecut/plan/parts/describe_plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/flatten_modules.hpp>
#include <stagecut/profile/parts/each_tie.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Rejects leaves that have to be on one stage but are separated by leaves of another device.
inline void check_runs(const profile& leaves, const cuts& runs) {
  const std::vector<std::size_t> run_of = runs.assignment();
  name_numbers names(leaves.layers.size());
  std::vector<std::size_t> first;
  const auto check = [&](std::size_t i, std::size_t name, const char* why, std::string_view what) {
    if (name == first.size()) first.push_back(i);
    if (run_of[i] == run_of[first[name]]) return;
    fail(invalid_input(layer_text(leaves, i),
                       joined({why, " ", in_quotes(what), " as ", layer_text(leaves, first[name]),
                               ", on the same device with another one's layers between them: no stage has both"})));
  };
  for (std::size_t i = 0; i < leaves.layers.size(); ++i) {
    const std::string_view group = leaves.layers[i].group;
    if (group.empty()) continue;
    check(i, names(group), "is of the same group", group);
    if (first[names(group)] != i && leaves.layers[i - 1].group != group) {
      fail(invalid_input(
          layer_text(leaves, i),
          joined({"is of the same group ", in_quotes(group), " as ", layer_text(leaves, first[names(group)]),
                  ", with others between them: in a plan the layers of a group are neighbours"})));
    }
  }
  first.clear();
  detail::each_tie(leaves, [&](std::size_t i, const tied_parameters& tied, std::size_t name) {
    if (name == first.size()) first.push_back(i);
    if (tied.where == tied_parameters::placement::colocated)
      check(i, name, "has the same colocated parameters", tied.name);
  });
}

/// The device of each stage: those of the runs, then of surplus stages, until all devices have `chunks`.
[[nodiscard]] inline std::vector<std::size_t> devices_of_runs(const module_partition& made, std::size_t chunks) {
  std::vector<std::size_t> held(made.loads.size());
  std::vector<std::size_t> result;
  for (const module_run& run : made.runs) {
    result.push_back(run.device);
    ++held[run.device];
  }
  for (std::size_t d = 0; d < held.size(); ++d) result.insert(result.end(), chunks - held[d], d);
  return result;
}

/// Stages per device.
[[nodiscard]] inline std::size_t chunks_of(const module_partition& made) {
  std::vector<std::size_t> held(made.loads.size());
  std::size_t most = 1;
  for (const module_run& run : made.runs) {
    const std::size_t here = ++held[run.device];
    most = here > most ? here : most;
  }
  for (const std::size_t each : held) most = each == 0 && most < 2 ? 2 : most;
  return most;
}

}  // namespace detail

STAGECUT_DECL outcome<planned_modules> plan_modules_fn::operator()(const profile& model, const module_request& request,
                                                                   const memory_options& memory,
                                                                   const std::string& optimizer) const {
  if (!model.edges.empty()) {
    detail::fail(invalid_input("edge 0", "orders layers, and modules run in the order of their tree"));
  }
  outcome<module_partition> found = partition_modules(model, request);
  if (!found) return outcome<planned_modules>::infeasible(found.why());
  const stagecut::state proved = found.state();
  planned_modules made;
  made.partition = *std::move(found);
  const profile leaves = flatten_modules(model);
  plan_request asked;
  asked.devices = request.devices;
  asked.stages_per_rank = detail::chunks_of(made.partition);
  asked.memory_accounting = memory;
  asked.optimizer = optimizer;
  std::vector<std::size_t> points{0};
  for (const module_run& run : made.partition.runs) points.push_back(run.last);
  detail::check_runs(leaves, cuts(points));
  const std::vector<std::size_t> devices = detail::devices_of_runs(made.partition, asked.stages_per_rank);
  points.resize(devices.size() + 1, leaves.layers.size());
  const training_memory bytes(leaves, detail::memory_of_request(leaves, asked));
  detail::check_memory(bytes, asked, {});
  made.plan.cuts = cuts(std::move(points), empty_stages::allowed);
  detail::describe(made.plan, leaves, asked, bytes, devices, std::vector<std::size_t>(devices.size()));
  for (std::size_t s = 0; s < made.partition.runs.size(); ++s) made.plan.stages[s].cost = made.partition.runs[s].cost;
  const bool one_each = asked.stages_per_rank == 1;
  made.plan.objective = {one_each ? "bottleneck" : "", "time and memory", made.partition.value, made.partition.bound,
                         proved};
  return proved == state::optimal ? outcome<planned_modules>::optimal(std::move(made))
                                  : outcome<planned_modules>::feasible(std::move(made));
}

}  // namespace stagecut::inline STAGECUT_ABI
