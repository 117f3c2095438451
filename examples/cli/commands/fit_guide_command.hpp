// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/fit/next_dry_run.hpp>
#include <stagecut/profile/dry_runs.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "options/did_you_mean.hpp"
#include "options/dry_run_flags.hpp"
#include "options/limit_flags.hpp"
#include "options/option_checks.hpp"
#include "output/dry_run_text.hpp"
#include "output/output.hpp"

/// The output formats of proposed dry runs.
enum class dry_run_format { text, sapp };
inline constexpr stagecut::named<dry_run_format> dry_run_formats[] = {{"text", dry_run_format::text},
                                                                     {"sapp", dry_run_format::sapp}};

/// The options of `stagecut fit guide`.
struct fit_guide_command {
  stagecut::dry_run_request request;
  std::string recompute = "none";
  std::string after;
  dry_run_flags measured;
  dry_run_format format = dry_run_format::text;
  std::string output;
  limit_flags input;

  /// Registers the options.
  CLI::App* add(CLI::App& fit) {
    auto* const command = fit.add_subcommand("guide", "Propose dry runs that determine all parts");
    const auto number = [&](const char* option, auto& into, const char* type, const char* says, std::size_t least) {
      return command->add_option(option, into, says)->type_name(type)->transform(count(least));
    };
    number("--devices", request.ranks, "P", "Pipeline ranks", 2);
    number("--layers", request.layers, "L", "Of the model's body", 1);
    command->add_option("--recompute", recompute, "In addition to none: select,comm,both,full")
        ->type_name("LIST")
        ->check(list_of(choices()));
    number("--runs", request.runs, "N", "How many (the fewest that determine all)", 1);
    command->add_option("--after", after, "SAPP's yaml of dry runs that were made")->type_name("FILE");
    number("--most-layers", request.most_layers, "N", "Of a rank (twice the mean)", 1);
    number("--seed", request.seed, "N", "Of the search (1)", 0)->group(rare_options);
    measured.add_lenient(*command);
    add_choice(*command, "--format", format, dry_run_formats, "NAME", "text, sapp: a yaml for fit memory");
    command->add_option("--output", output, "Write to this file")->type_name("FILE");
    input.add(*command);
    refuse_empty(*command);
    return command;
  }

  /// Designs the runs, and writes them.
  [[nodiscard]] int run() const {
    check_output(output, {after});
    stagecut::dry_run_request asked = request;
    asked.choices = asked_choices();
    dry_run_data data;
    if (!after.empty()) {
      data = measured.read({after}, input);
      if (asked.ranks == 0) asked.ranks = data.ranks;
      if (asked.layers == 0) asked.layers = data.layers;
      widen(data.runs, asked.choices);
    }
    if (asked.ranks == 0) throw CLI::RequiredError("--devices");
    if (asked.layers == 0) throw CLI::RequiredError("--layers");
    const std::size_t peaks = asked.ranks * std::max<std::size_t>(asked.runs, 1);
    if (asked.ranks > most_peaks || asked.layers > 1'000'000 || asked.runs > most_peaks || peaks > most_peaks) {
      throw CLI::ValidationError("--devices",
                                 fmt::format("no more than {} peaks and 1000000 layers are planned for", most_peaks));
    }
    const stagecut::dry_run_design design = made(asked, data.runs);
    write(format == dry_run_format::sapp ? dry_runs_yaml(design, asked.choices, asked.layers)
                                         : dry_runs_text(design, asked.choices, asked.layers, data.number),
          output);
    return 0;
  }

 private:
  static constexpr std::size_t most_peaks = 4096;  // beyond it takes minutes

  static std::vector<std::string> choices() { return {std::begin(recompute_choices), std::end(recompute_choices)}; }

  /// The choices of --recompute plus none, in SAPP's order.
  [[nodiscard]] std::vector<std::string> asked_choices() const {
    const std::vector<std::string> known = choices();
    std::vector<bool> given(known.size(), false);
    given[0] = true;
    for (const std::string_view each : split(recompute, ',')) {
      const auto found = std::find(known.begin(), known.end(), each);
      if (found == known.end()) {
        throw CLI::ValidationError("--recompute", fmt::format("{} is none of {}{}", each, fmt::join(known, ", "),
                                                              did_you_mean(std::string(each), known)));
      }
      given[static_cast<std::size_t>(found - known.begin())] = true;
    }
    std::vector<std::string> result;
    for (std::size_t c = 0; c < known.size(); ++c) {
      if (given[c]) result.push_back(known[c]);
    }
    return result;
  }

  /// Adds the requested choices to runs that were made.
  void widen(stagecut::dry_runs& runs, const std::vector<std::string>& wanted) const {
    for (const std::string& choice : runs.choices) {
      if (std::find(wanted.begin(), wanted.end(), choice) != wanted.end()) continue;
      throw CLI::ValidationError("--recompute",
                                 fmt::format("lacks {}, which layers in {} were run with", choice, source_name(after)));
    }
    for (stagecut::rank_peak& peak : runs.peaks) {
      std::vector<double> kept;
      for (const std::string& each : wanted) {
        const auto found = std::find(runs.choices.begin(), runs.choices.end(), each);
        kept.push_back(found == runs.choices.end() ? 0
                                                   : peak.kept[static_cast<std::size_t>(found - runs.choices.begin())]);
      }
      peak.kept = std::move(kept);
    }
    runs.choices = wanted;
  }

  [[nodiscard]] stagecut::dry_run_design made(const stagecut::dry_run_request& asked,
                                              const stagecut::dry_runs& existing) const {
    try {
      return stagecut::next_dry_run(asked, existing);
    } catch (const stagecut::invalid_input& error) {
      throw stagecut::invalid_input(source_name(after), error.what());
    } catch (const stagecut::argument_error& error) {
      throw CLI::ValidationError(in_guide_options(error));
    }
  }

  /// The library's error in terms of the command line.
  static std::string in_guide_options(const stagecut::argument_error& error) {
    constexpr std::pair<std::string_view, std::string_view> options[] = {{"request.ranks", "--devices"},
                                                                         {"request.layers", "--layers"},
                                                                         {"request.runs", "--runs"},
                                                                         {"request.most_layers", "--most-layers"}};
    const std::string_view what = error.what();
    const std::size_t equals = what.find(" = ");
    for (const auto& [argument, option] : options) {
      if (error.argument() == argument && equals != what.npos) return option_error(option, "", what.substr(equals + 3));
    }
    return std::string(what);
  }
};
