// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/schedule/lower_transfers.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "commands/scenario.hpp"
#include "options/limit_flags.hpp"
#include "options/option_checks.hpp"
#include "options/pass_flags.hpp"
#include "options/schedule_flags.hpp"
#include "options/transfer_flags.hpp"
#include "output/output.hpp"
#include "output/simulation_formats.hpp"
#include "output/simulation_text.hpp"

/// The options of `stagecut simulate`.
struct simulate_command {
  std::string file;
  pass_flags passes;
  std::size_t devices = 0;
  std::size_t per_rank = 0;
  schedule_flags schedule;
  transfer_flags transfers;
  limit_flags input;
  simulation_format format = simulation_format::text;
  std::string output;
  bool merged = false;
  bool separate = false;  // the default, for explicit use
  bool whole_first = false;

  /// Registers the options.
  CLI::App* add(CLI::App& app) {
    auto* const command = app.add_subcommand("simulate", "Run a plan, or stages of given times, on paper");
    const auto option = [&](const char* name, auto& into, const char* type, const char* says) {
      return command->add_option(name, into, says)->type_name(type);
    };
    option("PLAN", file, "", "A plan; - is standard input");
    passes.add(*command, "Without a plan: forward times by stage: 8,14,18,20");
    option("--devices", devices, "P", "Ranks, where a list is one time for all stages")->transform(count());
    option("--stages-per-rank", per_rank, "V", "Stages of each rank; or --vpp")->transform(count());
    schedule.add(*command);
    transfers.add(*command);
    add_choice(*command, "--format", format, simulation_formats, "NAME", "text, json, html, svg, trace, torch-csv ...");
    option("--output", output, "FILE", "Write to this file");
    command->add_flag("--separate-backward", separate, "I and W apart, as planned: the default")->group(rare_options);
    command->add_flag("--merge-backward", merged, "Run I with W behind it as one B")->group(rare_options);
    command->add_flag("--whole-first-stage", whole_first, "Stage 0 runs B for I and W, as in PyTorch")->group(rare_options);
    input.add(*command);
    refuse_empty(*command);
    return command;
  }

  /// Simulates, and writes the result.
  [[nodiscard]] int run() const {
    check_output(output, {file, schedule.order});
    if (merged && separate) throw CLI::ValidationError("--merge-backward", "is the opposite of --separate-backward");
    scenario what = asked();
    if (merged) what.order = stagecut::merge_backward(what.order);
    if (whole_first) what.order = stagecut::whole_first_stage(what.order);
    const simulated result = simulate_named(what);
    const auto text = [&] { return simulation_text(result, screen_of(output)); };
    const auto json = [&] { return simulation_json(result); };
    write_simulation(result, format, output, text, json);
    return 0;
  }

 private:
  [[nodiscard]] std::string source() const { return file == "-" ? "standard input" : file; }

  [[nodiscard]] scenario asked() const {
    try {
      if (!file.empty() && passes.forward.empty()) return of_plan();
      if (file.empty() && !passes.forward.empty()) return of_lists();
    } catch (const stagecut::argument_error& error) {
      throw CLI::ValidationError(in_options(error));
    }
    throw CLI::ValidationError("simulate", "needs either a plan or --forward");
  }

  /// Simulates; reports errors in terms of the option.
  [[nodiscard]] simulated simulate_named(const scenario& what) const {
    try {
      return ::simulate(what);
    } catch (const stagecut::invalid_input& error) {
      if (!schedule.order.empty()) throw stagecut::invalid_input(schedule.order, error.what());
      if (!file.empty()) throw stagecut::invalid_input(source(), error.what());
      if (error.place() == "times") throw CLI::ValidationError(error.what());
      std::string option = error.what();  // forward[1]: NaN ...
      std::replace(option.begin(), option.begin() + static_cast<std::ptrdiff_t>(error.place().size()), '_', '-');
      throw CLI::ValidationError("--" + option);
    }
  }

  [[nodiscard]] scenario of_plan() const {
    for (const auto& [name, list] :
         {std::pair("--backward", &passes.backward), std::pair("--backward-input", &passes.backward_input),
          std::pair("--backward-weight", &passes.backward_weight)}) {
      if (!list->empty()) throw CLI::ValidationError(name, "goes with --forward, and the plan has times");
    }
    stagecut::plan plan = plan_from(file, input.limits);
    if (devices != 0 && devices != plan.devices) {
      throw CLI::ValidationError("--devices", fmt::format("{} are not the {} of the plan", devices, plan.devices));
    }
    if (per_rank != 0 && per_rank != plan.stages_per_rank) {
      throw CLI::ValidationError("--stages-per-rank",
                                 fmt::format("{} are not the {} of the plan", per_rank, plan.stages_per_rank));
    }
    if (schedule.microbatches != 0) plan.schedule.microbatches = schedule.microbatches;
    stagecut::schedule made = schedule.named() ? other_schedule(plan) : own_schedule(plan);
    if (is_of_torch(format)) stagecut::io::check_torch_order(plan, merged ? stagecut::merge_backward(made) : made);
    const std::string title = fmt::format("{}, {}", plan.profile.name.empty() ? file : plan.profile.name,
                                          made.name.empty() ? "its own order" : made.name);
    try {
      for (std::size_t s = 0; s < plan.stages.size() && !transfers.link_given(); ++s) {
        if (plan.messages.links.size() < 2 || plan.stages[s].device == made.rank_of[s]) continue;
        throw CLI::ValidationError(
            "--schedule",
            fmt::format("{} has other neighbours, whose links the plan does not know: give --bandwidth", made.name));
      }
      auto messages = transfers.of(plan, made.slices);
      return scenario_of(plan, std::move(made), title, std::move(messages));
    } catch (const stagecut::invalid_input& error) {
      throw stagecut::invalid_input(source(), error.what());
    }
  }

