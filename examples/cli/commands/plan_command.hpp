// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/graphs/piper.hpp>
#include <stagecut/joint/plan_model.hpp>
#include <stagecut/plan/score_cut.hpp>
#include <stagecut/plan/usual_search.hpp>
#include <stagecut/profile/as_chain.hpp>
#include <stagecut/profile/as_inference.hpp>
#include <stagecut/stagecut.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/communication_plan.hpp"
#include "commands/module_plan.hpp"
#include "commands/piper_plan.hpp"
#include "commands/read_model.hpp"
#include "options/backend_flags.hpp"
#include "options/count_range.hpp"
#include "options/cut_flags.hpp"
#include "options/device_flags.hpp"
#include "options/effort_flags.hpp"
#include "options/hybrid_flags.hpp"
#include "options/layer_flags.hpp"
#include "options/limit_flags.hpp"
#include "options/memory_flags.hpp"
#include "options/method_flags.hpp"
#include "options/option_checks.hpp"
#include "options/quantity.hpp"
#include "options/recompute_flags.hpp"
#include "options/schedule_flags.hpp"
#include "options/table_flags.hpp"
#include "options/target_flags.hpp"
#include "options/transformer_flags.hpp"
#include "output/combinations_text.hpp"
#include "output/computed_text.hpp"
#include "output/exit_status.hpp"
#include "output/hybrid_text.hpp"
#include "output/output.hpp"
#include "output/own_cut_text.hpp"
#include "output/plan_formats.hpp"
#include "output/plan_text.hpp"
#include "output/progress_line.hpp"
#include "output/recompute_text.hpp"
#include "output/stop_signals.hpp"

/// The names for --objective: throughput corresponds to the smallest bottleneck.
inline constexpr stagecut::named<stagecut::plan_objective> objective_options[] = {
    {"makespan", stagecut::plan_objective::makespan},
    {"bottleneck", stagecut::plan_objective::bottleneck},
    {"throughput", stagecut::plan_objective::bottleneck},
    {"time-per-token", stagecut::plan_objective::time_per_token},
    {"leximax", stagecut::plan_objective::leximax},
    {"range", stagecut::plan_objective::range},
    {"variance", stagecut::plan_objective::variance},
    {"iteration", stagecut::plan_objective::iteration},
    {"stage-time", stagecut::plan_objective::stage_time},
    {"pipeline-latency", stagecut::plan_objective::pipeline_latency}};

/// The options of `stagecut plan`.
struct plan_command {
  std::string file;
  stagecut::plan_request request;
  std::string per_rank_text;
  count_range per_rank{};  // unset: 1, or what auto finds
  std::string schedule = "1f1b";
  effort_flags effort;
  backend_flags search;
  std::string format = "text";
  target_flags target;
  std::string output;
  std::string in_flight;
  device_flags devices;
  layer_flags layers;
  cut_flags cut;
  memory_flags memory;
  method_flags method;
  recompute_flags recompute;
  hybrid_flags hybrid;
  limit_flags input;
  table_flags table;
  transformer_flags transformer;
  bool timeline = false;
  std::optional<std::size_t> cpus;
  bool inference = false;
  CLI::Option* devices_option = nullptr;
  CLI::Option* schedule_option = nullptr;

