// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/outcome.hpp>
#include <stagecut/plan/compare_plans.hpp>
#include <stagecut/plan/inference_figures.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/schedule/simulate.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "output/computed_text.hpp"
#include "output/predicted_rates.hpp"
#include "output/profile_text.hpp"
#include "output/screen.hpp"
#include "output/table.hpp"
#include "options/quantity.hpp"

// Plans as tables for a person.

/// The display name of a schedule: one without a name is custom.
inline std::string schedule_name(std::string_view name) { return name.empty() ? "its own order" : shown(name); }

/// A value of the plan's objective, in its unit.
inline std::string cost_text(const stagecut::plan& plan, double value) {
  const std::string& of = plan.objective.of;
  if (of == "time" || of == "sent time") return time_text(plan.profile, value);
  if (of == "parameters" || of == "sent bytes") return bytes_text(value);
  if (of == "time and memory") return fmt::format("{:.4g} %", 100 * value);
  return fmt::format("{:.6g}", value);
}

/// Whether an objective is a time for every measure of stages.
inline bool is_of_time_alone(const std::string& objective) {
  for (const char* const name : {"makespan", "time-per-token", "iteration", "stage-time", "pipeline-latency"}) {
    if (objective == name) return true;
  }
  return false;
}

/// The minimized value, and its gap.
inline std::string objective_text(const stagecut::plan& plan) {
  const auto& objective = plan.objective;
  const std::string name = objective.name.empty() ? "cost" : shown(objective.name);
  const bool proved = objective.state == stagecut::state::optimal;
  const auto least = [&](double bound) {  // a search that was stopped early may have no bound
    return bound > 0 || proved ? fmt::format(": no cut is below {}", cost_text(plan, bound)) : std::string();
  };
  std::string state = objective.state == stagecut::state::unknown ? "not searched for" : stagecut::to_string(objective.state);
  if (objective.state == stagecut::state::feasible && (name == "range" || name == "leximax" || name == "variance")) {
    state += least(name == "variance" ? std::sqrt(objective.bound) : objective.bound);
  }
  const std::string of = objective.of == "time" ? name : name + " of " + shown(objective.of);
  if (name == "range") {
    return fmt::format("{}: {} between the heaviest and the lightest stage, {}", of, cost_text(plan, objective.value),
                       state);
  }
  if (name == "variance") {
    return fmt::format("{}: {} from the mean of the stages (root of the mean square), {}", of,
                       cost_text(plan, std::sqrt(objective.value)), state);
  }
  if (name == "leximax") {
    return fmt::format("{}: {} for the heaviest stage, then the next as light as can be, {}", of,
                       cost_text(plan, objective.value), state);
  }
  const std::string what = is_of_time_alone(name) ? name : name + " of " + shown(objective.of);
  // Nothing is proved for a given cut.
  if (objective.state == stagecut::state::unknown) return fmt::format("{}: {}", what, cost_text(plan, objective.value));
  return fmt::format("{}: {}, {}{}", what, cost_text(plan, objective.value), state, least(objective.bound));
}

/// The speed of an inference plan.
inline std::string inference_text(const stagecut::plan& plan) {
  const auto figures = stagecut::inference_figures_of(plan);
  std::string text =
      fmt::format("{}: {}", computes_prompts(plan.profile) ? "time to the first token" : "time per token",
                  time_text(plan.profile, figures.time_per_token()));
  if (figures.messages > 0) text += fmt::format(", {} of it messages", time_text(plan.profile, figures.messages));
  if (figures.heaviest > 0 && !plan.profile.weights_only) {
    text += fmt::format("\nthroughput: {:.4g} passes of groups of requests a second, {} groups in flight",
                        1 / figures.heaviest, plan.stages.size());
    const std::size_t kept = plan.stages[0].in_flight;
    if (kept != 0 && kept < plan.stages.size()) {
      text += fmt::format("; memory is for {} of them: --in-flight {} plans for all", kept, plan.stages.size());
    }
  }
  return text + "\n";
}

