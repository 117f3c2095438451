// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/json_line.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/scenario.hpp"
#include "output/plan_text.hpp"
#include "output/screen.hpp"
#include "output/table.hpp"
#include "output/timeline_text.hpp"
#include "options/quantity.hpp"

// Simulated iterations for a person and for a program.

/// A time of a scenario, in its unit.
inline std::string time_text(const simulated& of, double value) {
  return of.picture.seconds ? seconds_text(value) : fmt::format("{:.9g}", value);
}

/// The causes of idle time, with their names in JSON and in text, in the order of removal.
inline std::vector<std::tuple<const char*, const char*, double>> idle_causes(const stagecut::makespan_parts& parts) {
  return {{"schedule", "filling and draining", parts.schedule},
          {"imbalance", "imbalance", parts.imbalance},
          {"transfers", "transfers", parts.transfers},
          {"update", "after the last pass", parts.update}};
}

/// The stages or messages that delay the rest: their shares of the critical path.
inline std::string critical_text(const simulated& of) {
  const auto& run = of.picture.run;
  std::vector<std::pair<double, std::string>> shares(of.picture.order.stages() + 1);
  for (std::size_t s = 0; s < of.picture.order.stages(); ++s) shares[s].second = fmt::format("stage {}", s);
  shares.back().second = "transfers";
  for (const auto& step : run.critical_path) {
    const bool moves = stagecut::is_transfer(step.what.kind);
    shares[moves ? shares.size() - 1 : step.what.stage].first += step.end - step.start;
  }
  std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(4, shares.size()) && shares[i].first > 0; ++i) {
    text += fmt::format("{}{} {:.1f} %", i == 0 ? "" : ", ", shares[i].second, 100 * (shares[i].first / run.makespan));
  }
  return text;
}

/// The use of time and memory: a table of the ranks, and totals below.
inline std::string simulation_text(const simulated& of, const screen& on) {
  const auto& picture = of.picture;
  const auto& run = picture.run;
  std::string text = timeline_text(picture, on) + '\n';
  table lines(0);
  const bool blocked = run.blocks();
  std::vector<std::string> head = {"rank", "busy", "idle"};
  if (blocked) head.emplace_back("blocked");
  head.emplace_back("in flight");
  if (picture.bytes) head.emplace_back("memory");
  lines.add(std::move(head));
  constexpr std::size_t most = 64;
  for (std::size_t r = 0; r < std::min(most, run.ranks.size()); ++r) {
    std::vector<std::string> cells = {std::to_string(r), time_text(of, run.ranks[r].busy),
                                      time_text(of, run.ranks[r].idle)};
    if (blocked) cells.push_back(time_text(of, run.ranks[r].blocked));
    cells.push_back(fmt::format("{:.6g}", of.peak_activations[r]));
    if (picture.bytes) cells.push_back(bytes_text(picture.memory[r].peak()));
    lines.add(std::move(cells));
  }
  text += lines.text([&](std::size_t line) {
    const auto limit = line == 0 || !picture.bytes ? std::nullopt : picture.limit_of(line - 1);
    const bool above = limit && picture.memory[line - 1].peak() > *limit;
    return above ? fmt::format("  above the limit of {}", bytes_text(*limit)) : std::string();
  });
  if (run.ranks.size() > most) text += fmt::format("and {} ranks more\n", run.ranks.size() - most);
  const auto part = [&](double value) { return run.makespan > 0 ? 100 * (value / run.makespan) : 0; };
  const std::string span =
      run.span < run.makespan ? fmt::format(", span {}: the longest of any rank", time_text(of, run.span)) : "";
  text += fmt::format("makespan {}{}\n{:.1f} % work", time_text(of, run.makespan), span, part(of.parts.work));
  for (const auto& [name, words, value] : idle_causes(of.parts)) {
    if (name != std::string_view("update") || value > 0) text += fmt::format(", {:.1f} % {}", part(value), words);
  }
  text += '\n';
  if (run.makespan > 0) text += fmt::format("critical path: {}\n", critical_text(of));
  return text;
}

