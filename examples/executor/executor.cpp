// SPDX-License-Identifier: BSL-1.0
// Runs plans with real stages, and compares the measurements with the prediction.

#include <stagecut/io/file.hpp>
#include <stagecut/io/frameworks/torch_schedule.hpp>
#include <stagecut/io/json/json_plan.hpp>
#include <stagecut/io/json/json_profile.hpp>
#include <stagecut/io/pictures/chrome_trace.hpp>
#include <stagecut/io/pictures/svg.hpp>
#include <stagecut/io/read_profile.hpp>
#include <stagecut/schedule/make_schedule.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "commands/machines.hpp"
#include "commands/measure.hpp"
#include "commands/plans.hpp"
#include "commands/report.hpp"
#include "output/output.hpp"
#include "output/standard_streams.hpp"

namespace {

using namespace executor;

/// The command-line options.
struct words {
  std::string work = "real";
  machine_request machine;
  std::string format = "text";
  std::string model_file, profile_file, plan_file, order_file, picture, directory;
  std::vector<std::string> schedules;
  std::size_t ranks = 0, microbatches = 0, iterations = 5;
  std::optional<std::size_t> rank;
  double timeout = 30;
  bool unchecked = false;  // whether the comparison with one device is skipped

  [[nodiscard]] bool timed() const { return work == "timed"; }
};

void progress(const std::string& text) {
  print_error(fmt::format("executor: {}\n", text));
}

model_config model_of(const words& from) {
  model_config result;
  try {
    if (!from.model_file.empty()) result = parse_model(stagecut::io::file_text(from.model_file));
    check(result);
  } catch (const stagecut::invalid_input&) {
    throw;
  } catch (const std::invalid_argument& error) {
    throw stagecut::invalid_input(from.model_file, error.what());
  }
  if (from.microbatches != 0) result.microbatches = from.microbatches;
  return result;
}

/// Runs plans of one model, or of none, and compares their results with those of one device.
class plan_runner {
 public:
  plan_runner(const words& from, const machines& on, const model_config* model) : from_(from), on_(on), model_(model) {}

  measured_run run(const planned_run& planned) {
    run_setup setup = setup_of(planned, model_);
    setup.warm_up = 1;
    setup.iterations = from_.iterations;
    setup.timeout = from_.timeout;
    progress(fmt::format("running {}, {}: predicted {}, {} times", planned.name, planned.order.name,
                         seconds_text(planned.predicted.makespan), setup.warm_up + setup.iterations));
    const std::vector<rank_result> ranks = on_.run(setup);
    measured_run result = compared(planned, ranks);
    if (model_ != nullptr && !from_.unchecked) result.difference = difference(joined(ranks), alone(setup));
    progress(fmt::format("measured {}", seconds_text(result.run.makespan)));
    return result;
  }

 private:
  const gradients& alone(run_setup setup) {
    if (!alone_.layers.empty()) return alone_;
    progress(
        "computing the same on one processor of the host, to compare: minutes for a large model, without --no-check");
    setup.order = stagecut::lower_transfers(stagecut::one_forward_one_backward(1, setup.model.microbatches));
    setup.cuts = {0, setup.model.layers()};
    return alone_ = joined(run_threads(setup));
  }

