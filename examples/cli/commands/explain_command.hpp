// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/plan/explain_plan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/targets.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

#include "options/limit_flags.hpp"
#include "options/option_checks.hpp"
#include "options/run_size.hpp"
#include "options/transfer_flags.hpp"
#include "output/explain_document.hpp"
#include "output/explain_text.hpp"
#include "output/output.hpp"
#include "output/stop_signals.hpp"

/// The output formats of an explanation.
enum class explanation_format { text, json };
inline constexpr stagecut::named<explanation_format> explanation_formats[] = {{"text", explanation_format::text},
                                                                             {"json", explanation_format::json}};

/// The options of `stagecut explain`.
struct explain_command {
  std::string file;
  std::string runs_it;
  std::optional<double> time_limit;
  limit_flags input;
  explanation_format format = explanation_format::text;
  std::string output;

  /// Registers the options.
  CLI::App* add(CLI::App& app) {
    auto* const command = app.add_subcommand("explain", "What holds the iteration of a plan, what would help");
    command->add_option("PLAN", file, "A plan of a chain; - is standard input")->required()->type_name("");
    add_choice(*command, "--format", format, explanation_formats, "NAME", "text or json");
    command->add_option("--for", runs_it, "Who runs it: megatron, pytorch, vllm ..")
        ->type_name("NAME")
        ->check(one_of(stagecut::targets));
    command->add_option("--time-limit", time_limit, "Of prices, and each search for cuts (by nodes)")
        ->type_name("SECONDS")
        ->check(seconds_check());
    command->add_option("--output", output, "Write to this file")->type_name("FILE");
    input.add(*command);
    refuse_empty(*command);
    return command;
  }

  /// Explains a plan, and writes the result.
  [[nodiscard]] int run() const {
    check_output(output, {file});
    const stagecut::plan made = plan_from(file, input.limits);
    const std::string source = file == "-" ? "standard input" : file;
    try {
      if (const std::string why = stagecut::explanation_obstacle(made); !why.empty()) {
        throw std::invalid_argument("it cannot be explained: " + why);
      }
      const std::string much = too_large_run(made);
      if (!much.empty()) throw std::invalid_argument(much);
      stagecut::plan_explanation explanation = stagecut::explain_plan(made, options());
      const auto has_choice = [](const stagecut::layer& layer) { return !layer.recomputations.empty(); };
      const auto& layers = made.profile.layers;
      if (!made.choices.empty() && std::any_of(layers.begin(), layers.end(), has_choice)) {
        explanation.memory = {"recomputation was planned with the cut, and would be held as it is"};
      }
      write(format == explanation_format::json ? explain_document(made, explanation).text()
                                               : explain_text(made, explanation).text(),
            output);
    } catch (const std::invalid_argument& error) {
      throw stagecut::invalid_input(source, error.what());
    }
    return 0;
  }

 private:
  [[nodiscard]] stagecut::explain_options options() const {
    static constexpr auto stop = stop_signals::asked;
    stop_signals::begin_search(false);
    stagecut::explain_options result;
    if (!runs_it.empty()) result.target = stagecut::find_target(runs_it)->kind;
    if (time_limit) {
      result.search.time_limit = time_limit;
      result.search.node_limit.reset();
    }
    result.search.stop = stop;
    return result;
  }
};
