// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/io/pictures/svg.hpp>
#include <stagecut/plan/simulate_plan.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "commands/scenario.hpp"
#include "options/limit_flags.hpp"
#include "options/option_checks.hpp"
#include "options/run_size.hpp"
#include "options/transfer_flags.hpp"
#include "output/output.hpp"
#include "output/report_parts.hpp"
#include "output/simulation_text.hpp"
#include "output/trace.hpp"

/// The output formats of a comparison.
enum class comparison_format { text, json, html, svg, trace };
inline constexpr stagecut::named<comparison_format> comparison_formats[] = {{"text", comparison_format::text},
                                                                           {"json", comparison_format::json},
                                                                           {"html", comparison_format::html},
                                                                           {"svg", comparison_format::svg},
                                                                           {"trace", comparison_format::trace}};

/// The options of `stagecut compare`.
struct compare_command {
  std::vector<std::string> files;
  transfer_flags transfers;
  limit_flags input;
  comparison_format format = comparison_format::text;
  std::string output;

  /// Registers the options.
  CLI::App* add(CLI::App& app) {
    auto* const command = app.add_subcommand("compare", "Simulate several plans side by side");
    command->add_option("PLAN", files, "Plans")->required()->type_name("");
    transfers.add(*command);
    add_choice(*command, "--format", format, comparison_formats, "NAME", "text, json, html, svg or trace");
    command->add_option("--output", output, "Write to this file")->type_name("FILE");
    input.add(*command);
    refuse_empty(*command);
    return command;
  }

  /// Simulates the plans, and writes the result.
  [[nodiscard]] int run() const {
    if (std::count(files.begin(), files.end(), "-") > 1) {
      throw CLI::ValidationError("PLAN", "- is standard input, which can be read only once");
    }
    check_output(output, files);
    std::vector<simulated> all;
    for (const std::string& file : files) {
      const stagecut::plan plan = plan_from(file, input.limits);
      try {
        const std::string much = too_large_run(plan);
        if (!much.empty()) throw std::invalid_argument(much);
        all.push_back(::simulate(scenario_of(plan, stagecut::schedule_of(plan), file, transfers.of(plan))));
      } catch (const std::invalid_argument& error) {
        throw stagecut::invalid_input(file, error.what());
      }
      const bool seconds = all.back().picture.seconds;
      if (seconds == all.front().picture.seconds) continue;
      throw stagecut::invalid_input(
          file, fmt::format("its times {} seconds, unlike those of {}", seconds ? "are" : "are no", files.front()));
    }
    if (format == comparison_format::html) return write(page_text(comparison_report(all)), output), 0;
    std::vector<stagecut::io::pipeline_picture> pictures;
    const bool drawn = format == comparison_format::svg || format == comparison_format::trace;
    for (auto* each = all.data(); drawn && each != all.data() + all.size(); ++each) {
      pictures.push_back(std::move(each->picture));
    }
    if (format == comparison_format::svg) return write(stagecut::io::as_svg(pictures), output), 0;
    if (format == comparison_format::trace) return write_trace(pictures, output), 0;
    if (format == comparison_format::text) {
      return write(comparison_text(all, screen_of(output)), output), 0;
    }
    using json = nlohmann::ordered_json;
    std::string text;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string name = json(files[i]).dump(-1, ' ', false, json::error_handler_t::replace);
      const std::string one = simulation_json(all[i]);
      text += fmt::format("{}{{\"plan\": {},\n {}", i == 0 ? "[" : ",\n", name, one.substr(1, one.size() - 2));
    }
    return write(text + "]\n", output), 0;
  }
};
