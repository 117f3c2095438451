// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/joint/plan_model.hpp>
#include <stagecut/plan/module_partition.hpp>
#include <stagecut/plan/plan_modules.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "options/option_checks.hpp"
#include "options/quantity.hpp"
#include "output/exit_status.hpp"
#include "output/output.hpp"
#include "output/plan_formats.hpp"
#include "output/profile_text.hpp"
#include "output/table.hpp"

// Assigns the modules of a module tree to devices.

/// Rejects options that do not apply to module trees.
inline void refuse_beside_modules(const CLI::App& command) {
  static constexpr std::string_view known[] = {
      "FILE",        "--devices", "--method", "--time-weight", "--memory-weight",
      "--optimizer", "--format",  "--output", "--input-limit", "--input-depth"};
  for (const CLI::Option* const option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || std::find(std::begin(known), std::end(known), name) != std::end(known)) continue;
    throw CLI::ValidationError(name, "does not go with --method modules, which deals out modules by their cost alone");
  }
}

/// A share of a model, as text.
inline std::string share_text(double share) { return fmt::format("{:.2f} %", 100 * share); }

/// The runs of leaves.
inline std::string runs_text(const stagecut::planned_modules& made) {
  table lines(2);
  lines.add({"run", "device", "layers", "count", "cost", "time", "memory"});
  const auto& layers = made.plan.profile.layers;
  for (std::size_t r = 0; r < made.partition.runs.size(); ++r) {
    const stagecut::module_run& run = made.partition.runs[r];
    const stagecut::planned_stage& stage = made.plan.stages[r];
    std::string names = shown(layers[run.first].name, 24);
    if (run.last - run.first > 1) names += " .. " + shown(layers[run.last - 1].name, 24);
    lines.add({std::to_string(r), std::to_string(run.device), names, std::to_string(run.last - run.first),
               share_text(run.cost), time_text(made.plan.profile, stage.forward + stage.backward),
               bytes_text(stage.total_memory())});
  }
  return lines.text([](std::size_t) { return std::string(); });
}

/// The loads of the devices.
inline std::string loads_text(const stagecut::planned_modules& made) {
  table lines(1);
  lines.add({"device", "runs", "cost", "memory"});
  for (std::size_t d = 0; d < made.partition.loads.size(); ++d) {
    std::string runs;
    double bytes = 0;
    for (std::size_t r = 0; r < made.partition.runs.size(); ++r) {
      if (made.partition.runs[r].device != d) continue;
      runs += fmt::format("{}{}", runs.empty() ? "" : ", ", r);
      bytes += made.plan.stages[r].total_memory();
    }
    lines.add({std::to_string(d), runs.empty() ? "-" : runs, share_text(made.partition.loads[d]), bytes_text(bytes)});
  }
  return lines.text([](std::size_t) { return std::string(); });
}

/// A plan of modules, compared with others.
inline std::string modules_text(const stagecut::profile& tree, const stagecut::plan_request& request,
                                const stagecut::planned_modules& made, stagecut::state proved) {
  const stagecut::module_partition& found = made.partition;
  std::string text = runs_text(made) + loads_text(made);
  text += fmt::format("heaviest device: {} of the model ({:.4g} memory, {:.4g} time), {}: none can be below {}\n",
                      share_text(found.value), 1 - request.time_weight, request.time_weight,
                      stagecut::to_string(proved), share_text(found.bound));
  const double gap = 100 * found.excess_over_chain();
  text += fmt::format("best cut of the chain of leaves into {} stage{}: {}, {}\n", found.loads.size(),
                      found.loads.size() == 1 ? "" : "s", share_text(found.chain_load),
                      gap == 0  ? "which is as much"
                      : gap > 0 ? fmt::format("which the heaviest device is {:.2f} % above", gap)
                                : fmt::format("which the heaviest device is {:.2f} % below", -gap));
  for (std::size_t i = 0; i < found.heavy.size() && i < 4; ++i) {
    text += fmt::format("{} alone is more than the average of a device\n", shown(tree.layers[found.heavy[i]].name));
  }
  if (found.heavy.size() > 4) text += fmt::format("so are {} others\n", found.heavy.size() - 4);
  return text;
}

/// Plans a module tree, and writes the plan.
inline int plan_modules_of(const stagecut::profile& tree, const stagecut::plan_request& request,
                           const std::string& source, const std::string& format, const std::string& output) {
  using namespace stagecut;
  if (format != "text" && format != "json") {
    throw CLI::ValidationError("--format", fmt::format("{}: of --method modules it is text or json", format));
  }
  const bool any =
      std::any_of(tree.layers.begin(), tree.layers.end(), [](const layer& l) { return !l.children.empty(); });
  if (!any) throw invalid_input(source, "no layer has children: --method modules is of a module tree");
  planned_model found;
  try {
    found = compare_model(tree, request);
  } catch (const invalid_input& error) {
    throw invalid_input(source, error.what());
  } catch (const argument_error& error) {
    throw CLI::ValidationError(in_options(error));
  }
  if (!found.best) {
    say(fmt::format("{}: {}: {}", source, to_string(found.best.state()), found.best.why().text()));
    return infeasible;
  }
  const planned_modules made{*found.best, *found.modules};
  write(format == "json" ? formatted(made.plan, format, screen{}) : modules_text(tree, request, made, found.best.state()),
        output);
  return planned;
}