/// The memory above a limit, for a user's cut or an edited plan; nothing if none is.
inline std::string above_limit_text(const stagecut::plan& plan) try {
  std::vector<double> needs = stagecut::device_memories(plan);
  if (needs.empty() && plan.stages_per_rank == 1) {
    for (const auto& stage : plan.stages) needs.push_back(stage.total_memory());
  }
  std::string text;
  double most = 0;
  for (std::size_t rank = 0; rank < needs.size(); ++rank) {
    const std::optional<double> limit = stagecut::memory_limit_of(plan, rank);
    if (!limit || !(needs[rank] > *limit * (1 + 1e-9)) || !(needs[rank] / *limit > most)) continue;
    most = needs[rank] / *limit;
    text = fmt::format("memory: {} on device {}, above the limit of {}\n", bytes_text(needs[rank]), rank, bytes_text(*limit));
  }
  return text;
} catch (const std::invalid_argument&) {
  return "";
}

/// The memory limit; nothing if there is none.
inline std::string limit_text(const stagecut::plan& plan) {
  if (!plan.memory.memory_limit) return "";
  std::string text = above_limit_text(plan);
  if (!text.empty()) return text;
  const std::optional<double> limit = plan.memory.memory_limit.for_all();
  text = limit ? fmt::format("memory: within {} of a device", bytes_text(*limit))
               : "memory: within the limit of each device";
  if (plan.memory.buffer_fraction > 0) text += fmt::format(", {:.4g} % of it free", 100 * plan.memory.buffer_fraction);
  const nlohmann::json computed = computed_figures(plan.profile);
  const double has = computed_figure(computed, "memory", 0.0);
  if (limit && has > *limit) {
    text += fmt::format(", which leaves {} of {} free", bytes_text(has - *limit),
                        shown(computed_figure<std::string>(computed, "device", "the device")));
  }
  return text + "\n";
}

/// The memory needed by a plan without a limit, if it exceeds the memory of the device in its profile; nothing if not,
/// or unknown.
inline std::string beyond_device_text(const stagecut::plan& plan) try {
  const nlohmann::json computed = computed_figures(plan.profile);
  const double has = computed_figure(computed, "memory", 0.0);
  if (plan.memory.memory_limit || !(has > 0)) return "";
  double most = 0;
  if (plan.makespan) {
    most = stagecut::fullest_device(plan);
  } else if (plan.stages_per_rank == 1) {
    for (const auto& stage : plan.stages) most = std::max(most, stage.total_memory());
  }
  if (!(most > has)) return "";
  return fmt::format("a device needs up to {}, and {} has {}: nothing limits the plan", bytes_text(most),
                     shown(computed_figure<std::string>(computed, "device", "the device")), bytes_text(has));
} catch (const std::invalid_argument&) {  // an edited plan
  return "";
}

/// The share of the predicted iteration after its last pass: gradient exchange, optimizer steps. 0 for a plan that
/// cannot be simulated, such as an edited one.
inline double share_at_end(const stagecut::plan& plan) try {
  const bool any = std::any_of(plan.stages.begin(), plan.stages.end(), [](const auto& s) { return s.all_reduce > 0; });
  if (!any || !plan.makespan || !(*plan.makespan > 0)) return 0;
  const stagecut::schedule order = stagecut::schedule_of(plan);
  auto times = stagecut::times_of(plan, stagecut::has_kind(order, stagecut::op_kind::backward_input));
  times.all_reduce.clear();
  const double passes = stagecut::simulate(order, times, stagecut::transfers_of(plan)).makespan;
  return std::max(0.0, 1 - passes / *plan.makespan);
} catch (const std::invalid_argument&) {
  return 0;
}

