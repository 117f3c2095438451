// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/io/pictures/pipeline_picture.hpp>
#include <stagecut/schedule/compare_runs.hpp>
#include <stagecut/schedule/memory_curve.hpp>
#include <stagecut/schedule/recorded_run.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

#include "commands/measure.hpp"
#include "commands/plans.hpp"
#include "ranks/rank.hpp"
#include "output/table.hpp"
#include "options/quantity.hpp"
#include "work/model.hpp"
#include "work/pool.hpp"

namespace executor {

/// A measured run with its prediction.
struct measured_run {
  planned_run of{};
  stagecut::simulation<double> run{};     ///< of median makespan, the lower of two
  double fastest = 0, slowest = 0;        ///< seconds, over all iterations
  stagecut::run_comparison comparison{};  ///< with that iteration
  std::vector<double> predicted_bytes{};  ///< peak activations per rank
  std::vector<double> measured_bytes{};   ///< the same, counted by its pool
  double difference = -1;                 ///< of loss and gradients to those of one device; below 0: not compared
};

/// The relative difference of losses and gradients: the norm of the difference over the expected ones' norm; 0:
/// bitwise equal.
[[nodiscard]] inline double difference(const gradients& found, const gradients& expected) {
  double apart = 0;
  double all = 0;
  const auto add = [&](const std::vector<float>& a, const std::vector<float>& b) {
    if (a.size() != b.size()) apart = all = std::nan("");
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      apart += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
      all += double{b[i]} * b[i];
    }
  };
  add(found.losses, expected.losses);
  for (std::size_t i = 0; i < expected.layers.size(); ++i) {
    add(i < found.layers.size() ? found.layers[i] : std::vector<float>(), expected.layers[i]);
  }
  return apart == 0 ? 0 : std::sqrt(apart / all);
}

/// Combines the results of all ranks.
[[nodiscard]] inline gradients joined(const std::vector<rank_result>& ranks) {
  gradients result;
  for (const rank_result& rank : ranks) {
    if (!rank.computed.losses.empty()) result.losses = rank.computed.losses;
    result.layers.resize(std::max(result.layers.size(), rank.computed.layers.size()));
    for (std::size_t i = 0; i < rank.computed.layers.size(); ++i) {
      if (!rank.computed.layers[i].empty()) result.layers[i] = rank.computed.layers[i];
    }
  }
  return result;
}

/// Compares the results of the ranks with the prediction.
[[nodiscard]] inline measured_run compared(const planned_run& of, const std::vector<rank_result>& ranks) {
  measured_run result{.of = of};
  std::vector<stagecut::simulation<double>> runs;
  for (std::size_t i = 0; i < ranks[0].iterations.size(); ++i) {
    std::vector<std::vector<stagecut::timed_op<double>>> ops(ranks.size());
    auto sent = ops;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      ops[r] = ranks[r].iterations[i].ops;
      for (const auto& op : ranks[r].iterations[i].received) sent[of.order.rank_of[op.what.stage]].push_back(op);
    }
    runs.push_back(stagecut::recorded_run(of.order, std::move(ops), std::move(sent)));
  }
  std::sort(runs.begin(), runs.end(), [](const auto& a, const auto& b) { return a.makespan < b.makespan; });
  result.run = runs[(runs.size() - 1) / 2];
  result.fastest = runs.front().makespan;
  result.slowest = runs.back().makespan;
  result.comparison = stagecut::compare_runs(of.order, of.times, of.transfers, result.run);
  for (const auto& each : stagecut::memory_curve(of.order, of.predicted, {.activations = of.activations})) {
    result.predicted_bytes.push_back(each.peak_activations);
  }
  for (const rank_result& rank : ranks) {
    result.measured_bytes.push_back(
        static_cast<double>(rank.peak_bytes[static_cast<std::size_t>(account::activations)]));
  }
  return result;
}

/// Both timelines, on one axis.
[[nodiscard]] inline std::vector<stagecut::io::pipeline_picture> pictures_of(const measured_run& of) {
  const auto picture = [&](const char* title, const stagecut::simulation<double>& run) {
    const stagecut::stage_bytes bytes{.activations = of.of.activations};
    return stagecut::io::pipeline_picture{.title = fmt::format("{}, {}: {}", of.of.name, of.of.order.name, title),
                                          .order = of.of.order,
                                          .run = run,
                                          .memory = stagecut::memory_curve(of.of.order, run, bytes)};
  };
  return {picture("predicted", of.of.predicted), picture("measured", of.run)};
}

