// SPDX-License-Identifier: BSL-1.0
// The command-line planner: reads the profile of a model, prints where to cut it.

#include <stagecut/io/frameworks/formats.hpp>
#include <stagecut/io/json/transformer_config.hpp>
#include <stagecut/plan/make_plan.hpp>
#include <stagecut/plan/plan_chain.hpp>
#include <stagecut/plan/score_cut.hpp>
#include <stagecut/version.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/compare_command.hpp"
#include "commands/completion_command.hpp"
#include "commands/explain_command.hpp"
#include "commands/fit_command.hpp"
#include "commands/manual_command.hpp"
#include "commands/plan_command.hpp"
#include "commands/profile_command.hpp"
#include "commands/show_command.hpp"
#include "commands/simulate_command.hpp"
#include "commands/sweep_command.hpp"
#include "commands/synthesize_command.hpp"
#include "commands/verify_command.hpp"
#include "options/former_names.hpp"
#include "options/option_checks.hpp"
#include "options/unknown_argument.hpp"
#include "output/command_tree.hpp"
#include "output/documents.hpp"
#include "output/output.hpp"
#include "output/plan_formats.hpp"
#include "output/plan_text.hpp"
#include "output/standard_streams.hpp"
#include "output/table.hpp"

namespace {

int list_formats() {
  std::string text;
  for (const auto& format : own_formats) {
    const bool named = std::string_view(format.name) == "json";
    text += fmt::format("{:<16}{}{}\n", format.name, format.describes, named ? " " + document("plan.schema.json") : "");
  }
  for (const auto& format : stagecut::io::formats) text += fmt::format("{:<16}{}\n", format.name, format.describes);
  write(text, "");
  return 0;
}

int list_schedules() {
  table lines(0);
  std::size_t width = 0;
  for (const auto& entry : stagecut::schedules) width = std::max(width, std::string_view(entry.describes).size());
  const auto add = [&](const char* name, const char* describes, const char* backward) {
    lines.add({name, fmt::format("{:<{}}", describes, width), backward});
  };
  add("schedule", "order of the passes", "backward");
  for (const auto& entry : stagecut::schedules) {
    add(entry.name, entry.describes, entry.make == nullptr ? "either" : entry.splits_backward ? "I and W" : "B");
  }
  add("backward-first", "backward if one is ready: SageMaker's dynamic one", "B");
  write(lines.text([](std::size_t) { return std::string(); }), "");
  return 0;
}

int list_presets() {
  table lines(0);
  lines.add({"preset", "layers", "hidden", "sequence", "parameters"});
  for (const auto& [name, text] : presets) {
    const auto a = stagecut::io::read_transformer_config(text, name).architecture;
    lines.add({a.name, std::to_string(a.layers), std::to_string(a.hidden), std::to_string(a.sequence),
               fmt::format("{:.0f}", stagecut::transformer::count_parameters(a).total)});
  }
  write(lines.text([](std::size_t) { return std::string(); }), "");
  return 0;
}

/// Plans two models for two numbers of devices, with three cuts each.
int demo() {
  using namespace stagecut;
  for (const char* const name : {"gpt2-xl", "llama-2-7b"}) {
    const auto config = stagecut::io::read_transformer_config(preset_text(name), name);
    const auto model = stagecut::transformer::profile(config.architecture, config.training);
    for (const std::size_t devices : {4U, 8U}) {
      const plan_request request{.devices = devices, .microbatches = 4 * devices};
      plan_request uniform = request;
      uniform.by = measure::layers;
      const plan best = *make_plan(model, request);
      const std::pair<const char*, cuts> rows[] = {{"as many layers each", plan_chain(model, uniform)->cuts},
                                                   {"heaviest stage lightest", plan_chain(model, request)->cuts},
                                                   {"least makespan", best.cuts}};
      table lines(0);
      lines.add({"cut", "layers of each stage", "makespan", ""});
      for (const auto& [how, at] : rows) {
        const double value = score_cut(model, request, at)->made.objective.value;
        lines.add({how, fmt::format("{}", fmt::join(at.sizes(), " ")), time_text(model, value),
                   at == best.cuts ? to_string(best.objective.state)
                                   : fmt::format("{:+.1f} %", 100 * (value / best.objective.value - 1))});
      }
      write(fmt::format("{}: {} layers, {:.0f} parameters, on {} devices\n{}{}\n", name, model.layers.size(),
                        stagecut::transformer::count_parameters(config.architecture).total, devices,
                        plan_text(best, standard_screen()), lines.text([](std::size_t) { return std::string(); })),
            "");
    }
  }
  return 0;
}

/// Help without a list of the positional arguments, which the usage names; and, by default, without rare options.
class brief : public CLI::Formatter {
 public:
  std::string make_positionals(const CLI::App*) const override { return ""; }
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    all_ = mode == CLI::AppFormatMode::All;
    const std::string text =
        CLI::detail::find_and_replace(CLI::Formatter::make_help(app, std::move(name), mode), "\n\n\n", "\n\n");
    return text.substr(0, text.find_last_not_of('\n') + 1) + '\n';
  }
  std::string make_group(std::string group, bool positional, std::vector<const CLI::Option*> options) const override {
    if (group == rare_options && !all_) return "";
    return CLI::Formatter::make_group(std::move(group), positional, std::move(options));
  }
  /// Keeps two spaces before a description: where the names leave one, it stands in the next line.
  std::string make_option(const CLI::Option* option, bool positional) const override {
    std::string text = CLI::Formatter::make_option(option, positional);
    const std::size_t width = get_column_width();
    const std::size_t used = 2 + (make_option_name(option, positional) + make_option_opts(option)).size();
    if (used + 1 == width) text.replace(used, 1, "\n" + std::string(width, ' '));
    return text;
  }

