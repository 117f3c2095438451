// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/io/json/json_line.hpp>
#include <stagecut/orders/synthesize_schedule.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/schedule.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/scenario.hpp"
#include "options/effort_flags.hpp"
#include "options/option_checks.hpp"
#include "options/pass_flags.hpp"
#include "options/quantity.hpp"
#include "options/schedule_flags.hpp"
#include "options/transfer_flags.hpp"
#include "output/exit_status.hpp"
#include "output/output.hpp"
#include "output/simulation_formats.hpp"
#include "output/stop_signals.hpp"

/// The placement of several stages per rank.
enum class stage_placement { loop, vee };
inline constexpr stagecut::named<stage_placement> stage_placements[] = {{"loop", stage_placement::loop},
                                                                       {"v", stage_placement::vee}};

/// The objective.
inline constexpr stagecut::named<stagecut::synthesis_objective> order_objectives[] = {
    {"makespan", stagecut::synthesis_objective::makespan}, {"span", stagecut::synthesis_objective::span}};

/// The options of `stagecut schedules synthesize`.
struct synthesize_command {
  pass_flags passes;
  std::size_t devices = 0;
  std::size_t per_rank = 1;
  std::size_t microbatches = 0;
  stage_placement placement = stage_placement::loop;
  stagecut::synthesis_objective objective = stagecut::synthesis_objective::makespan;
  std::string kept, late, resident, memory;
  transfer_flags transfers;
  std::optional<double> time_limit;
  std::optional<std::size_t> node_limit;
  std::size_t seed = 1;
  simulation_format format = simulation_format::text;
  std::string output;

  /// Registers the options.
  CLI::App* add(CLI::App& schedules) {
    auto* const command = schedules.add_subcommand("synthesize", "Make an order for stages of given times");
    const auto option = [&](const char* name, auto& into, const char* type, const char* says) {
      return command->add_option(name, into, says)->type_name(type);
    };
    passes.add(*command, "Forward times by stage: 8,14,18,20");
    option("--microbatches", microbatches, "M", "Microbatches of an iteration")->transform(count());
    option("--devices", devices, "P", "Ranks, where a list is one time for all stages")->transform(count());
    option("--stages-per-rank", per_rank, "V", "Stages of each rank; or --vpp")->transform(count());
    add_choice(*command, "--placement", placement, stage_placements, "NAME", "Of several: loop (the default), v");
    add_choice(*command, "--objective", objective, order_objectives, "NAME",
               "Least: makespan (the default), or a rank's span");
    option("--memory", memory, "LIST", "Limit of a rank, or of each, in the unit of --keeps");
    option("--keeps", kept, "LIST", "What a microbatch keeps on each stage (1)");
    option("--keeps-for-weights", late, "LIST", "Of that, to the end of W (all)");
    option("--resident", resident, "LIST", "What every stage keeps all the time (0)");
    transfers.add(*command);
    option("--time-limit", time_limit, "SECONDS", "To search (default: --node-limit ends it)")->check(seconds_check());
    option("--node-limit", node_limit, "N", "Orders to look at, the same everywhere; some 2 s")->transform(count());
    option("--seed", seed, "S", "Of the search (1)")->transform(count(0));
    add_choice(*command, "--format", format, simulation_formats, "NAME", "text, json, html, svg, trace, torch-csv ...");
    option("--output", output, "FILE", "Write to this file");
    refuse_empty(*command);
    return command;
  }

  /// Synthesizes the schedule, and writes the result.
  [[nodiscard]] int run() const {
    check_output(output, {});
    stop_signals::begin_search(false);
    scenario what;
    what.title = "synthesize";
    what.seconds = false;
    try {
      const stagecut::synthesis_request request = asked(what);
      const auto made = stagecut::synthesize_schedule(what.times, what.transfers, request);
      if (!made) return none(made.state(), request);
      what.order = made->schedule;
      what.order.name = "synthesize";
      if (!kept.empty() || !late.empty() || !resident.empty()) what.bytes = request.bytes;
      what.memory_limit = request.memory_limit.for_all();
      what.memory_limits = request.memory_limit.of_ranks();
      const simulated result = ::simulate(what);
      const auto text = [&] {
        return simulation_text(result, screen_of(output)) + proof_text(made.state(), *made) +
               named_text(what, request, made->value);
      };
      const auto json = [&] { return order_json(result, made.state(), *made); };
      write_simulation(result, format, output, text, json);
      return 0;
    } catch (const stagecut::argument_error& error) {
      throw CLI::ValidationError(in_options_of(error));
    } catch (const stagecut::invalid_input& error) {  // forward[1]: -1 ...
      std::string option = error.what();
      std::replace(option.begin(), option.begin() + static_cast<std::ptrdiff_t>(error.place().size()), '_', '-');
      throw CLI::ValidationError("--" + option);
    }
  }