  /// Registers the options.
  CLI::App* add(CLI::App& app) {
    auto* const command = app.add_subcommand("plan", "Cut a profile (-: stdin) or a config.json");
    command_ = command;
    const auto option = [&](const char* name, auto& into, const char* type, const char* says) {
      return command->add_option(name, into, says)->type_name(type);
    };
    command->set_help_all_flag("--help-all", "Print those that are seldom needed, too");
    option("FILE", file, "", "A profile, or config.json")->required();
    devices_option = option("--devices", request.devices, "P", "Pipeline ranks")->transform(count());
    option("--stages-per-rank", per_rank_text, "V", "Stages of each rank, in turn; or --vpp")
        ->transform(count_or_range());
    option("--microbatches", request.microbatches, "M", "Of an iteration; with --replicate of all replicas")->transform(count());
    schedule_option = option("--schedule", schedule, "NAME", "1f1b (the default), auto, synthesize: see schedules")
                          ->check(one_of(planned_schedules()));
    devices.add(*command);
    memory.add(*command);
    method.add(*command);
    add_choice(*command, "--objective", request.objective, objective_options, "NAME",
               "makespan, bottleneck, throughput, time-per-token ...");
    command->add_flag("--inference", inference, "Forward passes alone: to serve, not to train");
    layers.add(*command);
    cut.add(*command);
    option("--time-limit", effort.time_limit, "SECONDS", "To search (default: --node-limit ends it)")
        ->check(seconds_check());
    target.add(*command);
    option("--format", format, "NAME", "text, json, or see stagecut formats")->check(format_check());
    option("--output", output, "FILE", "Write to this file");
    add_rare(*command);
    // What pages advertise, in one screen.
    for (const char* const each : {"--recompute", "--replicate", "--tensor-parallel"}) {
      command->get_option(each)->group(devices_option->get_group());
    }
    for (const char* const each : {"--keep-together", "--forbid-cut", "--device-speeds"}) {
      command->get_option(each)->group(rare_options);
    }
    refuse_empty(*command);
    return command;
  }

  /// Plans, and writes the plan.
  int run() {
    using namespace stagecut;
    check_output(output, {file});
    if (method.of_modules()) return run_modules();
    ask_inference();
    ask_several_devices();
    std::optional<profile> model = computed_model();
    const bool computed = computed_ = model.has_value();
    if (!model) {
      const std::optional<std::string> text = read_text(file, input);
      if (text && io::is_piper(*text, input.limits)) return run_piper(*text);
      if (text) model = model_of(*text, file, input, table);
    }
    if (!model) return none(outcome<plan>(), nullptr);
    plans_recomputation = recompute.is_planned(*model, computed) && !several_devices;
    if (inference) *model = as_inference(profile(*model));
    refuse_own_cut();
    if (*cut.given() != '\0' && is_chain(*model)) *model = as_chain(profile(*model));
    ask_machine(*model);
    ask_chain(*model);
    refuse_of_graphs(*model);
    ask(*model);
    target.ask(*model, format, schedule_option->count() != 0 && schedule != "auto", several_devices, in_a_row(*model),
               request);
    try {
      if (own) score(*model);
      if (cut.no_search) return write_own();
      ask_open(*model, computed);
      ask_effort();
      if (method.anywhere) return place_anywhere(*model, with_usual_limit(*model, request), source(), format, output);
      return write_plan(*model, solve(*model));
    } catch (const invalid_input& error) {
      throw invalid_input(source(), error.what());
    } catch (const argument_error& error) {
      throw CLI::ValidationError(in_options(error));
    }
  }

 private:
  const CLI::App* command_ = nullptr;
  const CLI::Option* at_most_option_ = nullptr;
  bool plans_recomputation = false;
  bool several_devices = false;                     // whether a stage may use several devices
  std::string limit_taken;                          // from the device in the profile
  std::string constant_taken;  // from the memory of devices
  std::optional<stagecut::cuts> own;           // a cut given by the user
  std::optional<stagecut::scored_cut> scored;  // its score
  std::string scope_;                          // scope that was not searched
  bool computed_ = false;                      // whether the model was computed from a configuration

  [[nodiscard]] std::string source() const { return source_name(file); }

  /// Whether to plan for serving: by --inference, by a framework that serves, or, for a configuration, which could also be
  /// trained, by a format of such a framework.
  void ask_inference() {
    const bool serves = target.serves(format) && request.microbatches == 0;
    if (target.serves("")) {
      if (request.microbatches != 0) {
        throw CLI::ValidationError("--microbatches", fmt::format("is of training, and {} serves", target.name));
      }
      inference = true;
    }
    transformer.inference = inference || serves;
    if (transformer.inference && recompute.slices > 1) {
      throw CLI::ValidationError("--slices", "is of training, not of --inference");
    }
    if (transformer.inference && recompute.recompute_option->count() != 0) {
      throw CLI::ValidationError("--recompute", "is of training, not of --inference");
    }
  }

