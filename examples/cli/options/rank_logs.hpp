// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/frameworks/mindspore_log.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "options/limit_flags.hpp"
#include "options/option_checks.hpp"
#include "output/output.hpp"

// Locates the logs of a dry run.

/// The logs of a pipeline rank: one, or one per device of its stage.
using rank_logs = std::map<std::size_t, std::vector<std::string>>;

/// The largest peak in the logs of a rank.
[[nodiscard]] inline double peak_of(const std::vector<std::string>& logs, const limit_flags& input) {
  double most = 0;
  for (const std::string& log : logs) {
    const auto read = stagecut::io::read_mindspore_log(stagecut::io::file_text(log, input.limits), log, input.limits);
    most = std::max(most, read.peak);
  }
  return most;
}

/// The stage in a name, as in SAPP's dry runs: stage_3_rank_3072, or stage3_3072.
[[nodiscard]] inline std::optional<std::size_t> stage_of_name(std::string_view name) {
  constexpr std::string_view digits = "0123456789";
  if (!name.starts_with("stage")) return std::nullopt;
  name.remove_prefix(name.starts_with("stage_") ? 6 : 5);
  const std::size_t end = std::min(name.find_first_not_of(digits), name.size());
  std::string_view rank = name.substr(end);
  if (rank.starts_with("_rank_")) rank.remove_prefix(5);
  const bool known =
      rank.empty() || (rank.size() > 1 && rank[0] == '_' && rank.find_first_not_of(digits, 1) == rank.npos);
  return known ? parse_count(name.substr(0, end)) : std::nullopt;
}

/// The entries of a folder, by name.
[[nodiscard]] inline std::vector<std::filesystem::path> entries_of(const std::string& folder) {
  std::vector<std::filesystem::path> result;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    result.push_back(at->path());
  }
  if (error) throw stagecut::invalid_input(folder, error.message());
  std::sort(result.begin(), result.end());
  return result;
}

/// The log of a device in its own folder: mindformer.log, or else all that end in .log.
[[nodiscard]] inline std::vector<std::string> logs_of_device(const std::string& folder) {
  std::vector<std::string> result;
  for (const auto& entry : entries_of(folder)) {
    if (entry.filename() == "mindformer.log") return {entry.string()};
    if (entry.extension() == ".log") result.push_back(entry.string());
  }
  if (result.empty()) throw stagecut::invalid_input(folder, "has no mindformer.log");
  return result;
}

/// The logs of the stages in a folder with one folder, or one log, per device; none if no names match.
[[nodiscard]] inline rank_logs logs_of_stages(const std::string& folder) {
  rank_logs result;
  for (const auto& entry : entries_of(folder)) {
    std::error_code none;
    const bool is_folder = std::filesystem::is_directory(entry, none);
    const auto stage = stage_of_name((is_folder ? entry.filename() : entry.stem()).string());
    if (!stage || (!is_folder && entry.extension() != ".log")) continue;
    for (const std::string& log : is_folder ? logs_of_device(entry.string()) : std::vector{entry.string()}) {
      result[*stage].push_back(log);
    }
  }
  return result;
}

/// The logs of a folder whose names end in a rank's number, worker_3.log.
[[nodiscard]] inline rank_logs logs_of_ranks(const std::string& folder) {
  rank_logs result;
  for (const auto& entry : entries_of(folder)) {
    if (entry.extension() != ".log") continue;
    const std::string stem = entry.stem().string();
    const auto rank = parse_count(std::string_view(stem).substr(stem.find_last_not_of("0123456789") + 1));
    if (rank) result[*rank].push_back(entry.string());
  }
  return result;
}

/// Comma-separated files, each for the next rank or RANK=FILE.
[[nodiscard]] inline rank_logs logs_named(const std::string& files) {
  rank_logs result;
  std::size_t next = 0;
  for (const std::string_view file : split(files, ',')) {
    const std::size_t equals = file.find('=');
    const auto rank = parse_count(file.substr(0, equals));
    const bool named = equals != std::string_view::npos && rank;
    next = named ? *rank : next;
    result[next++].emplace_back(named ? file.substr(equals + 1) : file);
  }
  return result;
}

/// The logs in a folder, in SAPP's layout or by rank numbers.
/// @param by_stage  set to whether it is SAPP's layout
[[nodiscard]] inline rank_logs logs_in(const std::string& folder, bool& by_stage) {
  rank_logs result = logs_of_stages(folder);
  std::error_code none;
  const std::string inner = (std::filesystem::path(folder) / "log").string();  // for output of SAPP's script
  if (result.empty() && std::filesystem::is_directory(inner, none)) result = logs_of_stages(inner);
  by_stage = !result.empty();
  if (!by_stage) result = logs_of_ranks(folder);
  if (!result.empty()) return result;
  throw CLI::ValidationError("--logs", folder +
                                           " has no file whose name ends in the number of a rank: worker_3.log, nor a "
                                           "folder stage_3_rank_3072 with mindformer.log");
}

/// The logs of a run, from `--logs`: a folder, or files. For a folder, reports ranks without logs.
[[nodiscard]] inline rank_logs logs_of(const std::string& names, std::size_t ranks, const std::string& source) {
  std::error_code none;
  const bool folder = std::filesystem::is_directory(names, none);
  bool by_stage = false;
  rank_logs result = folder ? logs_in(names, by_stage) : logs_named(names);
  const char* const word = by_stage ? "stage" : "rank";
  for (const auto& [rank, files] : result) {
    if (rank >= ranks) {
      throw CLI::ValidationError("--logs",
                                 fmt::format("{} is of {} {}, and {} has {}", files[0], word, rank, source, ranks));
    }
    if (files.size() > 1 && !by_stage)
      throw CLI::ValidationError("--logs", fmt::format("{}: two logs of rank {}", names, rank));
  }
  std::vector<std::size_t> missing;
  for (std::size_t rank = 0; rank < ranks && folder; ++rank) {
    if (result.count(rank) == 0) missing.push_back(rank);
  }
  if (!missing.empty()) {
    say(fmt::format("{}: has no log of {}{} {}", names, word, missing.size() == 1 ? "" : "s",
                    fmt::join(missing, ", ")));
  }
  return result;
}
