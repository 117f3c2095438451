// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/cuts.hpp>
#include <stagecut/cost/objective.hpp>
#include <stagecut/io/frameworks/formats.hpp>
#include <stagecut/io/pictures/report.hpp>
#include <stagecut/io/pictures/write_report.hpp>
#include <stagecut/plan/explain_plan.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_chain.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/plan/recut_plan.hpp>
#include <stagecut/plan/simulate_plan.hpp>
#include <stagecut/plan/targets.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/scenario.hpp"
#include "report_page.hpp"
#include "output/computed_text.hpp"
#include "output/explain_text.hpp"
#include "output/output.hpp"
#include "output/plan_text.hpp"
#include "output/predicted_rates.hpp"
#include "output/simulation_text.hpp"
#include "output/stop_signals.hpp"
#include "output/table.hpp"
#include "output/trace.hpp"
#include "options/quantity.hpp"
#include "options/run_size.hpp"

// Reports of plans and simulations, as pages.

/// A report as a page; announces a large one.
inline std::string page_text(const stagecut::io::report& all) {
  std::size_t passes = 0;
  for (const auto& plan : all.plans) passes += passes_of({&plan.picture, 1});
  constexpr std::size_t many = 200000;
  constexpr double bytes = 80;  // per pass, and half a message
  if (passes > many) {
    say(fmt::format("a page of {} passes takes about {}", passes,
                    bytes_text(1.5 * bytes * static_cast<double>(passes))));
  }
  std::string text;
  const auto append = [&](std::string_view part) { text += part; };
  stagecut::io::write_report(all, own_report_page(), append);
  return text;
}

/// A report table from a text table with a header line.
inline stagecut::io::report_table shown_table(std::string title, const table& lines, std::string note = {}) {
  stagecut::io::report_table result{std::move(title), std::move(note), {}, lines.lines()};
  if (result.rows.empty()) return result;
  result.columns = std::move(result.rows.front());
  result.rows.erase(result.rows.begin());
  return result;
}

/// The results of a simulation, as names and figures.
inline std::vector<std::pair<std::string, std::string>> simulation_figures(const simulated& of) {
  const auto& run = of.picture.run;
  const auto part = [&](double value) {
    return fmt::format("{:.1f} %", run.makespan > 0 ? 100 * (value / run.makespan) : 0);
  };
  std::vector<std::pair<std::string, std::string>> figures = {{"schedule", schedule_name(of.picture.order.name)},
                                                              {"makespan", time_text(of, run.makespan)},
                                                              {"work", part(of.parts.work)}};
  for (const auto& [name, words, value] : idle_causes(of.parts)) {
    if (value > 0) figures.emplace_back(words, part(value));
  }
  if (run.makespan > 0) figures.emplace_back("critical path", critical_text(of));
  return figures;
}

/// A pipeline of a report: its ranks side by side, and one line of facts.
inline stagecut::io::report_plan shown_plan(const simulated& of) {
  const auto& order = of.picture.order;
  return {of.picture,
          fmt::format("{}, {} ranks, {} microbatches, makespan {}", schedule_name(order.name), order.ranks(),
                      order.microbatches, time_text(of, of.picture.run.makespan)),
          {}};
}

/// The report of one simulation.
inline stagecut::io::report simulation_report(const simulated& of) {
  stagecut::io::report result;
  result.title = stagecut::io::title_of(of.picture);
  result.figures = simulation_figures(of);
  result.plans.push_back(shown_plan(of));
  return result;
}

/// The report of several plans, on one axis of time.
inline stagecut::io::report comparison_report(const std::vector<simulated>& all) {
  stagecut::io::report result;
  result.title = fmt::format("{} plans side by side", all.size());
  result.table = shown_table("Plans", comparison_table(all));
  for (const simulated& each : all) result.plans.push_back(shown_plan(each));
  return result;
}

/// The contents of a plan's report.
class plan_report {
 public:
  explicit plan_report(const stagecut::plan& made) : made_(made) {}

  [[nodiscard]] stagecut::io::report report() const {
    stagecut::io::report result;
    result.title = made_.profile.name.empty() ? "plan" : shown(made_.profile.name);
    result.seconds = !made_.profile.weights_only;
    result.figures.emplace_back("objective", objective_text(made_) + end_text());
    add_run(result);
    add_timeline(result);
    add_cuts(result);
    add_prices(result);
    add_lines(result);
    return result;
  }

  /// The iteration only; empty: it cannot be simulated.
  [[nodiscard]] std::vector<stagecut::io::report_plan> timeline() const {
    stagecut::io::report result;
    result.title = stagecut::visible(made_.profile.name);
    add_timeline(result);
    return std::move(result.plans);
  }

 private:
  static constexpr std::size_t most_name = 60;  // characters of a layer's name

  [[nodiscard]] stagecut::io::report_table stages() const {
    return shown_table("Stages", stages_table(made_, most_name));
  }

  /// Its configuration, limit, and predicted rates.
  void add_run(stagecut::io::report& result) const {
    const auto add = [&](const char* name, std::string text) {
      if (!text.empty() && text.back() == '\n') text.pop_back();
      if (!text.empty()) result.figures.emplace_back(name, std::move(text));
    };
    if (!computed_figures(made_.profile).empty()) add("run", computed_text(made_.profile));
    const std::string limit = limit_text(made_) + beyond_device_text(made_);
    constexpr std::string_view title = "memory: ";
    add("memory", limit.starts_with(title) ? limit.substr(title.size()) : limit);
    add("predicted", rates_text(made_));
    add("not searched", scope_of(made_));
  }

