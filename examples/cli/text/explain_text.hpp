// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/json_line.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_explanation.hpp>
#include <stagecut/schedule/makespan_parts.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "text/plan_text.hpp"
#include "text/profile_text.hpp"
#include "text/screen.hpp"
#include "text/table.hpp"
#include "words/quantity.hpp"

// What holds the iteration of a plan, as a person and as a program read it.

/// An explanation for people: four tables of at most 80 columns.
class explain_text {
 public:
  /// @param made  the plan that is explained
  /// @param told  what is told of it
  explain_text(const stagecut::plan& made, const stagecut::plan_explanation& told) : made_(made), told_(told) {}

  [[nodiscard]] std::string text() const { return idle() + '\n' + path() + '\n' + less() + '\n' + help(); }

 private:
  static constexpr std::size_t most_lines = 32;  // of a table

  [[nodiscard]] std::string time(double value) const { return time_text(made_.profile, value); }
  [[nodiscard]] std::string share(double value) const {
    return fmt::format("{:.1f} %", told_.makespan > 0 ? 100 * (value / told_.makespan) : 0);
  }
  /// Whether a time is more than what rounds.
  [[nodiscard]] bool counts(double value) const { return value > 1e-12 * told_.makespan; }

  [[nodiscard]] static std::string more(std::size_t lines) {
    return lines > most_lines ? fmt::format("and {} more\n", lines - most_lines) : "";
  }
  [[nodiscard]] static std::string plain(const table& lines) {
    return lines.text([](std::size_t) { return std::string(); });
  }

  [[nodiscard]] std::string idle() const {
    table lines(0);
    lines.add({"device", "work", "idle", "fill", "imbalance", "messages", "end"});
    const auto add = [&](const std::string& name, const stagecut::makespan_parts& of, const auto& say) {
      lines.add({name, say(of.work), say(told_.makespan - of.work), say(of.schedule), say(of.imbalance),
                 say(of.transfers), say(of.update)});
    };
    const auto seconds = [&](double value) { return counts(value < 0 ? -value : value) ? time(value) : "0"; };
    for (std::size_t d = 0; d < std::min(most_lines, told_.devices.size()); ++d) {
      add(std::to_string(d), told_.devices[d], seconds);
    }
    add("mean", told_.parts, seconds);
    add("", told_.parts, [&](double value) { return share(value); });
    return fmt::format("Where the time goes: {} of {} microbatches, makespan {}\n{}{}",
                       schedule_name(made_.schedule.name), made_.schedule.microbatches, time(told_.makespan),
                       plain(lines), more(told_.devices.size()));
  }

  [[nodiscard]] std::string path() const {
    bool whole = false;
    bool split = false;
    bool ends = false;
    bool sends = false;
    for (const auto& each : told_.path.stages) {
      whole = whole || each.backward > 0;
      split = split || each.backward_input > 0 || each.backward_weight > 0;
      ends = ends || each.update > 0;
    }
    for (const double each : told_.path.messages) sends = sends || each > 0;
    table lines(0);
    const auto add = [&](std::vector<std::string> cells, const std::string& b, const std::string& i,
                         const std::string& w, const std::string& end, const std::string& message,
                         const std::string& all) {
      if (whole) cells.push_back(b);
      if (split) cells.insert(cells.end(), {i, w});
      if (ends) cells.push_back(end);
      if (sends) cells.push_back(message);
      cells.push_back(all);
      lines.add(std::move(cells));
    };
    add({"stage", "forward"}, "backward", "input", "weight", "end", "messages", "");
    const auto cell = [&](double value) { return value > 0 ? time(value) : std::string("-"); };
    std::size_t shown_stages = 0;
    stagecut::path_share sum;
    double messages = 0;
    for (std::size_t s = 0; s < told_.path.stages.size(); ++s) {
      const auto& each = told_.path.stages[s];
      const double behind = s < told_.path.messages.size() ? told_.path.messages[s] : 0;
      sum.forward += each.forward;
      sum.backward += each.backward;
      sum.backward_input += each.backward_input;
      sum.backward_weight += each.backward_weight;
      sum.update += each.update;
      messages += behind;
      if (each.total() + behind > 0 && ++shown_stages <= most_lines) {
        add({std::to_string(s), cell(each.forward)}, cell(each.backward), cell(each.backward_input),
            cell(each.backward_weight), cell(each.update), cell(behind), share(each.total() + behind));
      }
    }
    add({"all", cell(sum.forward)}, cell(sum.backward), cell(sum.backward_input), cell(sum.backward_weight),
        cell(sum.update), cell(messages), share(sum.total() + messages));
    return fmt::format("Critical path: what the makespan waits for, one thing after the other\n{}{}{}", plain(lines),
                       more(shown_stages), sends ? "(messages: between that stage and the next)\n" : "");
  }