  /// The model of a configuration; none for another file.
  [[nodiscard]] std::optional<stagecut::profile> computed_model() {
    using stagecut::transformer::recomputing;
    transformer.recomputation = recompute.of_computed();
    transformer.variants = recompute.needs_variants();
    transformer.microbatches = request.microbatches;
    const recomputing again = transformer.recomputation.value_or(recomputing::none);
    if (again != recomputing::none && memory.checkpoint != stagecut::checkpointing::never) {
      throw CLI::ValidationError("--checkpoint", "recomputes what --recompute does already: give one of both");
    }
    std::optional<stagecut::profile> model = transformer.profile_of(file, input.limits);
    if (!model) return model;
    table.refuse(file);
    stop_signals::begin_search(false);
    return model;
  }

  /// Adds what is planned together with the cut to the request.
  void ask_open(const stagecut::profile& model, bool computed) {
    request.slices = recompute.slices;
    if (several_devices) {
      hybrid.ask(model, recompute.names(model, computed), devices.nodes.node_gpus, devices.nodes.shared_by, request);
    } else if (plans_recomputation) {
      const count_range one{request.stages_per_rank, request.stages_per_rank};
      recompute.ask(model, per_rank_text.empty() ? one : per_rank, schedule_option->count() != 0, input.limits,
                    request);
    } else if (schedule == "auto") {
      request.any_schedule = true;
      if (per_rank.first != 0) request.choices.stages_per_rank = {per_rank.first};
    }
  }

  /// Writes the plan, or why there is none.
  int write_plan(const stagecut::profile& model, stagecut::planned_model found) {
    using namespace stagecut;
    scope_ = not_searched(model, found);
    if (!found.best) {
      if (scored && format == "text") write(own_text(nullptr), output);
      return none(found.best, &model);
    }
    plan& made = *found.best;
    if (timeline && made.timeline.empty()) {
      throw CLI::ValidationError("--timeline", "there is no prediction for this number of microbatches");
    }
    if (!timeline) made.timeline.clear();
    if (request.by == measure::time && made.objective.of == "parameters") {
      say(fmt::format("{}: no layer has a time: cut by bytes of parameters", source()));
    }
    say_scope(made, scope_);
    const std::string text = formatted(made, format, screen_of(output)) + comparisons(model, found) + figures(made);
    write(text, output);
    say_settings(made, format, text);
    say_notes(made);
    return planned;
  }

  /// What the plan is compared with, as text.
  [[nodiscard]] std::string comparisons(const stagecut::profile& model, const stagecut::planned_model& found) {
    const stagecut::plan& made = *found.best;
    const screen on = screen_of(output);
    std::string text;
    if (plans_recomputation && (format == "text" || !recompute.pictures.empty())) {
      recompute.used(found.request);
      const std::vector<asked_strategy> strategies = recompute.compare(model, made);
      recompute.draw(model, strategies);
      text = recompute_text(made, on) + stages_per_rank_text(made.profile, found.compared, per_rank.last) +
             strategies_text(made, strategies, on);
    }
    if (format != "text") return "";
    if (!plans_recomputation && !found.compared.empty()) text += comparison_text(model, found.compared, on);
    if (!found.hybrids.empty()) text += compared_hybrids_text(found.hybrids, model, on);
    return scored ? text + own_text(&made) : text;
  }

  /// The computed figures of the model, and the lines of its framework, as text.
  [[nodiscard]] std::string figures(const stagecut::plan& made) const {
    if (format != "text") return "";
    std::string text = computed_figures(made.profile).empty() ? "" : computed_text(made.profile);
    if (target.name.empty()) return text;
    const std::string lines = target.text_of(made);
    return text + lines + settings_text(made, target.name, lines);
  }