/// Its devices, and the form of its layers: lines of text.
inline std::string devices_and_ways_text(const stagecut::plan& plan) {
  std::size_t devices = 0;
  for (const auto& stage : plan.stages) devices += stage.replicas * stage.tensor_parallel;
  if (devices == plan.stages.size()) return "";
  std::string text = fmt::format("{} device{}", devices, devices == 1 ? "" : "s");
  if (plan.own_microbatches && !plan.stages.empty() && plan.stages[0].replicas > 1) {
    text += fmt::format("; each of {} replicas runs {} microbatch{} of its own", plan.stages[0].replicas,
                        plan.schedule.microbatches, plan.schedule.microbatches == 1 ? "" : "es");
  }
  std::map<std::string, std::size_t> again;
  for (std::size_t i = 0; i < plan.choices.size(); ++i) {
    const stagecut::layer& each = plan.profile.layers[i];
    const auto* const shared = stagecut::find_variant(each.shardings, plan.choices[i].sharding);
    const std::string& how = shared != nullptr ? shared->recomputation : plan.choices[i].recomputation;
    if (!how.empty()) ++again[how];
  }
  for (const auto& [how, layers] : again)
    text +=
        fmt::format("; {} layer{} recompute{}: {}", layers, layers == 1 ? "" : "s", layers == 1 ? "s" : "", shown(how));
  return text + "\n";
}

/// Records in the unknown members of a plan the scope that was not searched, `orders but 1F1B`; empty: nothing.
inline void say_scope(stagecut::plan& made, const std::string& scope) {
  set_member(made, "not_searched", scope.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(scope));
}

/// The recorded scope that was not searched: `orders but 1F1B`; empty: none.
inline std::string scope_of(const stagecut::plan& made) {
  const auto others = nlohmann::json::parse(made.unknown_fields, nullptr, false);
  if (!others.is_object()) return "";
  const std::string scope = computed_figure(others, "not_searched", std::string());
  return scope.empty() ? scope : shown(scope, 1000);
}

/// The same as lines of text, of 80 columns at most, indented after the first.
inline std::string scope_text(const stagecut::plan& made) {
  std::string list = scope_of(made);
  if (list.empty()) return list;
  list = "not searched: " + list;
  constexpr std::size_t width = 80;
  for (std::size_t begin = 0; list.size() - begin > width;) {
    const std::size_t comma = list.rfind(", ", begin + width - 1);
    if (comma == std::string::npos || comma <= begin) break;
    list.replace(comma + 1, 1, "\n  ");
    begin = comma + 2;
  }
  return list + "\n";
}

/// The schedule, time and memory, below the table of stages.
inline std::string summary(const stagecut::plan& plan) {
  const auto& objective = plan.objective;
  std::string text = objective_text(plan);
  if (objective.state == stagecut::state::feasible && objective.bound > 0 && objective.bound < objective.value) {
    double share = objective.bound / objective.value;
    if (objective.name == "variance") share = std::sqrt(share);
    const double percent = 100 * (1 - share);
    text += percent < 1e-3   ? ", less than 0.001 % below"
            : percent < 99.5 ? fmt::format(", {:.2g} % less", percent)
                             : fmt::format(", {:.1f} % less", percent);
  }
  text += "\n" + scope_text(plan);
  const auto m = static_cast<double>(plan.schedule.microbatches);
  if (plan.makespan && *plan.makespan > 0) {
    double busy = 0;
    for (const auto& stage : plan.stages) busy += m * (stage.forward + stage.mean_backward(plan.schedule.microbatches));
    const double all = *plan.makespan * static_cast<double>(plan.devices);
    const std::size_t group = plan.schedule.group;
    const char* const transfers = plan.stages.size() == 1       ? ""  // there are none
                                  : plan.messages.links.empty() ? " without transfers"
                                                                : " with transfers";
    text +=
        fmt::format("{} of {} microbatch{}{}{}: {}{}, devices idle {:.1f} % of it", schedule_name(plan.schedule.name),
                    plan.schedule.microbatches, plan.schedule.microbatches == 1 ? "" : "es",
                    group == 0 ? "" : fmt::format(" in groups of {}", group),
                    plan.schedule.slices == 1 ? "" : fmt::format(" in {} slices", plan.schedule.slices),
                    time_text(plan.profile, *plan.makespan), transfers, 100 * std::max(0.0, 1 - busy / all));
    const double end = share_at_end(plan);
    text += end > 0 ? fmt::format(", {:.2g} % after the last pass\n", 100 * end) : "\n";
  }
  if (plan.profile.inference && plan.edges.empty()) text += inference_text(plan);
  if (const auto rates = rates_of(plan)) {
    text += rates_text(*rates) + "\n" + rates->basis + "\n";
  } else if (const std::string basis = basis_text(plan.profile); !basis.empty()) {
    text += basis + "\n";
  }
  return text + limit_text(plan) + devices_and_ways_text(plan);
}