  const words& from_;
  const machines& on_;
  const model_config* model_;
  gradients alone_;
};

/// The profile of the model on this machine, while `ranks` ranks are busy.
stagecut::profile measured_profile(const machines& on, const model_config& model, std::size_t ranks) {
  progress(fmt::format("profiling with {} busy ...", ranks));
  const measured_model found = measure_model(model, ranks, 10, on.maker());
  const double spread = *std::max_element(found.spread.begin(), found.spread.end());
  double sum = 0;
  for (const auto& layer : found.profile.layers) sum += layer.time();
  progress(fmt::format("a microbatch takes {}, quartiles at most {:.0f} % of a layer apart", seconds_text(sum),
                       100 * spread));
  return found.profile;
}

void write_pictures(const words& from, const measured_run& of) {
  if (from.picture.empty()) return;
  const auto pictures = pictures_of(of);
  write(stagecut::io::as_svg(pictures), from.picture + ".svg");
  write(stagecut::io::as_chrome_trace(pictures), from.picture + ".json");
  progress(fmt::format("drawn: {}.svg, and {}.json for ui.perfetto.dev", from.picture, from.picture));
}

void print(const words& from, const machines& on, const std::vector<measured_run>& runs,
           const stagecut::link_speed& link) {
  if (from.format == "json") {
    const nlohmann::json all = {{"machine", on.text()},
                                {"work", from.work},
                                {"link", {{"latency", link.latency}, {"bandwidth", link.bandwidth}}},
                                {"plans", report_json(runs)}};
    write(all.dump(2) + "\n", "");
  } else {
    write(fmt::format("{}, {} work\n\n{}", on.text(), from.work, report_text(runs)), "");
  }
}

/// The requested schedules, or the usual ones that ranks and microbatches allow.
/// @throws std::invalid_argument for an unknown one, or one that they do not allow
std::vector<stagecut::schedule_kind> kinds_of(const words& from, const plan_options& options) {
  std::vector<stagecut::schedule_kind> result;
  for (const char* const name : {"gpipe", "1f1b", "interleaved", "zb-h1"}) {
    const stagecut::schedule_entry& entry = *stagecut::find_schedule(name);
    const bool usual = from.timed() || entry.kind == stagecut::schedule_kind::one_forward_one_backward;
    if (!usual || !from.schedules.empty()) continue;
    if (stagecut::has_shape(entry.kind, options.ranks, chunks_of(entry), options.microbatches))
      result.push_back(entry.kind);
  }
  for (const std::string& name : from.schedules) {
    const auto* const entry = stagecut::find_schedule(name);
    if (entry == nullptr) throw std::invalid_argument("there is no schedule " + name);
    if (stagecut::needs_more(*entry)) throw std::invalid_argument(name + " needs more figures than this program takes");
    static_cast<void>(stagecut::make_schedule(
        name, {.ranks = options.ranks, .stages_per_rank = chunks_of(*entry), .microbatches = options.microbatches}));
    result.push_back(entry->kind);
  }
  return result;
}

/// Profiles, plans, runs, reports.
int run_all(const words& from) {
  const model_config model = model_of(from);
  plan_options options;
  const bool on_gpu = !from.timed() && from.machine.device != "host" && gpu_count() != 0;
  const std::size_t usual = from.timed() ? 8 : on_gpu ? 4 : std::clamp(std::thread::hardware_concurrency(), 1U, 2U);
  options.ranks = from.ranks != 0 ? from.ranks : usual;
  options.microbatches = from.timed() ? (from.microbatches != 0 ? from.microbatches : 16) : model.microbatches;
  const std::vector<stagecut::schedule_kind> kinds = kinds_of(from, options);
  const machines on(from.machine, options.ranks, from.timed());
  progress(fmt::format("{} work of {} ranks on {}", from.work, options.ranks, on.text()));
  stagecut::profile profile;
  if (!from.profile_file.empty()) {
    profile = stagecut::io::read_profile(from.profile_file);
  } else if (from.timed()) {
    profile = timed_profile(4 * options.ranks, 1);
  } else {
    static_cast<void>(measured_profile(on, model, 1));
    profile = measured_profile(on, model, options.ranks);
  }
  options.link = {.latency = 0.002};
  if (!from.timed()) {
    const auto fit = on.link();
    options.link = fit.link;
    const std::string speed = fit.link.bandwidth == 0 ? "and its messages do not take longer with their size"
                                                      : bytes_text(fit.link.bandwidth) + "/s";
    progress(fmt::format("the link: {}, {}; at most {:.0f} % off", seconds_text(fit.link.latency), speed,
                         100 * fit.largest_error));
  }
  plan_runner runner(from, on, from.timed() ? nullptr : &model);
  std::vector<measured_run> runs;
  for (const stagecut::schedule_kind kind : kinds) {
    for (const planned_run& run : three_plans(profile, options, kind)) runs.push_back(runner.run(run));
  }
  print(from, on, runs, options.link);
  write_pictures(from, runs.back());
  return 0;
}

/// Runs a plan from a file, or its passes in an order from PyTorch.
int run_file(const words& from) {
  stagecut::plan made = stagecut::io::read_plan(from.plan_file);
  stagecut::schedule order;
  if (!from.order_file.empty()) {
    order = stagecut::io::parse_torch_schedule(stagecut::io::file_text(from.order_file), from.order_file);
    order.name = from.order_file;
  }
  const planned_run planned = prepare(from.plan_file, std::move(made), std::move(order));
  const model_config model = model_of(from);
  const machines on(from.machine, planned.order.ranks(), from.timed());
  const std::vector<measured_run> runs{plan_runner(from, on, from.timed() ? nullptr : &model).run(planned)};
  print(from, on, runs, planned.plan.messages.links.empty() ? stagecut::link_speed{} : planned.plan.messages.links[0]);
  write_pictures(from, runs.back());
  return 0;
}

int run_flags(int count, char** arguments) {
  words from;
  CLI::App app("Runs plans with real stages, and lays what it measured beside what was predicted", "executor");
  app.set_help_flag("-h,--help", "Say what there is, and end");
  app.option_defaults()->always_capture_default();
  const auto add = [&from](CLI::App& to) {
    to.add_option("--work", from.work, "real: layers that compute; timed: stages that take the time of the plan alone")
        ->check(CLI::IsMember({"real", "timed"}));
    to.add_option("--device", from.machine.device, "host, gpu, or auto: GPUs where there are some")
        ->check(CLI::IsMember({"host", "gpu", "auto"}));
    to.add_option(
          "--transport", from.machine.transport,
          "queues: ranks are threads; sockets: they are processes; nccl: on one GPU too, where copies are usual")
        ->check(CLI::IsMember({"queues", "sockets", "nccl"}));
    to.add_option("--launcher", from.machine.launcher,
                  "What starts the processes, as `mpirun -n 4`; else each is started")
        ->delimiter(' ');
    to.add_option("--multiprocessors", from.machine.multiprocessors, "Of every rank on one GPU, as 64,32,16,16")
        ->delimiter(',');
    to.add_option("--format", from.format, "text or json")->check(CLI::IsMember({"text", "json"}));
    to.add_option("--model", from.model_file, "The model as JSON: tokens, width, words, hidden, microbatches, seed");
    to.add_option("--microbatches", from.microbatches, "Of an iteration")->check(CLI::Range(1, 1 << 20));
    to.add_option("--iterations", from.iterations, "That are measured, behind one that is not")
        ->check(CLI::Range(1, 1000));
    to.add_option("--timeout", from.timeout, "Seconds that a rank waits for a message: longer than any pass takes")
        ->check(CLI::Range(1e-3, 1e6))
        ->check([](const std::string& text) { return text.find('n') == std::string::npos ? "" : "is no number"; });
    to.add_flag("--no-check", from.unchecked,
                "Do not compare loss and gradients with those of one processor of the host");
    to.add_option("--picture", from.picture, "Draw the last plan, predicted and measured: NAME.svg, NAME.json");
  };
  add(app);
  app.add_option("--ranks", from.ranks, "Of the pipeline")->check(CLI::Range(1, 64));
  app.add_option("--schedule", from.schedules, "By name, as `stagecut plan` has them; may be given several times");
  app.add_option("--profile", from.profile_file, "Plan this profile, do not measure one");
  auto* const profile = app.add_subcommand("profile", "Measure the model's layers; prints a profile");
  profile->add_option("--model", from.model_file, "The model as JSON");
  profile->add_option("--ranks", from.ranks, "That are busy at the same time; 1: alone")->check(CLI::Range(1, 64));
  auto* const run = app.add_subcommand("run", "Run the plan of a file");
  add(*run);
  run->add_option("PLAN", from.plan_file, "A plan, as `stagecut plan --format json` writes it")->required();
  run->add_option("--schedule-file,--order", from.order_file,
                  "Run its passes in the order of this file, in PyTorch's words");
  auto* const rank = app.add_subcommand("rank", "");
  rank->group("");
  rank->add_option("--directory", from.directory)->required();
  rank->add_option("--rank", from.rank);
  try {
    app.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (!from.picture.empty()) {
    for (const char* const end : {".svg", ".json"}) check_output(from.picture + end, {from.plan_file, from.model_file});
  }
  if (*rank) return run_rank_process(from.directory, from.rank ? *from.rank : launched_rank());
  if (*run) return run_file(from);
  if (!*profile) return run_all(from);
  const std::size_t ranks = from.ranks == 0 ? 1 : from.ranks;
  const machines on(from.machine, ranks, false);
  write(stagecut::io::as_json(measured_profile(on, model_of(from), ranks)) + "\n", "");
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  open_standard_streams();
  try {
    return run_flags(count, arguments);
  } catch (const std::exception& error) {
    print_error(fmt::format("executor: {}\n", error.what()));
    return 2;
  }
}
