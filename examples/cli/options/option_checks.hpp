// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "options/did_you_mean.hpp"
#include "options/quantity.hpp"
#include "output/screen.hpp"

// Common parts of the options of several commands.

/// The options that only full help shows.
inline constexpr const char* rare_options = "Seldom needed";

/// The names in a table.
template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

/// A check without text in help, whose name lists its words for `known_values`: `{bash,fish}`.
inline CLI::Validator named_check(CLI::Validator check, const std::vector<std::string>& words, const char* end = "") {
  return check.description("").name(fmt::format("{{{}}}{}", fmt::join(words, ","), end));
}

/// A check for a word.
inline CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto check = [words](const std::string& word) {
    if (std::find(words.begin(), words.end(), word) != words.end()) return std::string();
    return fmt::format("{} not in {{{}}}{}", word, fmt::join(words, ","), did_you_mean(word, words));
  };
  return named_check(CLI::Validator(check, ""), words);
}

/// The same for the name of a row of a table.
template <class Rows>
CLI::Validator one_of(const Rows& rows) {
  return one_of(names_of(rows));
}

/// Suggests words when others may be valid, or are checked elsewhere.
inline CLI::Validator such_as(const std::vector<std::string>& words) {
  return named_check(CLI::Validator(), words, "...");
}

/// The same for comma-separated lists.
inline CLI::Validator list_of(const std::vector<std::string>& words) {
  return named_check(CLI::Validator(), words, ",...");
}

/// Reads `never` as `none` in an option or a list of recomputations: one name in all commands, though --checkpoint has
/// `never`.
inline CLI::Validator never_is_none() {
  return CLI::Validator(
      [](std::string& text) {
        std::string names;
        for (std::size_t at = 0; at <= text.size();) {
          const std::size_t end = std::min(text.find(',', at), text.size());
          const std::string name = text.substr(at, end - at);
          names += fmt::format("{}{}", at == 0 ? "" : ",", name == "never" ? "none" : name);
          at = end + 1;
        }
        text = std::move(names);
        return std::string();
      },
      "");
}

/// An option that sets the value of one of the words of a table.
template <class Into, class Value, std::size_t n>
CLI::Option* add_choice(CLI::App& command, const char* name, Into& into, const stagecut::named<Value> (&words)[n],
                        const char* type, const char* says) {
  const auto set = [&into, &words](const std::string& text) { into = stagecut::find_name(words, text)->value; };
  return command.add_option_function<std::string>(name, set, says)->type_name(type)->check(one_of(words));
}

/// A check for a count: strips leading zeros for the parser, which would read 010 as eight.
inline CLI::Validator count(std::size_t least = 1, std::size_t most = (std::size_t{1} << 40U) - 1) {
  return CLI::Validator(
      [least, most](std::string& text) {
        const auto value = parse_count(text);
        if (!value || *value < least || *value > most) {
          return fmt::format("{} is no whole number from {} to {}", shown(text), least, most);
        }
        text = std::to_string(*value);
        return std::string();
      },
      "");
}

/// A check for a number, possibly with a fraction.
inline CLI::Validator number_check() {
  return CLI::Validator(
      [](const std::string& text) {
        return parse_number(text) ? std::string() : fmt::format("{} is no number", shown(text));
      },
      "");
}

/// A check for an excess over the mean: 0.3 or 30%. A plain number of 1 or more is rejected, as it was a factor before
/// version 0.2.
inline CLI::Validator excess_check() {
  return CLI::Validator(
      [](std::string& text) {
        const bool percents = text.ends_with('%');
        const auto number = parse_number(std::string_view(text).substr(0, text.size() - (percents ? 1 : 0)));
        if (!number || std::signbit(*number)) return fmt::format("{} is no excess: write 0.3 or 30%", shown(text));
        if (!percents && *number >= 1) {
          return fmt::format("{} is no factor but an excess: 0.3 is 30 %, write {:.6g} in place of {}, or {:.6g}%",
                             shown(text), *number - 1, shown(text), *number * 100);
        }
        if (percents) text = fmt::format("{}", *number / 100);
        return std::string();
      },
      "");
}

