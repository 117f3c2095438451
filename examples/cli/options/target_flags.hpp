// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/formats.hpp>
#include <stagecut/plan/not_representable.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/plan/targets.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/schedule_kind.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "options/option_checks.hpp"
#include "output/computed_text.hpp"
#include "output/output.hpp"

/// Prints on standard error the settings that a plan assumes and the format of a framework does not express.
/// @param written  the plan in the format
inline void say_settings(const stagecut::plan& made, const std::string& format, const std::string& written) {
  if (stagecut::find_target(format) == nullptr) return;
  const std::string text = unset_settings(made, format, written);
  if (!text.empty()) say(fmt::format("to be set there, too: {}", text));
}

/// The framework that runs a plan, as options of `plan`.
struct target_flags {
  std::string name;

  void add(CLI::App& command) {
    command.add_option("--for", name, "Who runs it: megatron, pytorch, vllm ..")
        ->type_name("NAME")
        ->check(one_of(stagecut::targets));
  }

  /// Whether it is for serving, so that a configuration is planned for serving.
  [[nodiscard]] bool serves(const std::string& format) const {
    const stagecut::target_entry* const entry = stagecut::find_target(name.empty() ? format : name);
    return entry != nullptr && entry->schedules.empty();
  }

  /// Fills a request for that model. The output format of a framework also selects it, if the plan is of a chain.
  /// @param schedule_given     whether a schedule was given, which the framework must then support
  /// @param several  whether stages may use several devices
  /// @param in_row   whether the stages of a graph form a row
  void ask(const stagecut::profile& model, const std::string& format, bool schedule_given, bool several, bool in_row,
           stagecut::plan_request& request) const {
    const stagecut::target_entry* const by_format = stagecut::find_target(format);
    const stagecut::target_entry* entry = stagecut::find_target(name);
    if (entry != nullptr && by_format != nullptr && entry != by_format) {
      throw CLI::ValidationError("--format", fmt::format("{} is of another framework than --for {}", format, name));
    }
    const stagecut::target_entry* const wanted = entry != nullptr ? entry : by_format;
    const bool torch_row = in_row && wanted != nullptr && wanted->kind == stagecut::framework::pytorch;
    const bool graph = request.cpus != 0 || (request.at_most && !several) ||
                       request.method != stagecut::graph_method::automatic || !(stagecut::is_chain(model) || torch_row);
    if (entry != nullptr && graph)
      throw CLI::ValidationError("--for", "is for chains only, and this is planned as a graph");
    if (entry == nullptr) {
      if (by_format == nullptr || graph) return;
      entry = by_format;
    }
    request.target = entry->kind;
    if (const std::string why = stagecut::io::settings_obstacle(entry->kind, model); !why.empty())
      throw stagecut::not_representable(entry->name, why);
    if (!schedule_given || model.inference) return;
    const stagecut::schedule_entry& asked = stagecut::entry_of(request.schedule);
    const auto meant = request.stages_per_rank > 1          ? asked.with_stages_per_rank
                       : request.in_flight.empty() ? asked.kind
                                                   : asked.with_in_flight;
    if (entry->schedules.empty() || stagecut::find_schedule(*entry, meant) != nullptr) return;
    std::vector<std::string> known;
    for (const auto& schedule : entry->schedules) known.emplace_back(to_string(schedule.kind));
    throw stagecut::not_representable(
        entry->name, fmt::format("it is {}, and it runs {}", to_string(meant), fmt::join(known, ", ")), "schedule");
  }

  /// Known problems that stop the framework although it accepts the plan.
  [[nodiscard]] std::vector<std::string> cautions(const stagecut::plan& made, const std::string& format) const {
    return format == "megatron" || (format == "text" && name == "megatron") ? stagecut::io::megatron_cautions(made)
                                                                            : std::vector<std::string>();
  }

  /// The framework's lines; empty if no framework was given.
  [[nodiscard]] std::string text_of(const stagecut::plan& made) const {
    if (name.empty()) return "";
    const stagecut::target_entry& entry = *stagecut::find_target(name);
    return fmt::format("for {} ({}):\n{}\n", entry.framework, entry.version,
                       stagecut::io::find_format(name)->write(made));
  }
};
