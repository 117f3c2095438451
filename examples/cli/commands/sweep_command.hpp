// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/io/pictures/report.hpp>
#include <stagecut/io/pictures/sweep_scatter.hpp>
#include <stagecut/io/tables/sweep_csv.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/plan_choices.hpp>
#include <stagecut/plan/sweep_rows.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/search/worker_threads.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/plan_command.hpp"
#include "commands/read_model.hpp"
#include "options/backend_flags.hpp"
#include "options/device_flags.hpp"
#include "options/did_you_mean.hpp"
#include "options/layer_flags.hpp"
#include "options/limit_flags.hpp"
#include "options/memory_flags.hpp"
#include "options/option_checks.hpp"
#include "options/schedule_flags.hpp"
#include "options/table_flags.hpp"
#include "output/computed_text.hpp"
#include "output/output.hpp"
#include "output/predicted_rates.hpp"
#include "output/progress_line.hpp"
#include "output/report_parts.hpp"
#include "output/sweep_text.hpp"

/// The options of `stagecut sweep`.
struct sweep_command {
  std::string file;
  std::string devices, microbatches, per_rank = "1,2", schedules = "auto", recompute = "none";
  std::string csv, svg, html;
  std::size_t nodes = stagecut::usual_sweep_nodes;
  std::size_t threads = 0;
  std::optional<double> time_limit;
  bool front = false;
  bool all = false;
  device_flags speeds;
  layer_flags layers;
  memory_flags memory;
  backend_flags search;
  limit_flags input;
  table_flags table;

  /// Registers the options.
  CLI::App* add(CLI::App& app) {
    auto* const command = app.add_subcommand("sweep", "Plan many configurations, by time and memory");
    const auto option = [&](const char* name, auto& into, const char* type, const char* says) {
      return command->add_option(name, into, says)->type_name(type);
    };
    command->set_help_all_flag("--help-all", "Print those that are seldom needed, too");
    option("FILE", file, "", "A profile")->required();
    option("--devices", devices, "LIST", "Pipeline ranks: 4,8,16");
    option("--microbatches", microbatches, "LIST", "Microbatches of an iteration: 32,64")->required();
    option("--schedules", schedules, "LIST", "1f1b,interleaved ..; auto (the default): the usual ones")
        ->check(list_of(planned_schedules()));
    option("--stages-per-rank", per_rank, "LIST", "Stages of each rank (1,2); or --vpp");
    option("--recompute", recompute, "LIST", "Of activations: none (the default), always")
        ->transform(never_is_none())
        ->check(list_of(recomputing()));
    speeds.add(*command);
    memory.add_without_checkpoint(*command);
    layers.add(*command);
    option("--csv", csv, "FILE", "Write all rows to this file");
    option("--svg", svg, "FILE", "Draw time against memory into this file");
    option("--html", html, "FILE", "Write a page with the plans of the front");
    command->add_flag("--front", front, "List the Pareto front alone");
    option("--threads", threads, "N", "That plan at a time (all)")->transform(count())->group(rare_options);
    option("--node-limit", nodes, "N", "Of the search of each (1000)")->transform(count(0))->group(rare_options);
    option("--time-limit", time_limit, "SECONDS", "Of the search of each")->check(seconds_check())->group(rare_options);
    command->add_flag("--all", all, "Plan those that are dominated, too")->group(rare_options);
    search.add(*command);
    memory.add_rare(*command);
    input.add(*command);
    table.add(*command);
    refuse_empty(*command);
    return command;
  }