/// Peak bytes of every stage; for an edited plan with an invalid order, its stored figures.
inline std::vector<double> known_memories(const stagecut::plan& plan) try {
  return stagecut::stage_memories(plan);
} catch (const std::exception&) {
  std::vector<double> bytes;
  for (const auto& stage : plan.stages) bytes.push_back(stage.total_memory());
  return bytes;
}

/// The stages of a plan, names shortened to `most` characters.
inline table stages_table(const stagecut::plan& plan, std::size_t most) {
  const bool memory = !plan.memory.optimizer.empty();
  const bool timed =
      plan.objective.of != "time" && std::any_of(plan.stages.begin(), plan.stages.end(),
                                                 [](const auto& stage) { return stage.forward + stage.backward > 0; });
  const bool several = std::any_of(plan.stages.begin(), plan.stages.end(),
                                   [](const auto& stage) { return stage.replicas * stage.tensor_parallel > 1; });
  table lines((plan.stages_per_rank > 1 ? 2 : 1) + (plan.speeds.empty() ? 0 : 1) + (several ? 1 : 0));
  std::vector<std::string> head = {"stage"};
  if (plan.stages_per_rank > 1) head.emplace_back("device");
  if (several) head.emplace_back("devices");
  if (!plan.speeds.empty()) head.emplace_back("speed");
  head.insert(head.end(), {"layers", "count", shown(plan.objective.of)});
  if (timed) head.emplace_back("time");
  if (memory) head.insert(head.end(), {"in flight", "memory"});
  const bool limits = memory && plan.memory.memory_limit.of_ranks().size() == plan.devices;
  if (limits) head.emplace_back("of");
  lines.add(head);
  const std::vector<double> bytes = memory ? known_memories(plan) : std::vector<double>();
  const auto span = [&](std::size_t s) {
    const auto layers = stagecut::layers_of(plan, s);
    if (layers.empty()) return std::string("-");
    const auto front = shown(plan.profile.layers[layers.front()].name, most);
    if (layers.size() == 1) return front;
    const bool gaps = layers.back() - layers.front() + 1 != layers.size();
    return front + (gaps ? ", .., " : " .. ") + shown(plan.profile.layers[layers.back()].name, most);
  };
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const auto& stage = plan.stages[s];
    std::vector<std::string> cells = {stage.on_cpu ? fmt::format("{} CPU", s) : std::to_string(s)};
    if (plan.stages_per_rank > 1) cells.push_back(std::to_string(stage.device));
    if (several) cells.push_back(fmt::format("{} × {}", stage.replicas, stage.tensor_parallel));
    if (!plan.speeds.empty()) cells.push_back(fmt::format("{:.4g}", plan.speeds[stage.device]));
    cells.insert(cells.end(), {span(s), std::to_string(stagecut::layers_of(plan, s).size()), cost_text(plan, stage.cost)});
    if (timed) cells.push_back(time_text(plan.profile, stage.forward + stage.mean_backward(plan.schedule.microbatches)));
    if (memory) cells.insert(cells.end(), {std::to_string(stage.in_flight), bytes_text(bytes[s])});
    if (limits) cells.push_back(bytes_text(plan.memory.memory_limit.of_ranks()[stage.device]));
    lines.add(std::move(cells));
  }
  return lines;
}

