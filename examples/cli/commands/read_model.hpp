// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/io/file.hpp>
#include <stagecut/io/read_profile.hpp>
#include <stagecut/profile/flatten_modules.hpp>
#include <stagecut/profile/profile.hpp>

#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include "options/limit_flags.hpp"
#include "options/table_flags.hpp"
#include "output/computed_text.hpp"
#include "output/file_notes.hpp"
#include "output/stop_signals.hpp"

// Reads the profile for a command.

/// The name of a file in errors: `-` is standard input.
inline std::string source_name(const std::string& file) { return file == "-" ? "standard input" : file; }

/// The text of a file; nothing if a signal interrupted reading.
inline std::optional<std::string> read_text(const std::string& file, const limit_flags& input) {
  using namespace stagecut;
  std::optional<std::string> text;
  stop_signals::begin_search(true);
  try {
    text = file == "-" ? io::stream_text(std::cin, source_name(file), input.limits) : io::file_text(file, input.limits);
  } catch (const std::exception&) {
    if (!stop_signals::asked()) throw;
  }
  stop_signals::begin_search(false);
  if (stop_signals::asked()) return std::nullopt;
  return text;
}

/// Prints that the messages of experts in a computed profile are hidden as with many microbatches.
inline void say_many_microbatches(const stagecut::profile& model, const std::string& source) {
  const nlohmann::json of = computed_figures(model);
  if (!computed_figure(of, "expert_overlap", false) || computed_figure(of, "microbatches", 0.0) != 0) return;
  say(fmt::format("{}: messages of experts are hidden as with many microbatches; plan the configuration, which counts them",
                  source));
}

/// Parses a profile; nothing if a signal came meanwhile. Prints its notes. From then on the first signal is a request
/// to stop.
inline std::optional<stagecut::profile> tree_of(const std::string& text, const std::string& file,
                                                const limit_flags& input, const table_flags& table) {
  using namespace stagecut;
  const std::string source = source_name(file);
  stop_signals::begin_search(true);
  std::optional<profile> model;
  try {
    model = table.read(
        [&](const io::table_options& options) { return io::parse_profile(text, source, input.limits, options); });
  } catch (const std::exception&) {
    if (!stop_signals::asked()) throw;
  }
  stop_signals::begin_search(false);
  if (stop_signals::asked()) return std::nullopt;
  say_file_notes(text, source, *model);
  say_many_microbatches(*model, source);
  return model;
}

/// The profile of a file without the modules around its layers.
inline stagecut::profile without_modules(stagecut::profile model, const std::string& file) {
  try {
    return stagecut::flatten_modules(std::move(model));
  } catch (const stagecut::invalid_input& error) {
    throw stagecut::invalid_input(source_name(file), error.what());
  }
}

/// Parses a profile, without modules.
inline std::optional<stagecut::profile> model_of(const std::string& text, const std::string& file,
                                                 const limit_flags& input, const table_flags& table) {
  std::optional<stagecut::profile> model = tree_of(text, file, input, table);
  if (!model) return std::nullopt;
  return without_modules(*std::move(model), file);
}

/// Reads and parses the profile in a file.
inline std::optional<stagecut::profile> read_model(const std::string& file, const limit_flags& input,
                                                   const table_flags& table) {
  const std::optional<std::string> text = read_text(file, input);
  return text ? model_of(*text, file, input, table) : std::nullopt;
}