  /// Reports what keeps stages from having replicas, or makes them look cheap.
  void say_replicas(const stagecut::plan& made) const {
    const auto has = [](const stagecut::planned_stage& stage) { return stage.replicas > 1; };
    const bool any = std::any_of(made.stages.begin(), made.stages.end(), has);
    if (any && made.messages.links.empty() && !request.topology) {
      say(fmt::format(
          "{}: no link is known, so replicas exchange gradients in no time: --nodes or --bandwidth sets one",
          source()));
    }
    const std::string why = hybrid.only_one(made.profile, request);
    if (!why.empty()) say(fmt::format("{}: {}", source(), why));
  }

  /// Reports what a reader of the plan should know, on standard error.
  void say_notes(const stagecut::plan& made) const {
    for (const std::string& caution : target.cautions(made, format)) say(caution);
    const std::string too_large = beyond_device_text(made);
    if (!too_large.empty()) say(fmt::format("{}: {}, by --memory none", source(), too_large));
    say_reading(made);
    if (several_devices) say_replicas(made);
    if (request.microbatches == 0 || made.makespan) return;
    const std::string why = stagecut::has_virtual_stages(made)
                                ? "no schedule is known that runs several stages of a graph on a device"
                                : prediction_obstacle(request);
    say(fmt::format("{}: no makespan is predicted: {}", source(), why.empty() ? "a stage is on a CPU" : why));
  }

  /// The part of the requested scope that was not searched; empty if all of it was.
  [[nodiscard]] std::string not_searched(const stagecut::profile& model, const stagecut::planned_model& found) const {
    if (several_devices) return hybrid.not_searched(model, request);
    if (in_a_row(model)) return found.best.state() == stagecut::state::feasible ? "other orders of the layers" : "";
    return plans_recomputation ? recompute.not_searched(request.target) : "";
  }

  /// Whether the stages of a graph form a row, as in a chain: the schedule or PyTorch requires it.
  [[nodiscard]] bool in_a_row(const stagecut::profile& model) const {
    if (model.edges.empty() || several_devices || plans_recomputation || method.of_graphs()) return false;
    const bool makespan = request.objective == stagecut::plan_objective::makespan;
    if (target.name == "pytorch") return true;
    if (schedule == "1f1b") return makespan && !per_rank_text.empty() && per_rank_text != "1";
    return schedule != "gpipe" || makespan;
  }

  /// Plans a module tree.
  int run_modules() {
    using namespace stagecut;
    refuse_beside_modules(*command_);
    memory.ask(request);
    const std::optional<std::string> text = read_text(file, input);
    std::optional<profile> tree;
    if (text) tree = tree_of(*text, file, input, table);
    if (!tree) return none(outcome<plan>(), nullptr);
    if (devices_option->count() == 0) request.devices = tree->machine.devices;
    if (request.devices == 0) throw CLI::RequiredError("--devices");
    request.method = graph_method::modules;
    request.by = measure::time_and_memory;
    request.time_weight = method.weight_for_modules(module_request().time_weight);
    return plan_modules_of(*tree, request, source(), format, output);
  }

  /// Plans a Piper graph.
  int run_piper(const std::string& text) {
    using namespace stagecut;
    refuse_beside_piper(*command_);
    variant_graph graph = io::parse_piper(text, source(), input.limits);
    if (memory.is_unlimited()) graph.memory.reset();
    memory.ask(request);
    if (devices_option->count() == 0) request.devices = graph.devices;
    ask_effort();
    profile as_many;  // the usual limit depends on the number of layers alone
    as_many.layers.resize(graph.layers.size());
    request.replicas = {1};
    const hybrid_request asked = piper_request(with_usual_limit(as_many, request), hybrid.replicas, devices.transfers.bandwidth, graph);
    return plan_piper(std::move(graph), asked, source(), format, output);
  }

  /// Rejects a given cut if more than the cut is planned.
  void refuse_own_cut() const {
    if (several_devices) cut.refuse("does not go with --replicate: stages have devices, too");
    if (recompute.slices > 1) cut.refuse("does not go with --slices, which cuts the layers, too");
    if (plans_recomputation) cut.refuse("does not go with a planned recomputation: --manual gives both");
    if (method.anywhere || method.of_graphs()) cut.refuse("is for a chain, and --method plans a graph");
  }