/// The parts of a makespan by name.
[[nodiscard]] inline std::vector<std::pair<const char*, double>> parts_of(const stagecut::makespan_parts& parts) {
  return {
      {"work", parts.work}, {"filling", parts.schedule}, {"imbalance", parts.imbalance}, {"messages", parts.transfers}};
}

/// A line per plan; differences by pass and by cause for the plan by makespan.
[[nodiscard]] inline std::string report_text(const std::vector<measured_run>& runs) {
  table lines(0);
  lines.add({"plan", "schedule", "predicted", "measured", "error", "fastest", "slowest", "activations", "numbers"});
  for (const measured_run& each : runs) {
    const double most = *std::max_element(each.measured_bytes.begin(), each.measured_bytes.end());
    const bool as_predicted = each.measured_bytes == each.predicted_bytes;
    lines.add({each.of.name, each.of.order.name, seconds_text(each.of.predicted.makespan),
               seconds_text(each.run.makespan),
               each.of.predicted.makespan == 0 ? "-" : fmt::format("{:+.1f} %", 100 * each.comparison.error()),
               seconds_text(each.fastest), seconds_text(each.slowest),
               bytes_text(most) + (as_predicted ? "" : ", not as predicted"),
               each.difference < 0    ? ""
               : each.difference == 0 ? "same bits"
                                      : fmt::format("{:.0e}", each.difference)});
  }
  std::string text = lines.text([](std::size_t) { return ""; });
  for (const measured_run& run : runs) {
    if (&run != &runs.back() && run.of.name != "makespan") continue;
    text += fmt::format("\n{}, {}: what an iteration is made of, and every pass\n", run.of.name, run.of.order.name);
    table causes(0);
    causes.add({"", "predicted", "measured"});
    const auto measured = parts_of(run.comparison.measured);
    for (std::size_t i = 0; i < measured.size(); ++i) {
      causes.add({measured[i].first, seconds_text(parts_of(run.comparison.predicted)[i].second),
                  seconds_text(measured[i].second)});
    }
    causes.add({"runtime", "0 s", seconds_text(run.comparison.rest)});
    text += causes.text([](std::size_t) { return ""; });
    table ops(0);
    ops.add({"pass", "predicted", "measured", "quartiles apart"});
    for (const stagecut::op_difference& one : run.comparison.ops) {
      ops.add({fmt::format("{}{}", one.stage, to_string(one.kind)), seconds_text(one.predicted),
               seconds_text(one.measured), seconds_text(one.spread)});
    }
    text += ops.text([](std::size_t) { return ""; });
  }
  return text;
}

/// The same as JSON.
[[nodiscard]] inline nlohmann::json report_json(const std::vector<measured_run>& runs) {
  nlohmann::json plans = nlohmann::json::array();
  for (const measured_run& each : runs) {
    nlohmann::json ops = nlohmann::json::array();
    for (const stagecut::op_difference& one : each.comparison.ops) {
      ops.push_back({{"op", to_string(one.kind)},
                     {"stage", one.stage},
                     {"predicted", one.predicted},
                     {"measured", one.measured},
                     {"spread", one.spread}});
    }
    nlohmann::json causes;
    for (const auto& [name, value] : parts_of(each.comparison.predicted)) causes[name]["predicted"] = value;
    for (const auto& [name, value] : parts_of(each.comparison.measured)) causes[name]["measured"] = value;
    causes["runtime"] = {{"predicted", 0}, {"measured", each.comparison.rest}};
    plans.push_back({{"plan", each.of.name},
                     {"schedule", each.of.order.name},
                     {"cuts", points_of(each.of.plan)},
                     {"predicted", each.of.predicted.makespan},
                     {"measured", each.run.makespan},
                     {"error", each.comparison.error()},
                     {"fastest", each.fastest},
                     {"slowest", each.slowest},
                     {"parts", causes},
                     {"ops", ops},
                     {"predicted_activations", each.predicted_bytes},
                     {"measured_activations", each.measured_bytes}});
    if (each.difference >= 0) plans.back()["difference"] = each.difference;
  }
  return plans;
}

}  // namespace executor