/// A check for seconds.
inline CLI::Validator seconds_check() {
  return CLI::Validator(
      [](const std::string& text) {
        const auto value = parse_number(text);
        const bool is_time = value && *value >= 0 && *value < 1e9;
        return is_time ? std::string() : fmt::format("{} is no number of seconds", shown(text));
      },
      "");
}

/// Rejects empty values of a command's options.
inline void refuse_empty(CLI::App& command) {
  const CLI::Validator not_empty([](const std::string& value) { return value.empty() ? "must not be empty" : ""; }, "");
  for (CLI::Option* const option : command.get_options()) {
    if (option->get_expected_max() != 0) option->check(not_empty);
  }
}

/// Treats --help-all as --help for a command without options of its own.
inline void take_help_all(CLI::App& command) {
  command.add_flag_callback("--help-all", [] { throw CLI::CallForHelp(); })->group("");
}

/// Splits a text at a character.
inline std::vector<std::string_view> split(std::string_view text, char sign) {
  std::vector<std::string_view> result;
  for (;;) {
    const std::size_t at = text.find(sign);
    result.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return result;
    text.remove_prefix(at + 1);
  }
}

/// Comma-separated numbers.
/// @throws CLI::ValidationError naming the option
template <class Number>
std::vector<Number> parse_list(const char* option, const std::string& text, const char* example) {
  std::vector<Number> result;
  if (text.empty()) return result;
  for (const std::string_view each : split(text, ',')) {
    std::optional<Number> value;
    if constexpr (std::is_integral_v<Number>) {
      value = parse_count(each);
    } else {
      value = parse_number(each);
    }
    if (!value) throw CLI::ValidationError(option, fmt::format("{} is no list of numbers: {}", text, example));
    result.push_back(*value);
  }
  return result;
}

/// The library's errors for makespan requests, and their names on the command line: `{}` stands for the value of the
/// argument.
struct makespan_error {
  std::string_view argument, requirement, words;
};
inline constexpr makespan_error makespan_errors[] = {
    {"compare_plans: objective", ", must be the makespan, by which plans are compared",
     "--schedule: auto compares makespans"},
    {"compare_plans: objective", ", is not known", "--schedule: auto compares makespans"},
    {"compare_plans: cpus", ", is for graphs only: see plan_graph",
     "--schedule: auto compares plans of chains, without --cpus"},
    {"compare_plans: at_most", ", is for graphs only: see plan_graph",
     "--schedule: auto compares plans of chains, without --at-most"},
    {"compare_plans: method", ", is for graphs only: see plan_graph", "--schedule: auto compares plans of chains"},
    {"graph_of: options.memory_accounting.checkpoint", ", must be never: what enters a stage of a graph",
     "--checkpoint: {} is for chains, not for graphs, as which layers with a stage of their own are planned: what "
     "enters a stage"},
    {"make_plan: objective", ", is not known", "--objective: {}"},
    {"plan_model: schedule", ", needs stages_per_rank above 1", "--schedule: {} needs --stages-per-rank above 1"},
    {"sweep_rows: objective", ", is not known", "a sweep compares makespans: the {}"},
    {"backward_first: edges", ", must be those", "--schedule: backward-first: the plan's {} must be those"}};