/// The peak of devices with several stages, all stages together; nothing if each has one, or if unknown, as for an
/// edited plan.
inline std::string devices_text(const stagecut::plan& plan) try {
  if (plan.stages_per_rank < 2) return "";
  const std::vector<double> bytes = stagecut::device_memories(plan);
  const bool limits = plan.memory.memory_limit.of_ranks().size() == bytes.size();
  table lines(1);
  std::vector<std::string> head = {"device", "stages", "memory"};
  if (limits) head.emplace_back("of");
  lines.add(std::move(head));
  for (std::size_t d = 0; d < bytes.size(); ++d) {
    std::string stages;
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
      if (plan.stages[s].device == d) stages += fmt::format("{}{}", stages.empty() ? "" : ", ", s);
    }
    std::vector<std::string> cells = {std::to_string(d), stages, bytes_text(bytes[d])};
    if (limits) cells.push_back(bytes_text(plan.memory.memory_limit.of_ranks()[d]));
    lines.add(std::move(cells));
  }
  return bytes.empty() ? "" : lines.text([](std::size_t) { return std::string(); });
} catch (const std::invalid_argument&) {
  return "";
}

/// A plan: its stages, each with a bar of its share of the heaviest if names leave space for it, and their totals.
inline std::string plan_text(const stagecut::plan& plan, const screen& on) {
  double heaviest = 0;
  for (const auto& stage : plan.stages) heaviest = std::max(heaviest, stage.cost);
  // Names are shortened to fit only if the screen is too narrow; if too little of them would remain, columns move
  // below.
  const auto fits = [&](const table& lines) { return lines.width() <= on.width + 2; };
  std::size_t least = 8, most = 40;
  table lines = stages_table(plan, most);
  if (!fits(lines)) {
    while (least + 1 < most) {
      const std::size_t middle = (least + most) / 2;
      (fits(stages_table(plan, middle)) ? least : most) = middle;
    }
    constexpr std::size_t beside_less = 16;
    lines = stages_table(plan, fits(stages_table(plan, least)) ? least : beside_less);
  }
  const std::size_t room = on.width > lines.width() + 4 ? std::min<std::size_t>(32, on.width - lines.width()) : 0;
  return lines.within(on.width, [&](std::size_t line) {
    if (line == 0 || room == 0) return std::string();
    const double share = heaviest > 0 ? plan.stages[line - 1].cost / heaviest : 1;
    const std::string bar(static_cast<std::size_t>(std::lround(static_cast<double>(room) * share)), '#');
    return on.colour ? fmt::format("  \x1b[{}m{}\x1b[0m", share == 1 ? 33 : 34, bar) : "  " + bar;
  }) + devices_text(plan) +
         summary(plan);
}

/// The results of several combinations, one per line, the best marked.
inline std::string comparison_text(const stagecut::profile& model, const std::vector<stagecut::compared_plan>& all,
                                   const screen& on) {
  table lines(0);
  lines.add({"schedule", "devices", "stages/rank", "m", "makespan", "no cut below", ""});
  double least = 0;
  for (const auto& each : all) {
    if (each.per_microbatch > 0 && (least == 0 || each.per_microbatch < least)) least = each.per_microbatch;
  }
  for (const auto& each : all) {
    std::vector<std::string> cells = {stagecut::to_string(each.schedule), std::to_string(each.devices),
                                      std::to_string(each.stages_per_rank), std::to_string(each.microbatches)};
    const bool any = each.per_microbatch > 0;
    const auto time = [&](double value) { return any ? time_text(model, value) : std::string("-"); };
    const std::string more = !any ? stagecut::to_string(each.state)
                             : each.per_microbatch == least
                                 ? "best"
                                 : fmt::format("+{:.1f} %", 100 * (each.per_microbatch / least - 1));
    cells.insert(cells.end(), {time(each.makespan), each.bound > 0 ? time(each.bound) : "-", more});
    lines.add(std::move(cells));
  }
  return lines.within(on.width, [](std::size_t) { return std::string(); });
}
