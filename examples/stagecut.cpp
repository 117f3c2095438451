// SPDX-License-Identifier: BSL-1.0
// The command-line planner: reads the profile of a model, prints where to cut it.

#include <stagecut/io/read_profile.hpp>
#include <stagecut/stagecut.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "transformer.hpp"

namespace {

enum exit_status { planned = 0, other_failure = 1, bad_input = 2, infeasible = 3, unknown = 4 };

using answer = stagecut::outcome<stagecut::chain_partition<double>>;

/// `12.3 ms`; a plain weight as it is.
std::string time_text(double time, bool weights_only) {
  if (weights_only) return fmt::format("{:.6g}", time);
  if (time != 0 && time < 1e-3) return fmt::format("{:.4g} us", time * 1e6);
  if (time != 0 && time < 1) return fmt::format("{:.4g} ms", time * 1e3);
  return fmt::format("{:.4g} s", time);
}

/// A name as it can be shown: control characters, which a terminal would obey, as `?`.
std::string shown(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return c < 32 || c == 127; }, '?');
  return name;
}

/// The costs that the planner saw, stage by stage.
std::vector<double> stage_times(const stagecut::prefix_sums<double>& cost, const stagecut::cuts& cuts) {
  std::vector<double> times;
  for (std::size_t s = 0; s < cuts.stages(); ++s) times.push_back(cost(cuts.stage(s).first, cuts.stage(s).last));
  return times;
}

void print_json(const answer& best, const std::vector<double>& times) {
  nlohmann::ordered_json stages = nlohmann::json::array();
  for (std::size_t s = 0; s < times.size(); ++s) {
    const auto [first, last] = best->cuts.stage(s);
    stages.push_back({{"first", first}, {"last", last}, {"time", times[s]}});
  }
  const auto points = best->cuts.points();
  const nlohmann::ordered_json plan = {{"cuts", std::vector<std::size_t>(points.begin(), points.end())},
                                       {"objective",
                                        {{"name", "bottleneck"},
                                         {"value", best->cost},
                                         {"bound", best->bound},
                                         {"state", stagecut::to_string(best.state())}}},
                                       {"stages", stages}};
  fmt::print("{}\n", plan.dump());
}

void print_table(const answer& best, const std::vector<double>& times, const stagecut::profile& profile) {
  const auto span = [&](std::size_t s) {
    const auto [first, last] = best->cuts.stage(s);
    const auto front = shown(profile.layers[first].name);
    return last - first == 1 ? front : front + " .. " + shown(profile.layers[last - 1].name);
  };
  std::size_t width = 6;
  for (std::size_t s = 0; s < times.size(); ++s) width = std::max(width, span(s).size());
  fmt::print("{:>5}  {:<{}}  {:>6}  {:>10}\n", "stage", "layers", width, "count", "time");
  for (std::size_t s = 0; s < times.size(); ++s) {
    const double share = best->cost > 0 ? times[s] / best->cost : 1;
    fmt::print("{:>5}  {:<{}}  {:>6}  {:>10}  {}\n", s, span(s), width, best->cuts.stage(s).size(),
               time_text(times[s], profile.weights_only),
               std::string(static_cast<std::size_t>(std::lround(32 * share)), '#'));
  }
  fmt::print("bottleneck {}, {}: no cut is below {}\n", time_text(best->cost, profile.weights_only),
             stagecut::to_string(best.state()), time_text(best->bound, profile.weights_only));
}

stagecut::profile read(const std::string& file) {
  return file == "-" ? stagecut::io::read_profile(std::cin, "standard input") : stagecut::io::read_profile(file);
}

int plan(const std::string& file, std::size_t devices, bool json) {
  const stagecut::profile profile = read(file);
  stagecut::prefix_sums<double> cost;
  try {
    cost.assign(profile.times());
  } catch (const stagecut::invalid_input& error) {
    throw stagecut::invalid_input(file, error.what());
  }
  const answer best = stagecut::minimize_bottleneck(cost, devices);
  if (!best) {
    fmt::print(stderr, "stagecut: {}: infeasible: {}\n", file, best.why().text());
    return best.state() == stagecut::state::infeasible ? infeasible : unknown;
  }
  const auto times = stage_times(cost, best->cuts);
  if (json) {
    print_json(best, times);
  } else {
    print_table(best, times, profile);
  }
  return planned;
}

