// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/frameworks/sapp_init.hpp>
#include <stagecut/profile/dry_runs.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/read_model.hpp"
#include "options/limit_flags.hpp"
#include "options/option_checks.hpp"
#include "options/quantity.hpp"
#include "options/rank_logs.hpp"

// Dry runs from SAPP's files and MindSpore's logs.

/// The run whose first and last rank's memory is used.
enum class run_of_ends { first, last };
inline constexpr stagecut::named<run_of_ends> run_of_ends_words[] = {{"first", run_of_ends::first},
                                                                    {"last", run_of_ends::last}};

/// The recomputation choices of layers, in SAPP's order.
inline constexpr const char* recompute_choices[] = {"none", "select", "comm", "both", "full"};

/// The contents of the files of one model.
struct dry_run_data {
  stagecut::dry_runs runs;                        ///< by run and rank, with all choices in use, and none
  std::size_t number = 0;                         ///< number of runs
  std::size_t ranks = 0;                          ///< in the first file
  std::size_t layers = 0;                         ///< of the model
  std::optional<stagecut::io::sapp_times> times;  ///< of the first file that has some
  std::optional<stagecut::io::sapp_traces> traces;  ///< of the first file that has some
  std::string traced;                               ///< the file with these traces
};

/// Options for reading dry runs.
struct dry_run_flags {
  std::vector<std::string> logs;
  run_of_ends ends = run_of_ends::first;
  bool lenient = false;

  void add(CLI::App& command) {
    command.add_option("--logs", logs, "Of a run, or FILE,FILE or RANK=FILE; again for each run")
        ->type_name("FOLDER")
        ->allow_extra_args(false);
    add_lenient(command);
  }

  /// Without logs.
  void add_lenient(CLI::App& command) {
    add_choice(command, "--ends", ends, run_of_ends_words, "RUN", "Which has the memory of head and tail: first, last");
    command.add_flag("--lenient", lenient, "Offsets need not add up to the layers");
  }

  /// Reads all files, and the logs.
  /// @param any_layers  whether the files' models may have different numbers of layers
  [[nodiscard]] dry_run_data read(const std::vector<std::string>& files, const limit_flags& input,
                                  bool any_layers = false) const {
    if (std::count(files.begin(), files.end(), "-") > 1) {
      throw CLI::ValidationError("FILE", "- is standard input, which can be read only once");
    }
    std::vector<stagecut::io::sapp_init> inits;
    dry_run_data data;
    for (const std::string& file : files) {
      inits.push_back(read_init(file, input));
      const stagecut::io::sapp_init& next = inits.back();
      if (!any_layers && next.layers != inits.front().layers) {
        throw stagecut::invalid_input(source_name(file),
                                      fmt::format("its model has {} layers, and the model of {} {}", next.layers,
                                                  source_name(files.front()), inits.front().layers));
      }
      if (next.times && !data.times) data.times = next.times;
      if (next.traces && !data.traces) data.traces = next.traces, data.traced = file;
    }
    data.ranks = inits.front().ranks;
    data.layers = inits.front().layers;
    collect(files, inits, input, data);
    return data;
  }

 private:
  [[nodiscard]] stagecut::io::sapp_init read_init(const std::string& file, const limit_flags& input) const {
    const std::string source = source_name(file);
    const std::string text = file == "-" ? stagecut::io::stream_text(std::cin, source, input.limits)
                                         : stagecut::io::file_text(file, input.limits);
    const stagecut::io::sapp_init_options options{ends == run_of_ends::last, lenient, true};
    return stagecut::io::read_sapp_init(text, source, options, input.limits);
  }

  static std::size_t runs_of(const stagecut::io::sapp_init& of) { return of.to_measure.peaks.size() / of.ranks; }

  /// Combines the peaks of all files. Logs belong to the runs of the files without memory, or else to all runs.
  void collect(const std::vector<std::string>& files, const std::vector<stagecut::io::sapp_init>& inits,
               const limit_flags& input, dry_run_data& data) const {
    const auto has_peaks = [](const stagecut::io::sapp_init& of) { return !of.dry_runs.peaks.empty(); };
    const bool all_measured = std::all_of(inits.begin(), inits.end(), has_peaks);
    std::size_t next_log = 0;
    std::size_t needed = 0;
    for (const auto& each : inits) needed += all_measured || !has_peaks(each) ? runs_of(each) : 0;
    if (logs.size() != needed && !(logs.empty() && all_measured)) {
      const auto silent = std::find_if_not(inits.begin(), inits.end(), has_peaks);
      const std::string& file = files[all_measured ? 0 : static_cast<std::size_t>(silent - inits.begin())];
      if (logs.empty()) {
        throw stagecut::invalid_input(source_name(file), "has no memory_usage: give the logs of its ranks by --logs");
      }
      throw CLI::ValidationError("--logs", fmt::format("is given {} time{}, and there {} {} run{} to measure",
                                                       logs.size(), logs.size() == 1 ? "" : "s",
                                                       needed == 1 ? "is" : "are", needed, needed == 1 ? "" : "s"));
    }
    std::vector<stagecut::rank_peak> peaks;
    for (std::size_t f = 0; f < files.size(); ++f) {
      const std::size_t runs = runs_of(inits[f]);
      std::vector<stagecut::rank_peak> ranks = inits[f].to_measure.peaks;
      std::vector<bool> measured(ranks.size(), false);
      const auto set = [&](std::size_t run, std::size_t rank, double bytes) {
        const std::size_t at = run * inits[f].ranks + rank;
        ranks[at].bytes = bytes;
        measured[at] = true;
      };
      for (const auto& peak : inits[f].dry_runs.peaks) set(peak.run, peak.rank, peak.bytes);
      for (std::size_t run = 0; run < runs && !logs.empty() && (all_measured || !has_peaks(inits[f])); ++run) {
        for (const auto& [rank, found] : logs_of(logs[next_log++], inits[f].ranks, source_name(files[f]))) {
          set(run, rank, peak_of(found, input));
        }
      }
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (!measured[i]) continue;
        ranks[i].run += data.number;
        peaks.push_back(std::move(ranks[i]));
      }
      data.number += runs;
    }
    data.runs = with_used_choices(std::move(peaks));
  }

  /// Removes choices that no rank uses, except none.
  static stagecut::dry_runs with_used_choices(std::vector<stagecut::rank_peak> peaks) {
    stagecut::dry_runs result;
    std::vector<std::size_t> used;
    for (std::size_t c = 0; c < std::size(recompute_choices); ++c) {
      const auto has = [&](const stagecut::rank_peak& peak) { return peak.kept[c] != 0; };
      if (c != 0 && std::none_of(peaks.begin(), peaks.end(), has)) continue;
      used.push_back(c);
      result.choices.emplace_back(recompute_choices[c]);
    }
    for (stagecut::rank_peak& peak : peaks) {
      std::vector<double> kept;
      for (const std::size_t c : used) kept.push_back(peak.kept[c]);
      peak.kept = std::move(kept);
    }
    result.peaks = std::move(peaks);
    return result;
  }
};