 private:
  /// The request; fills in the times and messages.
  [[nodiscard]] stagecut::synthesis_request asked(scenario& what) const {
    if (passes.forward.empty()) throw CLI::RequiredError("--forward");
    if (microbatches == 0) throw CLI::RequiredError("--microbatches");
    std::size_t stages = 0;
    what.times = passes.read(stages);
    if (stages <= 1) {
      if (devices == 0) throw CLI::RequiredError("--devices, or times of every stage");
      stages = devices * per_rank;
    }
    if (const std::string much = schedule_flags().too_much(stages, 1, microbatches); !much.empty()) {
      throw CLI::ValidationError("--microbatches", much);
    }
    if (stages % per_rank != 0 || (devices != 0 && devices * per_rank != stages)) {
      throw CLI::ValidationError("--forward",
                                 fmt::format("{} times are not {} for each{}", stages, per_rank,
                                             devices == 0 ? " rank" : fmt::format(" of {} ranks", devices)));
    }
    pass_flags::spread(what.times, stages);
    const std::pair<const char*, const std::vector<double>*> lists[] = {
        {"--forward", &what.times.forward},
        {"--backward", &what.times.backward},
        {"--backward-input", &what.times.backward_input},
        {"--backward-weight", &what.times.backward_weight}};
    for (const auto& [name, list] : lists) {
      if (list->empty() || list->size() == stages) continue;
      throw CLI::ValidationError(name, fmt::format("{} times, and there are {} stages", list->size(), stages));
    }
    stagecut::synthesis_request request;
    const std::size_t ranks = stages / per_rank;
    const bool vee = placement == stage_placement::vee;
    if (vee && per_rank != 2) throw CLI::ValidationError("--placement", "v needs --stages-per-rank 2");
    request.rank_of = vee ? stagecut::v_placement(ranks) : stagecut::loop_placement(ranks, per_rank);
    request.microbatches = microbatches;
    request.objective = objective;
    request.split = !passes.backward_input.empty();
    if (request.split && is_of_torch(format)) run_first_whole(what.times, request);
    const auto by_stage = [&](const char* name, const std::string& text) {
      std::vector<double> values = parse_list<double>(name, text, "1,1,2,2");
      if (values.size() == 1) values.assign(stages, values[0]);
      return values;
    };
    request.bytes.activations = by_stage("--keeps", kept);
    request.bytes.weight_part = by_stage("--keeps-for-weights", late);
    request.bytes.resident = by_stage("--resident", resident);
    request.memory_limit = parse_list<double>("--memory", memory, "4 or 4,3,2,1");
    what.transfers = transfers.of_lists();
    request.search.time_limit = time_limit;
    request.search.node_limit = node_limit;
    if (!time_limit && !node_limit) request.search.node_limit = usual_orders(stages * microbatches);
    static constexpr auto stop = stop_signals::asked;
    request.search.stop = stop;
    request.search.seed = seed;
    return request;
  }

  /// PyTorch computes nothing for I of stage 0, and everything in its W: it runs B there.
  static void run_first_whole(stagecut::pass_times<double>& times, stagecut::synthesis_request& request) {
    request.whole.assign(times.forward.size(), false);
    request.whole[0] = true;
    if (!times.backward.empty()) return;
    for (std::size_t s = 0; s < times.backward_input.size(); ++s) {
      times.backward.push_back(times.backward_input[s] + times.backward_weight[s]);
    }
  }

  [[nodiscard]] static int none(stagecut::state state, const stagecut::synthesis_request& request) {
    const bool known = state == stagecut::state::infeasible;
    const char* const stopped =
        stop_signals::asked() ? "stopped before an order was found" : "no order was found within the limits";
    say(fmt::format("schedules synthesize: {}: {}", to_string(state), known ? shortage(request) : stopped));
    return known ? infeasible : unknown;
  }

  /// The first rank that cannot hold one microbatch, in the unit of the input.
  [[nodiscard]] static std::string shortage(const stagecut::synthesis_request& request) {
    const auto of = [](const std::vector<double>& values, std::size_t s, double otherwise) {
      return values.empty() ? otherwise : values[s];
    };
    std::vector<double> needs(request.rank_of.size());
    for (std::size_t s = 0; s < request.rank_of.size(); ++s) {
      needs[request.rank_of[s]] += of(request.bytes.activations, s, 1) + of(request.bytes.resident, s, 0);
    }
    for (std::size_t r = 0; r < needs.size(); ++r) {
      const double has = request.memory_limit.of(r, 0);
      if (needs[r] > has) {
        return fmt::format("rank {} needs at least {:.9g}, with one microbatch at a time, and --memory is {:.9g}", r,
                           needs[r], has);
      }
    }
    return "no rank may hold less";
  }