  /// Plans all configurations, and writes the result.
  [[nodiscard]] int run() const {
    using namespace stagecut;
    check_output(csv, {file}, "--csv");
    check_output(svg, {file}, "--svg");
    check_output(html, {file}, "--html");
    if (!csv.empty() && csv == svg) throw CLI::ValidationError("--svg", csv + " is the file of --csv");
    if (!html.empty() && (html == csv || html == svg)) {
      throw CLI::ValidationError("--html", html + " is the file of " + (html == csv ? "--csv" : "--svg"));
    }
    const std::optional<profile> read = read_model(file, input, table);
    if (!read) return none({}, {});
    profile model = is_chain(*read) ? as_chain(*read) : *read;
    plan_request request;
    memory.ask(request);
    const std::string limit_taken = memory.ask_device(model, request);
    const std::string constant_taken = memory.ask_constant(model, request);
    speeds.ask(model, request);
    layers.ask(model, request);
    const std::vector<sweep_row> rows = swept(model, request, axes(model));
    if (!csv.empty()) write(io::sweep_csv(rows), csv);
    if (!svg.empty()) write(io::sweep_scatter(rows, drawn(model, request)), svg);
    if (!html.empty()) write(page_text(report_of(model, request, limit_taken, rows)), html);
    std::size_t plans = 0;
    for (const sweep_row& row : rows) plans += row.has_plan() ? 1 : 0;
    if (plans == 0) return none(rows, limit_taken);
    write(sweep_text(model, rows, front, standard_screen()), "");
    if (const std::string links = speeds.reading(); !links.empty()) say(links);
    if (!limit_taken.empty()) say(limit_taken);
    if (!constant_taken.empty()) say(constant_taken);
    if (stop_signals::asked()) {
      say(fmt::format("{}: stopped: {} of {} configurations have a plan so far", source_name(file), plans,
                      rows.size()));
    }
    return planned;
  }

 private:
  /// The names for --recompute.
  static std::vector<std::string> recomputing() {
    std::vector<std::string> names;
    for (const auto& entry : stagecut::checkpointing_names) {
      if (entry.value != stagecut::checkpointing::except_last) names.emplace_back(recomputation_name(entry.value));
    }
    return names;
  }

  /// The numbers of an axis.
  static std::vector<std::size_t> numbers(const char* option, const std::string& text, const char* example) {
    constexpr std::size_t most = stagecut::most_predicted;
    const auto result = parse_list<std::size_t>(option, text, example);
    for (const std::size_t each : result) {
      if (each != 0 && each <= most) continue;
      throw CLI::ValidationError(option, fmt::format("{} is no whole number from 1 to {}", each, most));
    }
    return result;
  }

  [[nodiscard]] stagecut::sweep_axes axes(const stagecut::profile& model) const {
    stagecut::sweep_axes result;
    result.devices = numbers("--devices", devices, "4,8");
    if (speeds.nodes.devices() != 0) {
      if (result.devices.empty()) result.devices = {speeds.nodes.devices()};
      for (const std::size_t device : result.devices) speeds.nodes.check_devices(device, true);
    }
    if (result.devices.empty() && model.machine.devices != 0) result.devices = {model.machine.devices};
    if (result.devices.empty()) throw CLI::RequiredError("--devices");
    result.microbatches = numbers("--microbatches", microbatches, "32,64");
    result.stages_per_rank = numbers("--stages-per-rank", per_rank, "1,2");
    if (schedules == "auto") {
      result.schedules = stagecut::usual_schedules(model);
    } else {
      for (const std::string_view schedule : split(schedules, ',')) {
        const auto* const known = stagecut::find_schedule(schedule);
        if (known != nullptr && known->make == nullptr) {
          throw CLI::ValidationError("--schedules",
                                     fmt::format("{} makes its order: plan does that, a sweep does not", schedule));
        }
        if (known == nullptr || stagecut::needs_more(*known)) {
          throw CLI::ValidationError("--schedules", fmt::format("{} is none{} (see stagecut schedules)", schedule,
                                                                did_you_mean(schedule, planned_schedules())));
        }
        result.schedules.push_back(known->kind);
      }
    }
    for (const std::string_view each : split(recompute, ',')) {
      const auto* const known = stagecut::find_name(stagecut::checkpointing_names, each == "none" ? "never" : each);
      if (known == nullptr || known->value == stagecut::checkpointing::except_last) {
        throw CLI::ValidationError(
            "--recompute", fmt::format("{} is neither none nor always{}", each, did_you_mean(each, recomputing())));
      }
      result.checkpoints.push_back(known->value);
    }
    return result;
  }