  /// The iteration, if it can be simulated; else only the stages.
  void add_timeline(stagecut::io::report& result) const {
    std::string why = made_.schedule.microbatches == 0 ? "the number of microbatches is not known" : "";
    if (why.empty()) why = too_large_run(made_);
    if (why.empty() && stagecut::has_virtual_stages(made_))
      why = "no schedule is known that runs several stages of a graph on a device";
    try {
      if (why.empty()) {
        stagecut::schedule order = stagecut::schedule_of(made_);
        const std::string title = fmt::format("{}, {}", result.title, schedule_name(order.name));
        auto messages = stagecut::transfers_of(made_, order.slices);
        const simulated run = simulate(scenario_of(made_, std::move(order), title, std::move(messages)));
        const auto figures = simulation_figures(run);
        result.figures.insert(result.figures.end(), figures.begin(), figures.end());
        result.plans.push_back(shown_plan(run));
        result.plans.back().stages = stages();
        return;
      }
    } catch (const std::invalid_argument& error) {
      why = error.what();
    }
    result.figures.emplace_back("no timeline", why);
    result.table = stages();
  }

  /// The layers, cut evenly, by the heaviest stage, and as in the plan.
  void add_cuts(stagecut::io::report& result) const {
    if (!made_.edges.empty() || !made_.assignment.empty() || made_.cuts.stages() == 0) return;
    for (const stagecut::layer& layer : made_.profile.layers)
      result.layers.emplace_back(shown(layer.name), layer.forward + layer.backward);
    using stagecut::measure;
    for (const auto& [by, name] : {std::pair(measure::layers, "uniform: as many layers in each stage"),
                                   std::pair(measure::time, "bottleneck: the heaviest stage as light as can be")}) {
      if (const auto found = lightest(by)) add_cut(result, name, *found);
    }
    add_cut(result, "this plan", made_.cuts);
  }

  /// The cut with the smallest bottleneck, on the plan's devices and at its allowed cut points; none if there is none.
  [[nodiscard]] std::optional<stagecut::cuts> lightest(stagecut::measure by) const try {
    stagecut::plan_request request;
    const bool several = made_.cuts.stages() != made_.devices * made_.stages_per_rank;  // devices per stage
    request.devices = several ? made_.cuts.stages() : made_.devices;
    if (!several) request.stages_per_rank = made_.stages_per_rank, request.speeds = made_.speeds;
    if (const auto* const known = stagecut::find_schedule(made_.schedule.name)) request.schedule = known->kind;
    request.objective = stagecut::plan_objective::bottleneck;
    request.by = by;
    const auto found = stagecut::plan_chain(made_.profile, request);
    return found ? std::optional(found->cuts) : std::nullopt;
  } catch (const std::invalid_argument&) {  // devices or layers that plans do not support
    return std::nullopt;
  }

  void add_cut(stagecut::io::report& result, const char* name, const stagecut::cuts& at) const {
    std::string facts;
    try {
      if (stagecut::explanation_obstacle(made_).empty() && !result.plans.empty()) {
        const stagecut::plan recut = stagecut::recut_plan(made_, at);
        const double makespan = *recut.makespan;
        const double own = result.plans[0].picture.run.makespan;
        facts = fmt::format("makespan {}", time_text(made_.profile, makespan));
        if (makespan > own && own > 0) facts += fmt::format(", {:.2g} % longer", 100 * (makespan / own - 1));
        if (makespan < own) facts += fmt::format(", {:.2g} % shorter", 100 * (1 - makespan / own));
        facts += shortage_text(recut);
      }
    } catch (const std::invalid_argument&) {  // stages inconsistent with their layers: no figure
    }
    result.cuts.push_back({name, std::move(facts), {at.points().begin() + 1, at.points().end() - 1}});
  }

  /// The first device that such a plan exceeds; empty: it fits.
  static std::string shortage_text(const stagecut::plan& made) {
    const std::vector<double> taken = stagecut::device_memories(made);
    for (std::size_t d = 0; d < taken.size(); ++d) {
      const auto limit = stagecut::memory_limit_of(made, d);
      if (!limit || taken[d] <= *limit * (1 + 1e-12)) continue;
      return fmt::format("; does not fit: device {} takes {} of {}", d, bytes_text(taken[d]), bytes_text(*limit));
    }
    return "";
  }

  /// What an objective of passes omits.
  [[nodiscard]] std::string end_text() const {
    const double end = made_.objective.name == "makespan" ? share_at_end(made_) : 0;
    return end > 0 ? fmt::format("; {:.2g} % of the iteration come behind the last passes, which it does not count",
                                 100 * end)
                   : "";
  }

  void add_prices(stagecut::io::report& result) const {
    if (!stagecut::explanation_obstacle(made_).empty() || result.plans.empty()) return;
    static constexpr auto stop = stop_signals::asked;
    stagecut::explain_options options;
    options.search.stop = stop;
    try {
      for (const explained_part& part : explain_text(made_, stagecut::explain_plan(made_, options)).parts()) {
        result.prices.push_back(shown_table(part.title, part.lines, part.below));
      }
    } catch (const std::invalid_argument&) {  // as above
    }
  }

  /// The lines for each framework, or why it cannot express the plan.
  void add_lines(stagecut::io::report& result) const {
    for (const auto& format : stagecut::io::formats) {
      if (format.any_plan) continue;
      try {
        const std::string target_lines = format.write(made_);
        std::string settings =
            stagecut::find_target(format.name) == nullptr ? "" : settings_text(made_, format.name, target_lines);
        if (!settings.empty()) settings = "\n# " + settings.substr(0, settings.size() - 1);
        result.lines.push_back({std::string(format.describes), target_lines + settings, false});
      } catch (const std::exception& error) {
        result.lines.push_back({std::string(format.describes), error.what(), true});
      }
    }
  }

  const stagecut::plan& made_;
};