  /// Takes the given cut, and derives unset options from its number of stages: devices, or stages per rank.
  void take_cut(const stagecut::profile& model) {
    if (*cut.given() == '\0') return;
    if (!cut.plan.empty()) take_plan();
    own = cut.of(model, input.limits);
    const std::size_t stages = own->stages();
    const std::size_t usual = schedule == "auto" ? 0 : stagecut::find_schedule(schedule)->stages_per_rank;
    std::size_t each = !per_rank_text.empty() ? parse_count_range("--stages-per-rank", per_rank_text).first : usual;
    const std::size_t of_links = std::max(devices.nodes.devices(), devices.of_topology());
    const std::size_t ranks = devices_option->count() != 0 ? request.devices : of_links;
    if (each == 0 || (per_rank_text.empty() && ranks != 0 && each == 1)) each = ranks != 0 ? stages / ranks : 1;
    if (each == 0 || stages % each != 0 || (ranks != 0 && ranks * each != stages)) {
      throw CLI::ValidationError(cut.given(),
                                 fmt::format("{} stages are not {} on each {}", stages, std::max<std::size_t>(each, 1),
                                             ranks == 0 ? "device" : fmt::format("of {} devices", ranks)));
    }
    request.devices = stages / each;
    if (per_rank_text.empty() && each != usual) per_rank_text = std::to_string(each);
  }

  /// Takes unset options from the plan that gives the cut.
  void take_plan() {
    const stagecut::plan made = edited_plan(cut.plan, input.limits);
    refuse_more_than_cut(made);
    if (request.microbatches == 0) request.microbatches = made.schedule.microbatches;
    if (per_rank_text.empty() && devices_option->count() == 0 && made.stages_per_rank > 1)
      per_rank_text = std::to_string(made.stages_per_rank);
    const stagecut::schedule_entry* const known = stagecut::find_schedule(made.schedule.name);
    if (schedule_option->count() != 0 || known == nullptr || !one_of_planned(made.schedule.name)) return;
    schedule = made.schedule.name;
    if (request.group == 0) request.group = made.schedule.group;
  }

  [[nodiscard]] static bool one_of_planned(const std::string& name) {
    const auto known = planned_schedules();
    return std::find(known.begin(), known.end(), name) != known.end();
  }

  /// Scores the given cut under the given schedule, or under the best one for `auto`.
  void score(const stagecut::profile& model) {
    if (own) request.start = *own;
    std::vector<stagecut::plan_request> asked = {request};
    if (schedule == "auto") asked.clear();
    const std::size_t each = own->stages() / request.devices;
    for (const auto kind : schedule == "auto" ? stagecut::usual_choices(model, each).schedules
                                              : std::vector<stagecut::schedule_kind>()) {
      asked.push_back(request);
      asked.back().schedule = kind;
      asked.back().stages_per_rank = each;
    }
    std::string why;
    for (const stagecut::plan_request& one : asked) {
      try {
        auto answer = stagecut::score_cut(model, one, *own);
        if (!answer) why = answer.why().text();
        if (answer && (!scored || is_better(*answer, *scored))) scored = *std::move(answer);
      } catch (const std::invalid_argument& error) {
        if (schedule != "auto") throw;
        why = error.what();
      }
    }
    if (!scored) throw CLI::ValidationError(cut.given(), why);
  }

  /// Whether a cut violates fewer rules, or as many and is better.
  [[nodiscard]] static bool is_better(const stagecut::scored_cut& one, const stagecut::scored_cut& other) {
    if (one.broken.size() != other.broken.size()) return one.broken.size() < other.broken.size();
    return one.made.objective.value < other.made.objective.value;
  }

  [[nodiscard]] std::string own_text(const stagecut::plan* best) const {
    return own_cut_text(*scored, best, cut.given(), request.target, screen_of(output));
  }