/// The same for programs.
inline std::string simulation_json(const simulated& of) {
  using json = nlohmann::ordered_json;
  using stagecut::io::json_line;
  using stagecut::io::json_number;
  const auto& run = of.picture.run;
  json idle = json::object();
  for (const auto& [name, words, value] : idle_causes(of.parts)) idle[name] = json_number(value);
  const auto list = [](std::size_t size, const auto& each) {
    json result = json::array();
    for (std::size_t i = 0; i < size; ++i) result.push_back(each(i));
    return json_line(result);
  };
  std::vector<std::pair<const char*, std::string>> members = {
      {"schedule", json(of.picture.order.name).dump(-1, ' ', false, json::error_handler_t::replace)},
      {"makespan", json_line(json_number(run.makespan))},
      {"span", json_line(json_number(run.span))},
      {"bubble_rate", json_line(json_number(of.bubble_rate()))},
      {"work", json_line(json_number(of.parts.work))},
      {"idle", json_line(idle)},
      {"peak_activations", list(run.ranks.size(), [&](std::size_t r) { return json_number(of.peak_activations[r]); })}};
  if (of.picture.bytes) {
    members.emplace_back(
        "peak_memory", list(run.ranks.size(), [&](std::size_t r) { return json_number(of.picture.memory[r].peak()); }));
  }
  const auto of_ranks = [&](double stagecut::rank_use<double>::*part) {
    return list(run.ranks.size(), [&](std::size_t r) { return json_number(run.ranks[r].*part); });
  };
  members.emplace_back("busy", of_ranks(&stagecut::rank_use<double>::busy));
  members.emplace_back("blocked", of_ranks(&stagecut::rank_use<double>::blocked));
  members.emplace_back("critical_path", list(run.critical_path.size(), [&](std::size_t i) {
                         return json(to_string(run.critical_path[i].what));
                       }));
  std::string text;
  for (const auto& [name, value] : members)
    text += fmt::format("{}\"{}\": {}", text.empty() ? "{" : ",\n ", name, value);
  return text + "}\n";
}

/// The work of an iteration, for comparing different plans: samples if all profiles give them, else microbatches.
struct compared_work {
  bool samples = true;  // rather than microbatches
  bool unlike = false;  // whether iterations differ

  explicit compared_work(const std::vector<simulated>& all) {
    for (const auto& each : all) samples = samples && each.samples > 0;
    for (const auto& each : all) unlike = unlike || of(each) != of(all[0]);
  }
  [[nodiscard]] double of(const simulated& one) const {
    const auto m = static_cast<double>(one.picture.order.microbatches) * one.replicas;
    return samples ? m * one.samples : m;
  }
  /// The ranking time of a plan: of its iteration, or of a sample or microbatch if iterations differ.
  [[nodiscard]] double time(const simulated& one) const {
    return unlike ? one.picture.run.makespan / of(one) : one.picture.run.makespan;
  }
};

/// A table that compares plans.
inline table comparison_table(const std::vector<simulated>& all) {
  const compared_work work(all);
  double best = work.time(all[0]);
  for (const auto& each : all) best = std::min(best, work.time(each));
  const auto most = [](const auto& values, const auto& value) {
    double result = 0;
    for (const auto& one : values) result = std::max(result, value(one));
    return result;
  };
  const bool ends = most(all, [](const simulated& each) { return each.parts.update; }) > 0;
  table lines(0);
  std::vector<std::string> head = {"plan", "schedule", "ranks", "m", "makespan"};
  if (work.unlike) head.emplace_back(work.samples ? "a sample" : "a microbatch");
  head.insert(head.end(), {"", "idle", "fill", "imbalance", "transfers"});
  if (ends) head.emplace_back("end");
  head.insert(head.end(), {"in flight", "memory"});
  lines.add(head);
  for (const auto& each : all) {
    const auto& run = each.picture.run;
    const auto percent = [&](double value) {
      return fmt::format("{:.1f} %", run.makespan > 0 ? 100 * (value / run.makespan) : 0);
    };
    const double ranks_by = work.time(each);
    std::string slower = ranks_by > best ? "" : "best";
    if (ranks_by > best && best > 0) slower = fmt::format("+{:.1f} %", 100 * (ranks_by / best - 1));
    std::vector<std::string> cells = {shown(each.picture.title, 30), schedule_name(each.picture.order.name),
                                      std::to_string(run.ranks.size()), std::to_string(each.picture.order.microbatches),
                                      time_text(each, run.makespan)};
    if (work.unlike) cells.push_back(time_text(each, ranks_by));
    cells.insert(cells.end(), {slower, percent(run.makespan - each.parts.work)});
    for (const auto& [name, words, value] : idle_causes(each.parts)) cells.push_back(percent(value));
    if (!ends) cells.pop_back();
    cells.push_back(fmt::format("{:.6g}", most(each.peak_activations, [](double value) { return value; })));
    const double bytes = most(each.picture.memory, [](const auto& rank) { return rank.peak(); });
    cells.push_back(each.picture.bytes ? bytes_text(bytes) : "-");
    lines.add(std::move(cells));
  }
  return lines;
}

/// The same as text.
inline std::string comparison_text(const std::vector<simulated>& all, const screen& on) {
  return comparison_table(all).within(on.width, [](std::size_t) { return std::string(); });
}