/// The error for an option.
///
/// @param part  of its argument: `.size()`, `[1]` or nothing
/// @param problem  the library's text: `3, must be the number of devices, 2`
inline std::string option_error(std::string_view option, std::string_view part, std::string_view problem) {
  const std::size_t comma = std::min(problem.find(", "), problem.size());
  const std::string_view value = problem.substr(0, comma);
  const std::string_view requirement = problem.substr(std::min(comma + 2, problem.size()));
  constexpr std::string_view as_many = "must be the number of ";
  if (part == ".size()" && requirement.starts_with(as_many)) {
    const std::string_view whose = requirement.substr(as_many.size());
    const std::size_t end = std::min(whose.find(", "), whose.size());
    const std::string_view values = value == "1" ? "value" : "values";
    if (end == whose.size())
      return fmt::format("{}: {} {} where each of the {} needs one", option, value, values, whose);
    return fmt::format("{}: {} {} where {} are needed, one for each of the {}", option, value, values,
                       whose.substr(end + 2), whose.substr(0, end));
  }
  if (part == ".size()" && requirement.starts_with("must be 0 ")) {
    return fmt::format("{}: no values are taken {}", option, requirement.substr(10));
  }
  if (part == ".size()") return fmt::format("{}: {} values, {}", option, value, requirement);
  const bool of_devices = option == "--device-speeds" || option == "--memory";
  if (of_devices && part.size() > 2 && part.front() == '[') {
    const auto number = parse_number(value);
    const std::string short_value = number ? fmt::format("{:.6g}", *number) : std::string(value);
    return fmt::format("{}: {} of device {} {}", option, short_value, part.substr(1, part.size() - 2), requirement);
  }
  // A list, or a flag, is not repeated.
  if (value == "{…}" || value == "set" || value == "true") return fmt::format("{}: {}", option, requirement);
  if (!requirement.starts_with("must")) return fmt::format("{}: {} {}", option, value, requirement);
  return fmt::format("{}{} = {}, {}", option, part, value, requirement);
}

/// The members of requests, and the options that set them. A name stands for all that begin with it.
inline constexpr std::pair<std::string_view, std::string_view> argument_options[] = {
    {"memory_limit", "--memory"},
    {"optimizer", "--optimizer"},
    {"model.inference", "--inference"},
    {"buffer_fraction", "--memory-buffer"},
    {"memory_accounting.checkpoint", "--checkpoint"},
    {"parameter_multiplier", "--optimizer"},
    {"time_weight", "--time-weight"},
    {"boundary_buffers", "--boundary-buffers"},
    {"microbatches", "--microbatches"},
    {"schedule", "--schedule"},
    {"in_flight", "--in-flight"},
    {"best_in_flight", "--in-flight"},
    {"active", "--in-flight"},
    {"ranks", "--devices"},
    {"devices", "--devices"},
    {"cpus", "--cpus"},
    {"at_most", "--at-most"},
    {"speeds", "--device-speeds"},
    {"topology", "--topology"},
    {"forbidden_cuts", "--forbid-cut"},
    {"kept_together", "--keep-together"},
    {"target", "--for"},
    {"sizes", "--topology"},
    {"objective", "--objective"},
    {"recompute", "--recompute"},
    {"recomputations", "--recompute"},
    {"empty_stages", "--empty-stages"},
    {"replicas", "--replicate"},
    {"tensor_parallel", "--tensor-parallel"},
    {"choices", "--schedule"},
    {"any_schedule", "--schedule"},
    {"inference", "--inference"},
    {"method", "--method"},
    {"by", "--method"},
    {"imbalance", "--imbalance"},
    {"stages_per_rank", "--stages-per-rank"},
    {"group", "--group"},
    {"slices", "--slices"},
    {"links", "--bandwidth"},
    {"latency", "--latency"},
    {"bandwidth", "--bandwidth"},
    {"transfers.kind", "--transfers"}};

/// The library's text about an argument, `stagecut::FUNCTION: ARGUMENT = VALUE, REQUIREMENT`, in terms of the command line;
/// any other text as it is.
inline std::string in_options(const std::string& what) {
  const std::size_t equals = what.find(" = ");
  const std::size_t colon = what.find(": ");
  const bool of_argument = what.starts_with("stagecut::") && colon < equals && equals != what.npos;
  const std::string_view named = of_argument ? std::string_view(what).substr(colon + 2, equals - colon - 2) : "";
  for (const auto& [argument, requirement, words] : makespan_errors) {
    const std::size_t at = what.find(requirement);
    if (at == what.npos || !what.starts_with(fmt::format("stagecut::{} = ", argument))) continue;
    const std::string value = what.substr(equals + 3, at - equals - 3);
    return fmt::format(fmt::runtime(words), value) + what.substr(at + requirement.size());
  }
  for (const auto& [argument, option] : argument_options) {
    if (!named.starts_with(argument)) continue;
    return option_error(option, named.substr(argument.size()), what.substr(equals + 3));
  }
  return what;
}

/// The library's error about an argument in terms of the command line.
inline std::string in_options(const stagecut::argument_error& error) { return in_options(std::string(error.what())); }
