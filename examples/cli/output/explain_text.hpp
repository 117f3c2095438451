// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_explanation.hpp>
#include <stagecut/schedule/makespan_parts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "output/change_text.hpp"
#include "output/plan_text.hpp"
#include "output/profile_text.hpp"
#include "output/screen.hpp"
#include "output/table.hpp"
#include "options/quantity.hpp"

// The limits on a plan's iteration time, for a person.

/// A part of an explanation: a title, a table, and lines below it.
struct explained_part {
  std::string title;
  table lines;
  std::string below{};

  [[nodiscard]] std::string text() const {
    return title + '\n' + lines.text([](std::size_t) { return std::string(); }) + below;
  }
};

/// An explanation for people: four tables of at most 80 columns.
class explain_text {
 public:
  /// @param made  the plan to explain
  /// @param explanation  its explanation
  explain_text(const stagecut::plan& made, const stagecut::plan_explanation& explanation)
      : made_(made), explanation_(explanation) {}

  [[nodiscard]] std::string text() const {
    std::string all;
    for (const explained_part& part : parts()) all += (all.empty() ? "" : "\n") + part.text();
    return all;
  }

  /// Idle time, the critical path, prices, and helpful changes.
  [[nodiscard]] std::vector<explained_part> parts() const { return {idle(), path(), less(), help()}; }

 private:
  static constexpr std::size_t most_lines = 32;  // per table

  [[nodiscard]] std::string time(double value) const {
    return value < 0 ? "-" + time_text(made_.profile, -value) : time_text(made_.profile, value);
  }
  [[nodiscard]] std::string share(double value) const {
    return percent_text(explanation_.makespan > 0 ? value / explanation_.makespan : 0);
  }
  /// Whether a time exceeds rounding errors.
  [[nodiscard]] bool counts(double value) const { return value > 1e-12 * explanation_.makespan; }

  [[nodiscard]] static std::string more(std::size_t lines) {
    return lines > most_lines ? fmt::format("and {} more\n", lines - most_lines) : "";
  }

  [[nodiscard]] explained_part idle() const {
    table lines(0);
    lines.add({"device", "work", "idle", "fill", "imbalance", "messages", "end"});
    const auto add = [&](const std::string& name, const stagecut::makespan_parts& of, const auto& say) {
      lines.add({name, say(of.work), say(explanation_.makespan - of.work), say(of.schedule), say(of.imbalance),
                 say(of.transfers), say(of.update)});
    };
    const auto seconds = [&](double value) { return counts(value < 0 ? -value : value) ? time(value) : "0"; };
    for (std::size_t d = 0; d < std::min(most_lines, explanation_.devices.size()); ++d) {
      add(std::to_string(d), explanation_.devices[d], seconds);
    }
    add("mean", explanation_.parts, seconds);
    add("", explanation_.parts, [&](double value) { return share(value); });
    const std::size_t m = made_.schedule.microbatches;
    return {fmt::format("Where the time goes: {} of {} microbatch{}, makespan {}", schedule_name(made_.schedule.name),
                        m, m == 1 ? "" : "es", time(explanation_.makespan)),
            std::move(lines), more(explanation_.devices.size())};
  }

  /// The non-empty columns of the critical path.
  struct path_columns {
    bool backward = false, split = false, update = false, messages = false;
  };

  [[nodiscard]] path_columns columns() const {
    path_columns result;
    for (const auto& stage : explanation_.path.stages) {
      result.backward = result.backward || stage.backward > 0;
      result.split = result.split || stage.backward_input > 0 || stage.backward_weight > 0;
      result.update = result.update || stage.update > 0;
    }
    for (const double message : explanation_.path.messages) result.messages = result.messages || message > 0;
    return result;
  }

  /// A line of the critical path.
  [[nodiscard]] std::vector<std::string> path_line(const path_columns& has, const std::string& name,
                                                   const stagecut::path_share& share_of, double messages) const {
    const auto cell = [&](double value) { return value > 0 ? time(value) : std::string("-"); };
    std::vector<std::string> cells = {name, cell(share_of.forward)};
    if (has.backward) cells.push_back(cell(share_of.backward));
    if (has.split) cells.insert(cells.end(), {cell(share_of.backward_input), cell(share_of.backward_weight)});
    if (has.update) cells.push_back(cell(share_of.update));
    if (has.messages) cells.push_back(cell(messages));
    cells.push_back(share(share_of.total() + messages));
    return cells;
  }

  [[nodiscard]] explained_part path() const {
    const path_columns has = columns();
    table lines(0);
    std::vector<std::string> head = {"stage", "forward"};
    if (has.backward) head.emplace_back("backward");
    if (has.split) head.insert(head.end(), {"input", "weight"});
    if (has.update) head.emplace_back("end");
    if (has.messages) head.emplace_back("messages");
    head.emplace_back("");
    lines.add(std::move(head));
    std::size_t on_it = 0;
    stagecut::path_share sum;
    double messages = 0;
    for (std::size_t s = 0; s < explanation_.path.stages.size(); ++s) {
      const auto& each = explanation_.path.stages[s];
      const double behind = s < explanation_.path.messages.size() ? explanation_.path.messages[s] : 0;
      for (const auto part :
           {&stagecut::path_share::forward, &stagecut::path_share::backward, &stagecut::path_share::backward_input,
            &stagecut::path_share::backward_weight, &stagecut::path_share::update}) {
        sum.*part += each.*part;
      }
      messages += behind;
      if (each.total() + behind > 0 && ++on_it <= most_lines)
        lines.add(path_line(has, std::to_string(s), each, behind));
    }
    lines.add(path_line(has, "all", sum, messages));
    return {"Critical path: what the makespan waits for, one thing after the other", std::move(lines),
            more(on_it) + (has.messages ? "(messages: between that stage and the next)\n" : "")};
  }