int demo(const std::vector<std::string>& files) {
  for (const auto& file : files) {
    const stagecut::profile profile = read(file);
    double bytes = 0;
    for (const auto& layer : profile.layers) bytes += layer.parameters;
    for (const std::size_t devices : {4U, 8U}) {
      fmt::print("{}: {} layers, {:.2f} GB of parameters, on {} devices\n", file.substr(file.find_last_of('/') + 1),
                 profile.layers.size(), bytes / 1e9, devices);
      if (const int status = plan(file, devices, false); status != planned) return status;
      fmt::print("\n");
    }
  }
  return planned;
}

int print_profile(const std::string& preset) {
  const auto& known = transformer::architectures;
  const auto found = std::find_if(known.begin(), known.end(), [&](const auto& a) { return a.name == preset; });
  fmt::print("name,kind,forward,backward,parameters,activations,output\n");
  for (const auto& l : transformer::profile(*found).layers) {
    fmt::print("{},{},{},{},{:.0f},{:.0f},{:.0f}\n", l.name, l.kind, l.forward, l.backward, l.parameters, l.activations,
               l.output);
  }
  return planned;
}

int run(int argc, char** argv) {
  CLI::App app("Cuts a neural network into pipeline stages.", "stagecut");
  app.require_subcommand(1);
  app.set_version_flag("--version", fmt::format("stagecut {}.{}.{}", STAGECUT_VERSION_MAJOR, STAGECUT_VERSION_MINOR,
                                                STAGECUT_VERSION_PATCH));

  std::string file;
  std::size_t devices = 0;
  std::string objective = "bottleneck";
  std::string format = "text";
  auto* const plan_command = app.add_subcommand("plan", "Cut the model of a profile");
  plan_command->add_option("FILE", file, "CSV or PipeDream graph.txt; - is standard input")->required();
  plan_command->add_option("--devices", devices, "Number of pipeline ranks, one stage each")
      ->required()
      ->check(CLI::Range(std::size_t{1}, std::size_t{1} << 40U).description("at least 1"));
  plan_command->add_option("--objective", objective, "What to minimise: the heaviest stage")
      ->check(CLI::IsMember({"bottleneck"}))
      ->capture_default_str();
  plan_command->add_option("--format", format, "How to print")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();

  std::string preset;
  std::vector<std::string> names;
  for (const auto& a : transformer::architectures) names.emplace_back(a.name);
  auto* const profile_command =
      app.add_subcommand("profile", "Print a profile computed from published figures, as CSV");
  auto* const transformer_command = profile_command->add_subcommand("transformer", "A decoder-only transformer");
  profile_command->require_subcommand(1);
  transformer_command->add_option("--preset", preset, "Which")->required()->check(CLI::IsMember(names));

  std::vector<std::string> files;
  auto* const demo_command = app.add_subcommand("demo", "Cut each of some profiles for 4 and for 8 devices");
  demo_command->add_option("FILES", files, "Profiles")->required();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    fmt::print(stderr, "stagecut: {} (see stagecut --help)\n", error.what());
    return bad_input;
  }
  if (plan_command->parsed()) return plan(file, devices, format == "json");
  if (demo_command->parsed()) return demo(files);
  return print_profile(preset);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int status = run(argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    fmt::print(stderr, "stagecut: the output could not be written\n");
    return other_failure;
  } catch (const stagecut::invalid_input& error) {
    fmt::print(stderr, "stagecut: {}\n", error.what());
    return bad_input;
  } catch (const std::exception& error) {
    fmt::print(stderr, "stagecut: {}\n", error.what());
    return other_failure;
  }
}
