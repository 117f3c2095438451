// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/file.hpp>
#include <stagecut/io/read_profile.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/verify_plan.hpp>
#include <stagecut/profile/profile.hpp>

#include <CLI/CLI.hpp>

#include <iostream>
#include <string>
#include <utility>

#include "commands/plan_command.hpp"
#include "commands/read_model.hpp"
#include "options/limit_flags.hpp"
#include "options/option_checks.hpp"
#include "options/table_flags.hpp"
#include "options/transfer_flags.hpp"
#include "output/file_notes.hpp"
#include "output/output.hpp"
#include "output/predicted_rates.hpp"
#include "output/verification_text.hpp"

/// The output formats of a verification.
enum class verification_format { text, json };
inline constexpr stagecut::named<verification_format> verification_formats[] = {{"text", verification_format::text},
                                                                               {"json", verification_format::json}};

/// The options of `stagecut verify`.
struct verify_command {
  std::string profile_file, plan_file;
  limit_flags input;
  table_flags table;
  verification_format format = verification_format::text;
  std::string output;

  /// Registers the options.
  CLI::App* add(CLI::App& app) {
    auto* const command = app.add_subcommand("verify", "Hold a plan against its profile");
    command
        ->add_option("PROFILE", profile_file,
                     "The profile that was planned (default: the plan's own); - is standard input")
        ->required()
        ->type_name("");
    command->add_option("PLAN", plan_file, "The plan; - is standard input")->type_name("");
    add_choice(*command, "--format", format, verification_formats, "NAME", "text or json");
    command->add_option("--output", output, "Write to this file")->type_name("FILE");
    input.add(*command);
    table.add(*command);
    refuse_empty(*command);
    return command;
  }

  /// Checks the plan, and writes the result; status 1 if a check fails.
  [[nodiscard]] int run() const {
    if (profile_file == "-" && plan_file == "-") {
      throw CLI::ValidationError("PLAN", "- is standard input, which can be read only once");
    }
    check_output(output, {profile_file, plan_file});
    if (plan_file.empty()) return verify_alone();
    const stagecut::profile model = without_modules(read_profile(), profile_file);
    return report(model, verify(model));
  }

 private:
  struct verified {
    stagecut::plan_verification all;
    bool timed = false;  // whether the objective is a time
  };

  /// Reads the profile, and prints what is notable about its file.
  [[nodiscard]] stagecut::profile read_profile() const {
    using namespace stagecut;
    const std::string source = source_name(profile_file);
    const std::string text = profile_file == "-" ? io::stream_text(std::cin, source, input.limits)
                                                 : io::file_text(profile_file, input.limits);
    profile model = table.read(
        [&](const io::table_options& options) { return io::parse_profile(text, source, input.limits, options); });
    say_file_notes(text, source, model);
    return model;
  }

  /// Writes the result.
  [[nodiscard]] int report(const stagecut::profile& model, const verified& what) const {
    write(format == verification_format::json ? verification_json(what.all)
                                              : verification_text(model, what.all, what.timed),
          output);
    return what.all.holds() ? planned : other_failure;
  }

  /// Checks a plan against its embedded profile.
  [[nodiscard]] int verify_alone() const {
    const stagecut::plan made = plan_from(profile_file, input.limits);
    return report(made.profile, verified_with_rates(made.profile, made));
  }

  /// Reads a plan and checks it. The other `verify_plan` takes a plan that only gives the stage of every layer.
  [[nodiscard]] verified verify(const stagecut::profile& model) const {
    const stagecut::plan made = plan_from(plan_file, input.limits);
    return verified_with_rates(model, made);
  }

  /// Checks a plan, and its predicted rates.
  [[nodiscard]] static verified verified_with_rates(const stagecut::profile& model, const stagecut::plan& made) {
    verified result{stagecut::verify_plan(model, made), made.objective.of == "time"};
    if (auto rates = rates_check(model, made)) result.all.checks.push_back(std::move(*rates));
    return result;
  }
};