  [[nodiscard]] stagecut::schedule own_schedule(const stagecut::plan& plan) const {
    const std::string much = too_large_run(plan);
    if (!much.empty()) throw stagecut::invalid_input(source(), much);
    try {
      return stagecut::schedule_of(plan);
    } catch (const stagecut::argument_error& error) {
      if (schedule.microbatches != 0) throw;  // the number differs from the plan's
      throw stagecut::invalid_input(source(), error.what());
    } catch (const std::invalid_argument& error) {  // any error of the plan's own
      throw stagecut::invalid_input(source(), error.what());
    }
  }

  /// A schedule other than the plan's.
  [[nodiscard]] stagecut::schedule other_schedule(const stagecut::plan& plan) const {
    if (plan.memory.checkpoint == to_string(stagecut::checkpointing::except_last)) {
      using stagecut::schedule_kind;
      for (const auto kind : {schedule_kind::gpipe, schedule_kind::gpipe_lifo}) {
        if (schedule.name == to_string(kind)) return own_schedule(plan);
      }
      throw stagecut::invalid_input(source(), "keeps the last microbatch, which gpipe alone sends back first");
    }
    if (plan.schedule.slices != 1) {
      throw CLI::ValidationError("--schedule", "is of no use: the plan cuts sequences, for its own schedule");
    }
    schedule_flags words = schedule;
    if (words.group == 0 && words.name == plan.schedule.name) words.group = plan.schedule.group;
    return words.made(plan.devices, plan.stages_per_rank, plan.schedule.microbatches,
                      stagecut::times_of(plan, plan.profile.splits_backward()), transfers.of(plan), input.limits,
                      stagecut::stage_edges_of(plan));
  }

  /// Rejects times of passes that the schedule does not run.
  void refuse_unused(const stagecut::schedule& order) const {
    const bool whole = merged || stagecut::has_kind(order, stagecut::op_kind::backward);
    const bool split = stagecut::has_kind(order, stagecut::op_kind::backward_input);
    if (!whole && !passes.backward.empty())
      throw CLI::ValidationError("--backward", "is of no use: the schedule runs its parts");
    if (!split && !passes.backward.empty() && !passes.backward_input.empty()) {
      throw CLI::ValidationError("--backward-input", "is of no use: the schedule runs whole backward passes");
    }
  }

  [[nodiscard]] scenario of_lists() const {
    scenario result;
    std::size_t stages = 0;
    result.times = passes.read(stages);
    const std::size_t each = per_rank != 0 ? per_rank : schedule.usual_stages_per_rank();
    const bool from_file = !schedule.order.empty();
    if (from_file) result.order = schedule.from_file(input.limits);
    if (stages <= 1 && from_file) {
      stages = result.order.stages();
    } else if (stages <= 1 && devices != 0) {
      schedule.check_size(devices, each, 1);
      stages = devices * each;
    }
    pass_flags::spread(result.times, stages);
    const bool given = !from_file || per_rank != 0;  // whether the stages per rank are given
    if (given && (stages % each != 0 || (devices != 0 && devices != stages / each))) {
      const std::string ranks = devices != 0 ? fmt::format(" of {} ranks", devices) : " rank";
      throw CLI::ValidationError("--forward", fmt::format("{} stages are not {} on each{}", stages, each, ranks));
    }
    result.transfers = transfers.of_lists();
    const std::size_t ranks = given ? stages / each : devices;
    result.order =
        from_file ? schedule.checked(std::move(result.order), stages, ranks, schedule.microbatches)
                  : schedule.made(ranks, each, schedule.microbatches, result.times, result.transfers, input.limits);
    for (auto* of :
         {&result.times.forward, &result.times.backward, &result.times.backward_input, &result.times.backward_weight}) {
      for (double& time : *of) time /= static_cast<double>(result.order.slices);
    }
    refuse_unused(result.order);
    result.title = result.order.name;
    result.seconds = false;
    return result;
  }
};
