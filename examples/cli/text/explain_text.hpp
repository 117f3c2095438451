// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/json/json_line.hpp>
#include <stagecut/plan/plan.hpp>
#include <stagecut/plan/plan_explanation.hpp>
#include <stagecut/schedule/makespan_parts.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
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

  [[nodiscard]] std::string time(double value) const {
    return value < 0 ? "-" + time_text(made_.profile, -value) : time_text(made_.profile, value);
  }
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

  /// Layers of a plan: `layers.3`, `layers.3 .. layers.17`.
  /// @param most  characters of a name where there are two
  [[nodiscard]] std::string layers(std::size_t first, std::size_t last, std::size_t most) const {
    const auto& all = made_.profile.layers;
    if (last - first == 1) return shown(all[first].name, 2 * most);
    return shown(all[first].name, most) + " .. " + shown(all[last - 1].name, most);
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

  /// Calls `use(first, last)` for neighbours of a list that save the same but for rounding.
  template <class Use>
  void each_run(const std::vector<double>& prices, const Use& use) const {
    for (std::size_t first = 0, last = 0; first < prices.size(); first = last) {
      while (last < prices.size() && std::abs(prices[last] - prices[first]) <= 1e-12 * told_.makespan) ++last;
      use(first, last);
    }
  }

  /// All prices, the largest first; of neighbours that save the same in one.
  [[nodiscard]] std::vector<priced> prices() const {
    std::vector<priced> all;
    const auto& less = told_.less;
    const auto stage_of = made_.cuts.assignment();
    each_run(less.layers, [&](std::size_t first, std::size_t last) {
      all.push_back(
          {layers(first, last, 18), last - first, range(stage_of[first], stage_of[last - 1] + 1), less.layers[first]});
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
    if (told_.parts.update > 0) all.push_back({"all that follows the last pass", 1, "", less.update});
    std::stable_sort(all.begin(), all.end(), [](const priced& a, const priced& b) { return a.saves > b.saves; });
    return all;
  }

  [[nodiscard]] std::string less() const {
    const std::vector<priced> all = prices();
    table lines(0);
    lines.add({"time of", "count", "stage", "saves each", ""});
    std::size_t told = 0;
    for (; told < std::min(most_lines, all.size()) && all[told].saves >= 5e-6 * told_.makespan; ++told) {
      const priced& each = all[told];
      lines.add({each.what, std::to_string(each.count), each.stages, time(each.saves),
                 fmt::format("{:.3f} %", 100 * (each.saves / told_.makespan))});
    }
    std::string rest;
    if (told < all.size()) {
      std::size_t count = 0;
      for (std::size_t i = told; i < all.size(); ++i) count += all[i].count;
      rest = fmt::format("{} others save {}\n", count,
                         counts(all[told].saves) ? fmt::format("at most {}", time(all[told].saves)) : "nothing");
    }
    return fmt::format("One per cent less of\n{}{}{}", plain(lines), rest, memory());
  }

  [[nodiscard]] std::string memory() const {
    const auto& price = told_.memory;
    if (!made_.memory.per_device && made_.memory.of_devices.empty()) return "";
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

  [[nodiscard]] std::string words_of(const stagecut::plan_change& change) const {
    using enum stagecut::change_kind;
    switch (change.kind) {
      case boundary: {
        const std::size_t from = made_.cuts[change.index];
        const std::size_t to = change.cuts[change.index];
        const bool left = to < from;
        return fmt::format("{} from stage {} to {}", layers(std::min(from, to), std::max(from, to), 12),
                           left ? change.index - 1 : change.index, left ? change.index : change.index - 1);
      }
      case cuts: {
        const auto sizes = change.cuts.sizes();
        const std::string list = fmt::format("{}", fmt::join(sizes, " "));
        return list.size() > 40 ? "cut anew by the makespan" : fmt::format("cut anew, layers: {}", list);
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
    if (told_.changes.empty())
      text += "nothing of what was tried: boundaries, schedules, microbatches, links, devices\n";
    if (!told_.changes.empty()) {
      table lines(0);
      lines.add({"", "makespan", "saves", ""});
      for (const auto& each : told_.changes) {
        lines.add({words_of(each), time(each.makespan), time(each.saved),
                   fmt::format("{:.2f} %", 100 * (each.saved / told_.makespan))});
      }
      text += plain(lines);
    }
    if (told_.cut_proved) text += "no other cut ends its passes earlier: proved when the plan was made\n";
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