  /// `0`, `0 .. 6`.
  [[nodiscard]] static std::string range(std::size_t first, std::size_t last) {
    return last - first == 1 ? std::to_string(first) : fmt::format("{} .. {}", first, last - 1);
  }

  struct priced {
    std::string what;
    std::size_t count = 1;
    std::string stages{};
    double saves = 0;  // each
  };

  /// Calls `use(first, last)` for neighbours of a list with equal savings, up to rounding.
  template <class Use>
  void each_run(const std::vector<double>& prices, const Use& use) const {
    for (std::size_t first = 0, last = 0; first < prices.size(); first = last) {
      while (last < prices.size() && std::abs(prices[last] - prices[first]) <= 1e-12 * explanation_.makespan) ++last;
      use(first, last);
    }
  }

  /// All prices, the largest first; neighbours with equal savings combined.
  [[nodiscard]] std::vector<priced> prices() const {
    std::vector<priced> all;
    const auto& less = explanation_.less;
    const auto stage_of = made_.cuts.assignment();
    each_run(less.layers, [&](std::size_t first, std::size_t last) {
      all.push_back({layers_text(made_.profile, first, last, 18), last - first,
                     range(stage_of[first], stage_of[last - 1] + 1), less.layers[first]});
    });
    each_run(less.devices, [&](std::size_t first, std::size_t last) {
      all.push_back({fmt::format("all passes of device{} {}", last - first > 1 ? "s" : "", range(first, last)),
                     last - first, "", less.devices[first]});
    });
    each_run(less.links, [&](std::size_t first, std::size_t last) {
      if (less.links.size() > 1)
        all.push_back({"messages to the next stage", last - first, range(first, last), less.links[first]});
    });
    if (!less.links.empty()) all.push_back({"all messages", 1, "", less.all_links});
    if (explanation_.parts.update > 0) all.push_back({"all that follows the last pass", 1, "", less.update});
    std::stable_sort(all.begin(), all.end(), [](const priced& a, const priced& b) { return a.saves > b.saves; });
    return all;
  }

  [[nodiscard]] explained_part less() const {
    table lines(0);
    if (const std::string& why = explanation_.less.unknown; !why.empty()) {
      return {"One per cent less of", std::move(lines), fmt::format("not known: {}\n{}", why, memory())};
    }
    const std::vector<priced> all = prices();
    lines.add({"time of", "count", "stage", "saves each", ""});
    std::size_t shown_count = 0;
    for (; shown_count < std::min(most_lines, all.size()) && all[shown_count].saves >= 5e-6 * explanation_.makespan;
         ++shown_count) {
      const priced& each = all[shown_count];
      lines.add({each.what, std::to_string(each.count), each.stages, time(each.saves),
                 fmt::format("{:.3f} %", 100 * (each.saves / explanation_.makespan))});
    }
    std::string rest;
    if (shown_count < all.size()) {
      std::size_t count = 0;
      for (std::size_t i = shown_count; i < all.size(); ++i) count += all[i].count;
      rest = fmt::format(
          "{} {} {}\n", count, count == 1 ? "other saves" : "others save",
          counts(all[shown_count].saves) ? fmt::format("at most {}", time(all[shown_count].saves)) : "nothing");
    }
    return {"One per cent less of", std::move(lines), rest + memory()};
  }

  [[nodiscard]] std::string memory() const {
    const auto& price = explanation_.memory;
    if (!made_.memory.memory_limit) return "";
    if (!price.unknown.empty()) return fmt::format("memory: not known\n({})\n", price.unknown);
    const auto line = [&](const char* what, const std::optional<double>& value) {
      std::string text = price.proved ? "no plan fits" : "no plan was found";
      const double apart = value ? std::abs(*value - price.as_is) : 0;
      if (value && counts(apart)) {
        text = fmt::format("{} {} ({})", time(apart), *value < price.as_is ? "shorter" : "longer", time(*value));
      } else if (value) {
        text = "the same";
      }
      return fmt::format("memory, 1 % {}, cut anew: {}{}\n", what, text,
                         price.proved ? "" : ", as far as was searched");
    };
    return line("more", price.more) + line("less", price.less);
  }

  [[nodiscard]] explained_part help() const {
    std::string text;
    table lines(0);
    if (explanation_.changes.empty() && explanation_.all_changes)
      text += "nothing of what was tried: boundaries, schedules, microbatches, links, devices\n";
    if (!explanation_.changes.empty()) {
      lines.add({"", "makespan", "saves", ""});
      for (const auto& change : explanation_.changes) {
        lines.add({change_text(made_, change), time(change.makespan), time(change.saved),
                   fmt::format("{:.2f} %", 100 * (change.saved / explanation_.makespan))});
      }
    }
    if (!explanation_.all_changes) text += "there was no time to try all changes\n";
    if (explanation_.cut_proved) text += "no other cut ends its passes earlier: proved when the plan was made\n";
    return {"What would help", std::move(lines), std::move(text)};
  }

  const stagecut::plan& made_;
  const stagecut::plan_explanation& explanation_;
};