  [[nodiscard]] std::vector<stagecut::sweep_row> swept(const stagecut::profile& model,
                                                       const stagecut::plan_request& request,
                                                       const stagecut::sweep_axes& what) const {
    using namespace stagecut;
    static constexpr auto stop = stop_signals::asked;
    sweep_options options;
    options.skip_dominated = !all;
    const std::unique_ptr<search_helpers> helpers = search.ask();
    stagecut::plan_request helped = request;
    helped.search.node_limit = nodes;
    helped.search.time_limit = time_limit;
    helped.search.stop = stop;
    if (helpers) helped.backends = helpers->refs();
    if (helpers && threads > 1) throw CLI::ValidationError("--threads", "above 1 does not go with --search");
    const search::worker_threads workers(helpers ? 1 : threads);  // helpers serve one search at a time
    progress_line line;
    sweep_progress known;  // as reported after the latest round
    std::size_t done = 0;  // since then
    std::mutex mutex;      // guards these, and the progress line
    const auto report = [&](const sweep_progress& now) { known = now, done = 0; };
    if (line.is_shown()) options.progress = report;
    const auto watched = [&](std::size_t count, const function_ref<void(std::size_t)>& each) {
      const auto one = [&](std::size_t i) {
        each(i);
        if (!line.is_shown()) return;
        const std::lock_guard<std::mutex> lock(mutex);
        ++done;
        if (known.rows == 0) return;  // only bounds were computed so far
        line.show([&] { return search_text({known.done + done, 0, known.rows, line.seconds()}); });
      };
      workers(count, one);
    };
    try {
      helped.search.threads = watched;
      return stagecut::sweep_rows(model, helped, what, options);
    } catch (const stagecut::invalid_input& error) {
      throw stagecut::invalid_input(source_name(file), error.what());
    } catch (const stagecut::argument_error& error) {
      throw CLI::ValidationError(in_options(error));
    }
  }

  [[nodiscard]] static stagecut::io::scatter_options drawn(const stagecut::profile& model,
                                                           const stagecut::plan_request& request) {
    stagecut::io::scatter_options result;
    if (!model.name.empty()) result.title = model.name + ": time and memory";
    result.seconds = !model.weights_only;
    result.memory_limit = request.memory_limit.for_all();
    return result;
  }

  /// All configurations, and the plans of the front, recomputed.
  /// @param limit  the message about the device's memory; may be empty
  [[nodiscard]] stagecut::io::report report_of(const stagecut::profile& model, const stagecut::plan_request& request,
                                               const std::string& limit,
                                               const std::vector<stagecut::sweep_row>& rows) const {
    stagecut::io::report result;
    result.title = model.name.empty() ? "Time and memory" : shown(model.name) + ": time and memory";
    result.seconds = !model.weights_only;
    result.memory_limit = request.memory_limit.for_all();
    result.table = shown_table("Configurations", sweep_table(model, rows, sweep_lines::planned), configurations_text(rows));
    if (!computed_figures(model).empty()) {
      std::string run = computed_text(model);
      run.pop_back();
      result.figures.emplace_back("run", std::move(run));
    }
    constexpr std::string_view title = "memory: ";
    if (limit.starts_with(title)) result.figures.emplace_back("memory", limit.substr(title.size()));
    std::vector<std::optional<predicted_rates>> rates;
    for (const stagecut::sweep_row& row : rows) {
      if (!row.has_plan()) continue;
      const std::string schedule = to_string(row.schedule);
      result.points.push_back(
          {fmt::format("{}, {} devices, {} stage{} per rank, {} microbatches, recompute {}", schedule, row.devices,
                       row.stages_per_rank, row.stages_per_rank == 1 ? "" : "s", row.microbatches,
                       recomputation_name(row.checkpoint)),
           schedule,
           row.per_microbatch,
           row.memory,
           row.on_front,
           {}});
      const std::optional<stagecut::plan> made = row.on_front ? plan_of(model, request, row) : std::nullopt;
      if (made) result.points.back().plan = timeline_of(*made);
      rates.push_back(made ? rates_of(*made) : std::nullopt);
    }
    add_rates(result.table, rates);
    return result;
  }