  /// Writes the given cut as a plan; status `infeasible` if it violates a rule, which is reported.
  int write_own() {
    const stagecut::plan& made = scored->made;
    std::string text = formatted(made, format, screen_of(output));
    if (format == "text") text += what_holds_text(made, request.target);
    if (format == "text" && !target.name.empty()) text += target_text_of_own(made);
    write(text, output);
    for (const std::string& rule : scored->broken) say(fmt::format("{}: {}: {}", source(), cut.given(), rule));
    return scored->broken.empty() ? planned : infeasible;
  }

  /// The rules that the cut violates, and the framework's lines if it can express the cut.
  [[nodiscard]] std::string target_text_of_own(const stagecut::plan& made) const {
    const std::string broken = broken_text(*scored);
    try {
      const std::string target_lines = target.text_of(made);
      return broken + target_lines + settings_text(made, target.name, target_lines);
    } catch (const stagecut::not_representable&) {
      if (broken.empty()) throw;
      return broken;
    }
  }

  /// Converts a graph that is a chain, unless a graph is requested: other options number the layers of a chain.
  void ask_chain(stagecut::profile& model) const {
    bool graph = request.cpus != 0 || request.at_most || method.of_graphs();
    for (const stagecut::layer& layer : model.layers) {
      graph = graph || layer.stage || !layer.accelerator || layer.is_backward;
    }
    try {
      if (!graph && stagecut::is_chain(model)) model = stagecut::as_chain(std::move(model));
    } catch (const stagecut::invalid_input& error) {
      throw stagecut::invalid_input(source(), error.what());
    }
  }

  /// Rejects options that do not apply to chains.
  void refuse_of_graphs(const stagecut::profile& model) const {
    if (several_devices || plans_recomputation || !model.edges.empty()) return;
    if (cpus.value_or(0) != 0) throw CLI::ValidationError("--cpus", "is for graphs: these layers are a chain");
    if (at_most_option_->count() != 0) {
      throw CLI::ValidationError("--at-most",
                                 "is for graphs and --replicate: a chain has a stage on each of the devices");
    }
  }

  /// Takes unset device options from the machine in a profile: at most these.
  void ask_machine(const stagecut::profile& model) {
    devices.nodes.share(gpus_of_stage(model));
    take_cut(model);
    // Makespans do not support CPUs, so the machine's CPUs are ignored then.
    const bool without = in_a_row(model) || request.objective == stagecut::plan_objective::makespan || method.method == "communication";
    request.cpus = cpus.value_or(without ? 0 : model.machine.cpus);
    if (devices_option->count() != 0 || own) {
      if (devices.nodes.devices() != 0) devices.nodes.check_devices(request.devices, false);
      return;
    }
    if (devices.nodes.devices() != 0) {
      request.devices = devices.nodes.devices();
      return;
    }
    if (devices.of_topology() != 0) {
      request.devices = devices.of_topology();
      return;
    }
    if (model.machine.devices == 0) throw CLI::RequiredError("--devices");
    request.devices = model.machine.devices;
    if (!in_a_row(model)) request.at_most = !model.inference;
  }

  /// Reports how ambiguous options were interpreted.
  void say_reading(const stagecut::plan& made) const {
    if (const std::string links = devices.reading(gpus_of_stage(made.profile)); !links.empty()) say(links);
    if (!limit_taken.empty() && format != "text" && format != "json" && format != "html") say(limit_taken);
    if (!constant_taken.empty()) say(constant_taken);
    if (schedule == "auto" || schedule_option->count() == 0 || made.stages_per_rank == 1 ||
        stagecut::has_virtual_stages(made)) {
      return;
    }
    const auto& entry = *stagecut::find_schedule(schedule);
    if (entry.with_stages_per_rank == entry.kind) return;
    say(fmt::format("--schedule: {} with {} stages per rank is {}", schedule, request.stages_per_rank,
                    to_string(entry.with_stages_per_rank)));
  }