  /// Layers of a plan: `layers.3`, `layers.3 .. layers.17 (15 layers)`.
  [[nodiscard]] std::string layers(std::size_t first, std::size_t last) const {
    const auto name = [&](std::size_t i) { return shown(made_.profile.layers[i].name, 20); };
    if (last - first == 1) return name(first);
    return fmt::format("{} .. {} ({} layers)", name(first), name(last - 1), last - first);
  }

  struct priced {
    std::string what, where;
    double saves = 0;
  };

  /// All prices that are not 0, the largest first; layers of a stage that follow each other and save the same in one.
  [[nodiscard]] std::vector<priced> prices() const {
    std::vector<priced> all;
    const auto& less = told_.less;
    for (std::size_t s = 0; s < made_.cuts.stages(); ++s) {
      const auto stage = made_.cuts.stage(s);
      for (std::size_t first = stage.first, last = first; first < stage.last; first = last) {
        while (last < stage.last && less.layers[last] == less.layers[first]) ++last;
        all.push_back({layers(first, last) + (last - first > 1 ? ", each" : ""), fmt::format("stage {}", s),
                       less.layers[first]});
      }
    }
    for (std::size_t d = 0; d < less.devices.size(); ++d) {
      all.push_back({fmt::format("all passes of device {}", d), "", less.devices[d]});
    }
    for (std::size_t b = 0; b < less.links.size() && less.links.size() > 1; ++b) {
      all.push_back({fmt::format("messages between stages {} and {}", b, b + 1), "", less.links[b]});
    }
    all.push_back({"all messages", "", less.all_links});
    all.push_back({"the end of the iteration, of all stages", "", less.update});
    all.erase(std::remove_if(all.begin(), all.end(), [&](const priced& each) { return !counts(each.saves); }),
              all.end());
    std::stable_sort(all.begin(), all.end(), [](const priced& a, const priced& b) { return a.saves > b.saves; });
    return all;
  }

  [[nodiscard]] std::string less() const {
    const std::vector<priced> all = prices();
    table lines(0);
    lines.add({"time of", "", "saves", ""});
    for (std::size_t i = 0; i < std::min(most_lines, all.size()); ++i) {
      lines.add({all[i].what, all[i].where, time(all[i].saves),
                 fmt::format("{:.3f} %", 100 * (all[i].saves / told_.makespan))});
    }
    return fmt::format("One per cent less of\n{}{}{}", plain(lines), more(all.size()), memory());
  }

  [[nodiscard]] std::string memory() const {
    const auto& price = told_.memory;
    const bool limited = made_.memory.per_device || !made_.memory.of_devices.empty();
    if (!price.unknown.empty()) {
      return limited ? fmt::format("memory: not known, as {}\n", price.unknown) : std::string();
    }
    const auto change = [&](double value) {
      if (!counts(value < price.as_is ? price.as_is - value : value - price.as_is)) return std::string("the same");
      const bool shorter = value < price.as_is;
      return fmt::format("{} {} ({})", time(shorter ? price.as_is - value : value - price.as_is),
                         shorter ? "shorter" : "longer", time(value));
    };
    return fmt::format("memory, cut anew{}: 1 % more of each device: {}; 1 % less: {}\n",
                       price.proved ? "" : " as far as was searched", change(price.more),
                       price.less ? change(*price.less) : std::string(price.proved ? "no plan fits" : "none was found"));
  }