  [[nodiscard]] static std::string proof_text(stagecut::state state, const stagecut::synthesized_schedule<double>& made) {
    const bool of_span = made.objective == stagecut::synthesis_objective::span;
    const std::string span = of_span ? fmt::format("span {:.9g}: ", made.span) : "";
    const char* const what = of_span ? "of no order is it" : "no order is";
    if (state == stagecut::state::optimal) return fmt::format("{}{} shorter: proved\n", span, what);
    return fmt::format("{}{} shorter than {:.9g}, {:.2g} % less\n", span, what, made.bound,
                       100 * (1 - made.bound / made.value));
  }

  /// The best named schedule of these ranks, stages and microbatches that fits.
  [[nodiscard]] static std::string named_text(const scenario& what, const stagecut::synthesis_request& request,
                                              double found) {
    const std::size_t ranks = what.order.ranks();
    const std::size_t per_rank = what.order.stages() / ranks;
    const char* best = nullptr;
    double least = 0;
    for (const stagecut::schedule_entry& entry : stagecut::schedules) {
      if (!stagecut::has_shape(entry.kind, ranks, per_rank, request.microbatches)) continue;
      const auto order = stagecut::make_schedule(
          entry.kind, {.ranks = ranks, .stages_per_rank = per_rank, .microbatches = request.microbatches});
      if (order.rank_of != request.rank_of || !can_run(order, what.times)) continue;
      const auto run = stagecut::simulate(order, what.times, what.transfers);
      const double value = request.objective == stagecut::synthesis_objective::span ? run.span : run.makespan;
      bool fits = true;
      const auto peaks = stagecut::memory_curve(order, run, request.bytes);
      for (std::size_t r = 0; r < peaks.size() && request.memory_limit; ++r) {
        fits = fits && peaks[r].peak() <= request.memory_limit.of(r, 0);
      }
      if (!fits || (best != nullptr && least <= value)) continue;
      best = entry.name;
      least = value;
    }
    if (best == nullptr)
      return !request.memory_limit ? "no named schedule has this shape\n" : "no named schedule fits\n";
    return fmt::format("best named schedule that fits: {}, {:.9g}, {}\n", best, least,
                       least > found ? fmt::format("{:.1f} % longer", 100 * (least / found - 1)) : "as long");
  }

  /// Whether the times cover all passes of a schedule.
  [[nodiscard]] static bool can_run(const stagecut::schedule& order, const stagecut::pass_times<double>& times) {
    return (!times.backward.empty() || !stagecut::has_kind(order, stagecut::op_kind::backward)) &&
           (!times.backward_input.empty() || !stagecut::has_kind(order, stagecut::op_kind::backward_input));
  }

  /// The simulation, with the proof and the ops of every rank.
  [[nodiscard]] static std::string order_json(const simulated& result, stagecut::state state,
                                              const stagecut::synthesized_schedule<double>& made) {
    std::string text = simulation_json(result);
    text.erase(text.rfind('}'));
    text += fmt::format(",\n \"state\": \"{}\",\n \"bound\": {},\n \"orders\": [", to_string(state),
                        stagecut::io::json_line(stagecut::io::json_number(made.bound)));
    for (std::size_t r = 0; r < made.schedule.ranks(); ++r) {
      nlohmann::json ops = nlohmann::json::array();
      for (const stagecut::op& op : made.schedule.orders[r]) ops.push_back(to_string(op));
      text += (r == 0 ? "\n  " : ",\n  ") + stagecut::io::json_line(ops);
    }
    return text + "]}\n";
  }

  /// The library's error in terms of the command line.
  [[nodiscard]] static std::string in_options_of(const stagecut::argument_error& error) {
    constexpr std::pair<const char*, const char*> options[] = {{"bytes.activations", "--keeps"},
                                                               {"bytes.weight_part", "--keeps-for-weights"},
                                                               {"bytes.resident", "--resident"},
                                                               {"memory_limit", "--memory"},
                                                               {"search.time_limit", "--time-limit"}};
    const std::string what = error.what();
    const std::size_t equals = what.find(" = ");
    for (const auto& [argument, option] : options) {
      if (!error.argument().starts_with(argument) || equals == std::string::npos) continue;
      return option_error(option, error.argument().substr(std::string_view(argument).size()), what.substr(equals + 3));
    }
    return what;
  }
};