 private:
  mutable bool all_ = false;
};

/// The command that prints the help of the requested command.
std::string help_command(const CLI::App& app) {
  std::string text = "stagecut";
  for (auto inner = app.get_subcommands(); !inner.empty(); inner = inner[0]->get_subcommands()) {
    text += ' ' + inner[0]->get_name();
  }
  return text + " --help";
}

int run(int argc, char** argv) {
  CLI::App app("Cuts a neural network into pipeline stages.", "stagecut");
  app.require_subcommand(1);
  app.formatter(std::make_shared<brief>());
  app.get_formatter()->column_width(28);
  const std::string version =
      fmt::format("stagecut {}.{}.{}", STAGECUT_VERSION_MAJOR, STAGECUT_VERSION_MINOR, STAGECUT_VERSION_PATCH);
  app.set_version_flag("--version", version);
  plan_command plan;
  profile_command profile;
  fit_command fit;
  simulate_command simulate;
  compare_command compare;
  explain_command explain;
  sweep_command sweep;
  synthesize_command synthesize;
  verify_command verify;
  show_command show;
  completion_command completion;
  manual_command manual;
  const auto* const plan_flags = plan.add(app);
  const auto* const profile_app = profile.add(app);
  const auto* const fit_app = fit.add(app);
  const auto* const simulate_app = simulate.add(app);
  const auto* const compare_app = compare.add(app);
  const auto* const explain_app = explain.add(app);
  const auto* const sweep_app = sweep.add(app);
  const auto* const verify_app = verify.add(app);
  const auto* const show_app = show.add(app);
  const auto* const formats_app = app.add_subcommand("formats", "List the formats that plans are written in");
  auto* const schedules_app = app.add_subcommand("schedules", "List the schedules, or make one: synthesize");
  const auto* const synthesize_app = synthesize.add(*schedules_app);
  const auto* const presets_app = app.add_subcommand("presets", "List the models that profiles are known of");
  app.add_subcommand("demo", "Cut two models for 4 and 8 devices, by three rules");
  const auto* const completion_app = completion.add(app);
  const auto* const manual_app = manual.add(app);
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  for (const std::string& line : replace_former_names(app, words)) say(line);
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // takes the last word first
    if (plan_flags->parsed()) return plan.run();
    if (profile_app->parsed()) return profile.run();
    if (fit_app->parsed()) return fit.run();
    if (simulate_app->parsed()) return simulate.run();
    if (compare_app->parsed()) return compare.run();
    if (explain_app->parsed()) return explain.run();
    if (sweep_app->parsed()) return sweep.run();
    if (verify_app->parsed()) return verify.run();
    if (show_app->parsed()) return show.run();
    if (formats_app->parsed()) return list_formats();
    if (synthesize_app->parsed()) return synthesize.run();
    if (schedules_app->parsed()) return list_schedules();
    if (presets_app->parsed()) return list_presets();
    if (completion_app->parsed()) return completion.run(description_of(app, version));
    if (manual_app->parsed()) return manual.run(description_of(app, version));
    return demo();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const std::string unknown = unknown_argument(app, {words.begin(), words.end()});
    say(unknown.empty() ? fmt::format("{} (see {})", error.what(), help_command(app)) : unknown);
    return bad_input;
  }
}

/// Runs the program, and reports errors. Lets out-of-memory exceptions pass: reporting needs memory, too.
int run_and_say(int argc, char** argv) {
  try {
    const int status = run(argc, argv);
    write("", "");  // output of --help
    if (!std::cout) throw std::runtime_error("the output could not be written");
    return status;
  } catch (const std::invalid_argument& error) {  // bad data, and plans that a format cannot express
    say(error.what());
    return bad_input;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::length_error&) {
    throw;
  } catch (const std::exception& error) {
    say(error.what());
  }
  return other_failure;
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  try {
    return run_and_say(argc, argv);
  } catch (const std::exception&) {
    std::fputs("stagecut: there is not enough memory\n", stderr);
  }
  return other_failure;
}
