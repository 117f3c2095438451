// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/plan/plan_request.hpp>
#include <stagecut/profile/profile.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <map>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "options/did_you_mean.hpp"
#include "options/measure_flags.hpp"
#include "options/option_checks.hpp"
#include "output/output.hpp"

/// The measure of stages, as options of `plan`.
struct method_flags {
  std::string method = "time";
  std::optional<double> time_weight;
  std::optional<double> memory_weight;
  bool anywhere = false;  // whether edges may go to an earlier device

  void add(CLI::App& command) {
    command.add_option("--method", method, "By time, parameters, ...; a graph: linear, ...")
        ->type_name("HOW")
        ->check(such_as(known_methods()));
  }

  /// Rare options.
  void add_rare(CLI::App& command, stagecut::plan_request& request) {
    command.add_option("--time-weight", time_weight, "Cost = W time + (1 - W) memory; modules: 0.2")
        ->type_name("W")
        ->group(rare_options)
        ->check(number_check());
    command.add_option("--memory-weight", memory_weight, "Until version 0.3: 1 - W of --time-weight")
        ->type_name("W")
        ->group(rare_options)
        ->check(number_check());
    imbalance_ =
        command.add_option("--imbalance", request.imbalance, "--method communication: excess of a device, 0.3")
            ->type_name("X")
            ->group(rare_options)
            ->transform(excess_check());
    command.add_flag("--not-contiguous", anywhere, "For communication: edges may lead to any device")
        ->group(rare_options);
  }

  /// Whether it is the method for module trees.
  [[nodiscard]] bool of_modules() const { return method == "modules"; }
  /// Whether it is a method for graphs.
  [[nodiscard]] bool of_graphs() const { return stagecut::find_name(stagecut::graph_method_names, method) != nullptr; }

  /// The weight of time for a module tree. Reads the old option `--memory-weight` too, until version 0.3, and says so.
  ///
  /// @param usual  the weight if no option gives one
  /// @throws CLI::ValidationError for both options, and for an old one that is not from 0 to 1
  [[nodiscard]] double weight_for_modules(double usual) const {
    if (!memory_weight) return time_weight.value_or(usual);
    if (time_weight)
      throw CLI::ValidationError("--memory-weight", "is the old name of 1 - W: give --time-weight alone");
    if (*memory_weight < 0 || *memory_weight > 1) {
      throw CLI::ValidationError("--memory-weight", fmt::format("{} must be from 0 to 1", *memory_weight));
    }
    say(fmt::format("--memory-weight {} is --time-weight {:.6g} now, and version 0.3 will refuse it", *memory_weight,
                    1 - *memory_weight));
    return 1 - *memory_weight;
  }

  /// Fills a request for that model, of that file.
  void ask(const stagecut::profile& model, const std::string& file, stagecut::plan_request& request) const {
    using stagecut::measure;
    if (memory_weight) throw CLI::ValidationError("--memory-weight", "is --time-weight of --method modules");
    for (const auto& [option, given] : {std::pair("--imbalance", imbalance_ != nullptr && imbalance_->count() != 0),
                                        std::pair("--not-contiguous", anywhere)}) {
      if (given && method != "communication") throw CLI::ValidationError(option, "goes with --method communication");
    }
    if (const auto* const of_graph = stagecut::find_name(stagecut::graph_method_names, method)) {
      request.method = of_graph->value;
      request.as_graph = of_graph->value == stagecut::graph_method::automatic;
      if (time_weight) request.by = measure::time_and_memory, request.time_weight = *time_weight;
      return;
    }
    const auto* const known = stagecut::find_name(measure_flags, method);
    if (time_weight) {
      const bool by_time = known != nullptr && known->value == measure::time;
      if (!by_time) throw CLI::ValidationError("--time-weight", "goes with --method time or modules");
      request.by = measure::time_and_memory;
      request.time_weight = *time_weight;
    } else if (known != nullptr) {
      request.by = known->value;
    } else if (method.starts_with("type:")) {
      ask_kind(model, file, request);
    } else {
      throw CLI::ValidationError(
          "--method",
          fmt::format("{} is none of {}, {}, modules, type:REGEX{}", method, stagecut::list_names(measure_flags),
                      stagecut::list_names(stagecut::graph_method_names), did_you_mean(method, known_methods())));
    }
  }

 private:
  CLI::Option* imbalance_ = nullptr;

  static std::vector<std::string> known_methods() {
    std::vector<std::string> known = names_of(measure_flags);
    for (const auto& entry : stagecut::graph_method_names) known.emplace_back(entry.name);
    known.emplace_back("modules");
    return known;
  }

  /// Matches a whole text if the expression matches some part, ignoring case: in linear time, by the standard library's
  /// breadth-first matcher, which has no back-references.
  static std::regex pattern_of(const std::string& text) {
    constexpr auto flags =
        std::regex::ECMAScript | std::regex::icase | std::regex::nosubs | std::regex_constants::__polynomial;
    try {
      static_cast<void>(std::regex(text, flags));  // on its own, since `a)(b` is invalid
      return std::regex("[^]*(?:" + text + ")[^]*", flags);
    } catch (const std::regex_error& error) {
      if (error.code() == std::regex_constants::error_complexity) {
        throw CLI::ValidationError("--method", fmt::format("type:{}: back-references are not known", text));
      }
      if (error.code() == std::regex_constants::error_space) {
        throw CLI::ValidationError("--method", fmt::format("type:{} has too many states: repeat less often", text));
      }
      throw CLI::ValidationError("--method", fmt::format("type:{} is no regular expression", text));
    }
  }

  /// Weight one for each layer whose kind matches, ignoring case: DeepSpeed's `type:REGEX`.
  void ask_kind(const stagecut::profile& model, const std::string& file, stagecut::plan_request& request) const {
    const std::string text = method.substr(5);
    const std::regex pattern = pattern_of(text);
    request.by = stagecut::measure::weights;
    request.weights_name = method;
    bool any = false;
    std::map<std::string, bool> known;  // kinds, which are few
    for (const auto& layer : model.layers) {
      const auto [place, is_new] = known.try_emplace(layer.kind, false);
      if (is_new) {
        if (layer.kind.size() > 1000) throw stagecut::invalid_input(file, "a kind is longer than 1000 characters");
        place->second = std::regex_match(layer.kind, pattern);
      }
      request.weights.push_back(place->second ? 1 : 0);
      any = any || place->second;
    }
    if (!any) throw stagecut::invalid_input(file, fmt::format("no layer has a kind that matches {}", text));
  }
};