  /// Unset options that could reduce the memory: of a computed model, or those that the profile offers.
  [[nodiscard]] std::string untried(const stagecut::profile& model) const {
    std::vector<std::string> options;
    const bool could = several_devices || (*cut.given() == '\0' && recompute.goes_with(model, request));
    if (could && recompute.is_unused(model, computed_)) options.emplace_back("--recompute auto");
    if (several_devices && computed_ && hybrid.ways.empty()) options.emplace_back("--tensor-parallel auto");
    return options.empty() ? "" : fmt::format("; not tried: {}", fmt::join(options, ", "));
  }

  /// Reports why there is no plan.
  /// @param model  null: it was not computed in time
  [[nodiscard]] int none(const stagecut::outcome<stagecut::plan>& answer, const stagecut::profile* model) const {
    const bool known = answer.state() == stagecut::state::infeasible;
    const bool stopped = !known && stop_signals::asked();
    const std::string why = answer.why().text();
    const bool of_memory = why.find("bytes") != std::string::npos || why.find("memory") != std::string::npos;
    std::string taken =
        limit_taken.empty() || !of_memory ? "" : fmt::format("; {}: --memory sets another limit", limit_taken);
    if (!constant_taken.empty()) {
      taken += fmt::format("; {}{}", constant_taken, answer.why().remedy.empty() ? "" : ", which is not in those bytes");
    }
    const std::string scope = (model != nullptr && known && of_memory ? untried(*model) : "") +
                              (known && !scope_.empty() ? "; not searched: " + scope_ : "");
    say(fmt::format("{}: {}: {}{}{}", source(), to_string(answer.state()), stopped ? "stopped before a plan was found" : why, taken,
                    scope));
    return known ? infeasible : unknown;
  }

  /// Rare options, shown by `--help-all`.
  void add_rare(CLI::App& command) {
    const auto option = [&](const char* name, auto& into, const char* type, const char* says) {
      return command.add_option(name, into, says)->type_name(type)->group(rare_options);
    };
    option("--cpus", cpus, "C", "Of a graph, CPUs at most that take a stage, too")->transform(count(0));
    at_most_option_ =
        command.add_flag("--at-most", request.at_most, "Of a graph, or replicas: fewer will do")->group(rare_options);
    option("--in-flight", in_flight, "LIST", "Microbatches in flight by stage: 4,3,2,1, or auto");
    option("--group", request.group, "G", "Of microbatches, for interleaved (the ranks)")->transform(count());
    option("--node-limit", effort.node_limit, "N", "To search, as far on every machine; some 10 s")->transform(count());
    command.add_flag("--count-nodes", effort.counts, "Print how many nodes it took")->group(rare_options);
    search.add(command);
    memory.add_rare(command);
    recompute.add(command);
    hybrid.add(command);
    method.add_rare(command, request);
    input.add(command);
    transformer.add(command, true);
    table.add(command);
    command.add_flag_callback("--combinations", [] {
      write(combinations_text(), "");
      throw CLI::Success();
    }, "What goes together, and what is proved")->group(rare_options);
    command.add_flag("--timeline", timeline, "Put predicted passes into the JSON")->group(rare_options);
  }

  /// Sets the limits of the search, unless the library's usual ones hold.
  void ask_effort() {
    static constexpr auto stop = stop_signals::asked;
    effort.ask(request);
    request.search.stop = stop;
  }

  /// The plan, and what it is compared with.
  stagecut::planned_model solve(const stagecut::profile& model) {
    using namespace stagecut;
    const std::unique_ptr<search_helpers> helpers = search.ask();
    plan_request asked = request;
    if (helpers) asked.backends = helpers->refs();
    progress_line line;
    const char* const what = several_devices                                       ? "iteration"
                             : request.objective == plan_objective::bottleneck ? "bottleneck"
                                                                                   : "makespan";
    const auto report = [&](const search_progress& now) {
      line.show([&] { return search_text(model, now, what, request.search.time_limit, line.seconds()); });
    };
    if (line.is_shown()) asked.search.progress = report;
    // Other planners of several devices are planned only to be shown.
    if (several_devices && format != "text") return {plan_model(model, asked), plan_problem::several_devices, asked};
    return compare_model(model, asked, plans_recomputation ? recompute.starts(model, asked) : std::vector<recompute_strategy>());
  }