  /// Adds the predicted rates of the front's plans to the table of planned configurations, before its last column: the
  /// time after the passes is known for these.
  static void add_rates(stagecut::io::report_table& into, const std::vector<std::optional<predicted_rates>>& rates) {
    const auto known = std::find_if(rates.begin(), rates.end(), [](const auto& rate) { return rate.has_value(); });
    if (known == rates.end()) return;
    const auto put = [](std::vector<std::string>& line, const std::string& tokens, const std::string& utilisation) {
      line.insert(line.end() - 1, {tokens, utilisation});
    };
    put(into.columns, "tokens/s", "MFU");
    for (std::size_t i = 0; i < into.rows.size(); ++i) {
      std::string tokens = "-", utilisation = "-";
      if (const auto& here = rates[i]) {
        tokens = fmt::format("{:.0f}", here->tokens);
        if (here->utilisation) utilisation = fmt::format("{:.1f} %", 100 * *here->utilisation);
      }
      put(into.rows[i], tokens, utilisation);
    }
    into.note += fmt::format("tokens/s and MFU of the front: {}\n", (*known)->basis);
  }

  /// Recomputes the plan of a row; none if that fails.
  [[nodiscard]] std::optional<stagecut::plan> plan_of(const stagecut::profile& model,
                                                      const stagecut::plan_request& request,
                                                      const stagecut::sweep_row& row) const {
    stagecut::plan_request asked = request;
    asked.search.node_limit = nodes;
    asked.search.time_limit = time_limit;
    try {
      const auto made = stagecut::make_plan(model, stagecut::request_of_row(asked, row));
      return made ? std::optional(*made) : std::nullopt;
    } catch (const std::invalid_argument&) {
      return std::nullopt;
    }
  }

  /// A plan as shown for its point; none if it cannot be simulated.
  [[nodiscard]] static std::optional<stagecut::io::report_plan> timeline_of(const stagecut::plan& made) {
    std::vector<stagecut::io::report_plan> plans = plan_report(made).timeline();
    if (plans.empty()) return std::nullopt;
    if (const std::string rates = rates_text(made); !rates.empty()) plans[0].facts += ", " + rates;
    return std::move(plans[0]);
  }

  /// The configuration that lacks the fewest bytes.
  [[nodiscard]] static std::string nearest_text(const stagecut::sweep_row& row) {
    return fmt::format("{} on {} devices{}: ", to_string(row.schedule), row.devices,
                       row.stages_per_rank == 1 ? "" : fmt::format(", {} stages each", row.stages_per_rank));
  }

  /// Reports why no configuration has a plan: the reason of the one that lacks the fewest bytes, or of the first one that
  /// is not impossible in itself.
  /// @param limit  the message about the device's memory; may be empty
  [[nodiscard]] int none(const std::vector<stagecut::sweep_row>& rows, const std::string& limit) const {
    const stagecut::sweep_row* first = nullptr;
    bool known = !rows.empty();
    for (const stagecut::sweep_row& row : rows) {
      const bool nearer = row.needed != 0 && first != nullptr && (first->needed == 0 || row.needed < first->needed);
      if (first == nullptr || nearer || (!has_shape(*first) && has_shape(row))) first = &row;
      known = known && row.state == stagecut::state::infeasible;
    }
    say(fmt::format("{}: {}: {}{}", source_name(file), known ? "infeasible" : "unknown",
                    first == nullptr ? "stopped before there was a plan"
                                     : fmt::format("none of {} configurations has a plan: {}{}", rows.size(),
                                                   first->needed == 0 ? "" : nearest_text(*first), first->why),
                    limit.empty() ? "" : fmt::format("; {}: --memory sets another limit", limit)));
    return known ? infeasible : unknown;
  }
};