  [[nodiscard]] std::string words_of(const stagecut::plan_change& change) const {
    using enum stagecut::change_kind;
    switch (change.kind) {
      case boundary: {
        const std::size_t from = made_.cuts[change.index];
        const std::size_t to = change.cuts[change.index];
        const bool left = to < from;
        return fmt::format("{} from stage {} to {}", layers(std::min(from, to), std::max(from, to)),
                           left ? change.index - 1 : change.index, left ? change.index : change.index - 1);
      }
      case cuts: {
        const auto sizes = change.cuts.sizes();
        const std::string list = fmt::format("{}", fmt::join(sizes, " "));
        return list.size() > 40 ? "cut anew by the makespan (see plan)" : fmt::format("cut anew, layers: {}", list);
      }
      case schedule: return fmt::format("the schedule {}", change.schedule);
      case microbatches:
        return fmt::format("{} microbatches (saved of {})", change.microbatches, made_.schedule.microbatches);
      case bandwidth: return "messages at twice the bandwidth";
      default: return fmt::format("device {} 10 % faster", change.index);
    }
  }

  [[nodiscard]] std::string help() const {
    std::string text = "What would help\n";
    if (told_.changes.empty()) text += "nothing of what was tried: boundaries, schedules, microbatches, links, devices\n";
    if (!told_.changes.empty()) {
      table lines(0);
      lines.add({"", "makespan", "saves", ""});
      for (const auto& each : told_.changes) {
        lines.add({words_of(each), time(each.makespan), time(each.saved), share(each.saved)});
      }
      text += plain(lines);
    }
    if (told_.cut_proved) text += "no other cut is through with its passes earlier: the plan has a proof\n";
    return text;
  }

  const stagecut::plan& made_;
  const stagecut::plan_explanation& told_;
};

/// The same for programs.
inline std::string explain_json(const stagecut::plan& made, const stagecut::plan_explanation& told) {
  using json = nlohmann::ordered_json;
  const auto number = [](double value) { return stagecut::io::json_number(value); };
  const auto parts = [&](const stagecut::makespan_parts& of) {
    return json{{"work", number(of.work)},
                {"idle", json{{"schedule", number(of.schedule)},
                              {"imbalance", number(of.imbalance)},
                              {"transfers", number(of.transfers)},
                              {"update", number(of.update)}}}};
  };
  const auto numbers = [&](const std::vector<double>& values) {
    json list = json::array();
    for (const double each : values) list.push_back(number(each));
    return list;
  };
  json devices = json::array();
  for (const auto& each : told.devices) devices.push_back(parts(each));
  json stages = json::array();
  for (const auto& each : told.path.stages) {
    stages.push_back({{"forward", number(each.forward)},
                      {"backward", number(each.backward)},
                      {"backward_input", number(each.backward_input)},
                      {"backward_weight", number(each.backward_weight)},
                      {"update", number(each.update)}});
  }
  json memory = json::object();
  if (!told.memory.unknown.empty()) {
    memory["unknown"] = told.memory.unknown;
  } else {
    memory = {{"as_is", number(told.memory.as_is)}, {"more", number(told.memory.more)}};
    memory["less"] = told.memory.less ? json(number(*told.memory.less)) : json();
    memory["proved"] = told.memory.proved;
  }
  json changes = json::array();
  for (const auto& each : told.changes) {
    json one = {{"change", to_string(each.kind)}};
    if (each.kind == stagecut::change_kind::boundary) one["boundary"] = each.index;
    if (each.kind == stagecut::change_kind::device) one["device"] = each.index;
    one["cuts"] = std::vector<std::size_t>(each.cuts.points().begin(), each.cuts.points().end());
    one["schedule"] = each.schedule;
    one["microbatches"] = each.microbatches;
    one["makespan"] = number(each.makespan);
    one["saved"] = number(each.saved);
    changes.push_back(std::move(one));
  }
  json layers = json::array();
  for (std::size_t i = 0; i < told.less.layers.size(); ++i) {
    layers.push_back({{"name", made.profile.layers[i].name}, {"saves", number(told.less.layers[i])}});
  }
  const json whole = {{"makespan", number(told.makespan)},
                      {"mean", parts(told.parts)},
                      {"devices", std::move(devices)},
                      {"critical_path", {{"stages", std::move(stages)}, {"messages", numbers(told.path.messages)}}},
                      {"one_per_cent_less",
                       {{"layers", std::move(layers)},
                        {"devices", numbers(told.less.devices)},
                        {"links", numbers(told.less.links)},
                        {"all_links", number(told.less.all_links)},
                        {"update", number(told.less.update)}}},
                      {"memory", std::move(memory)},
                      {"cut_proved", told.cut_proved},
                      {"changes", std::move(changes)}};
  return whole.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}