  /// Whether stages may choose replicas and tensor-parallel degrees, and checks what conflicts with that.
  void ask_several_devices() {
    const bool lists = !transformer.shared_by.empty() && !parse_count(transformer.shared_by);
    several_devices = hybrid.is_asked(request, lists);
    if (!several_devices) return;
    hybrid.ways = transformer.shared_by;
    transformer.shards = true;
    if (devices.nodes.per_node != 0) transformer.node = devices.nodes.per_node;
    const auto refuse = [](const char* option, const char* why) { throw CLI::ValidationError(option, why); };
    if ((inference || transformer.inference) && hybrid.replicas.empty() && lists) {
      refuse("--tensor-parallel", "is one number with --inference: 8");
    }
    if (schedule_option->count() != 0 && schedule != "1f1b")
      refuse("--schedule", "is 1f1b where stages have several devices");
    if (search.where != search_system::off) refuse("--search", "does not go with --replicate");
    if (devices.transfers.occupies() != stagecut::transfer_kind::link) refuse("--transfers", "does not go with --replicate");
  }

  /// Fills the request from the options.
  void ask(stagecut::profile& model) {
    using namespace stagecut;
    if (model.inference && schedule_option->count() != 0) {
      throw CLI::ValidationError("--schedule", "is of training: in inference nothing goes back");
    }
    ask_schedule();
    memory.ask(request);
    if (timeline && request.microbatches == 0) throw CLI::ValidationError("--timeline", "needs --microbatches");
    if (timeline && format != "json") throw CLI::ValidationError("--timeline", "needs --format json");
    request.best_in_flight = in_flight == "auto";
    if (!request.best_in_flight)
      request.in_flight = parse_list<std::size_t>("--in-flight", in_flight, "4,3,2,1, or auto");
    if (model.inference && request.in_flight.size() == 1)
      request.in_flight.resize(request.devices, request.in_flight[0]);
    limit_taken = memory.ask_device(model, request);
    constant_taken = memory.ask_constant(model, request);
    devices.ask(model, request);
    if (command_->get_option("--at-most")->count() != 0 && request.topology && !several_devices) {
      throw CLI::ValidationError("--at-most", "goes with one link for all, or with --replicate");
    }
    layers.ask(model, request);
    method.ask(model, file, request);
  }

  /// The schedule, unless all are to be tried, and its stages per rank.
  void ask_schedule() {
    if (!per_rank_text.empty()) per_rank = parse_count_range("--stages-per-rank", per_rank_text);
    const bool chosen = schedule_option->count() != 0;
    recompute.check(plans_recomputation, per_rank, chosen ? stagecut::find_schedule(schedule) : nullptr);
    if (schedule == "auto" && plans_recomputation) {
      const char* const word = recompute.how.empty() ? "--slices" : "--recompute";
      const char* const instead = recompute.slices > 1 ? "1F1B is cut into slices" : "give --stages-per-rank 1..4";
      throw CLI::ValidationError("--schedule", fmt::format("auto does not go with {}: {}", word, instead));
    }
    if (schedule == "auto") return;
    const stagecut::schedule_entry& entry = *stagecut::find_schedule(schedule);
    request.schedule = entry.kind;
    request.stages_per_rank = per_rank.first != 0          ? per_rank.first
                              : entry.stages_per_rank == 0 ? 1
                                                           : entry.stages_per_rank;
    const bool needs_several = entry.stages_per_rank == 0 && entry.kind != stagecut::schedule_kind::synthesized;
    if (needs_several && request.stages_per_rank == 1 && per_rank.is_one()) {
      throw CLI::ValidationError("--schedule", fmt::format("{} needs --stages-per-rank above 1", schedule));
    }
  }
};
