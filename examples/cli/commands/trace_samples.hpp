// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/error.hpp>
#include <stagecut/core/visible.hpp>
#include <stagecut/fit/layer_times.hpp>
#include <stagecut/io/json/profiler_trace.hpp>
#include <stagecut/io/read_limits.hpp>
#include <stagecut/io/tables/layer_ranges.hpp>
#include <stagecut/io/tables/nvtx_ranges.hpp>
#include <stagecut/profile/take_measured.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "options/quantity.hpp"
#include "output/output.hpp"
#include "output/screen.hpp"

/// The device times of layers from several traces.
class trace_samples {
 public:
  /// Adds a trace: JSON of PyTorch's profiler, or CSV of `nsys stats`.
  void add(std::string_view text, const std::string& source, const stagecut::io::layer_ranges& ranges,
           const stagecut::io::read_limits& limits) {
    const std::size_t first = text.find_first_not_of("\xEF\xBB\xBF \t\r\n");
    const bool is_table = first != text.npos && std::string_view("{[\x1f").find(text[first]) == std::string_view::npos;
    if (is_table) {
      add(stagecut::io::read_nvtx_ranges(text, source, limits), source, ranges);
    } else {
      add(stagecut::io::read_profiler_trace(text, source, ranges, limits), source);
    }
  }

  [[nodiscard]] bool empty() const noexcept { return layers_.empty(); }

  /// Prints how much of each trace belongs to layers.
  void say_shares() const {
    for (const std::string& line : shares_) say(line);
  }

  /// The medians of all runs, in the order of the first runs. Prints how far runs differ.
  [[nodiscard]] std::vector<stagecut::measured_layer> medians() const {
    std::vector<stagecut::measured_layer> made;
    std::string widest;
    double spread = -1;
    constexpr double any_sample = std::numeric_limits<double>::infinity();
    for (const stagecut::io::traced_layer& layer : layers_) {
      stagecut::measured_layer& next = made.emplace_back();
      next.name = layer.name;
      const auto take = [&](const std::vector<double>& samples, std::optional<double>& into, const char* pass) {
        if (samples.empty()) return;
        const stagecut::layer_time time = stagecut::layer_times({samples}, {.outlier_limit = any_sample}).front();
        if (time.seconds <= 0) return;
        into = time.seconds;
        const double width = (time.third_quartile - time.first_quartile) / time.seconds;
        if (width <= spread) return;
        spread = width;
        widest = fmt::format("those of {}, {}: median {} of {} runs, quartiles {} and {}", shown(layer.name), pass,
                             seconds_text(time.seconds), samples.size(), seconds_text(time.first_quartile),
                             seconds_text(time.third_quartile));
      };
      take(layer.forward, next.forward, "forward");
      take(layer.backward, next.backward, "backward");
      if (!next.forward && !next.backward) made.pop_back();
    }
    if (spread > 0) say(fmt::format("medians of runs; most different are {}", widest));
    return made;
  }

  /// The names of ranges that are no layer, digits as `*`, the most frequent first.
  [[nodiscard]] std::string other_ranges_text() const {
    std::vector<std::pair<std::string, std::size_t>> sorted(others_.begin(), others_.end());
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> texts;
    for (const auto& [name, count] : sorted) {
      if (texts.size() == 8) {
        texts.emplace_back("...");
        break;
      }
      texts.push_back(count == 1 ? shown(name, 60) : fmt::format("{} ({})", shown(name, 60), count));
    }
    return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, ", "));
  }

 private:
  void add(const stagecut::io::profiler_trace& trace, const std::string& source) {
    for (const stagecut::io::traced_layer& layer : trace.layers) {
      stagecut::io::traced_layer& into = layer_named(layer.name);
      into.forward.insert(into.forward.end(), layer.forward.begin(), layer.forward.end());
      into.backward.insert(into.backward.end(), layer.backward.begin(), layer.backward.end());
    }
    for (const std::string& name : trace.other_ranges) ++others_[with_stars(name)];
    shares_.push_back(fmt::format(
        "{}: {} of {} kernels belong to {}{}; the device was busy {} of {}", source, trace.attributed, trace.kernels,
        counted(trace.layers.size(), "layer"), trace.steps == 0 ? "" : ", in " + counted(trace.steps, "step"),
        trace.span > 0 ? percent_text(trace.busy / trace.span) : "all", seconds_text(trace.span)));
    if (trace.unattributed.empty()) return;
    std::vector<std::string> longest;
    for (const stagecut::io::traced_kernels& kernels : trace.unattributed) {
      if (longest.size() == 5) {
        longest.emplace_back("...");
        break;
      }
      longest.push_back(fmt::format("{} ({}, {})", shortened(kernels.name), counted(kernels.count, "kernel"),
                                    seconds_text(kernels.seconds)));
    }
    const double share = trace.busy > 0 ? trace.unattributed_seconds() / trace.busy : 0;
    shares_.push_back(fmt::format("{}: {} of the device's time is of no layer: {}", source, percent_text(share),
                                  fmt::join(longest, ", ")));
  }

  void add(const stagecut::io::nvtx_ranges& table, const std::string& source,
           const stagecut::io::layer_ranges& ranges) {
    if (!table.on_device) {
      throw stagecut::invalid_input(source,
                                    "has times of the host, where a range ends before its kernels do: take the report "
                                    "nvtx_gpu_proj_trace or nvtx_gpu_proj_sum");
    }
    std::size_t layers = 0;
    for (const stagecut::io::range_times& range : table.ranges) {
      const auto found = ranges.find(range.name);
      if (!found) {
        ++others_[with_stars(range.name)];
        continue;
      }
      ++layers;
      stagecut::io::traced_layer& into = layer_named(found->layer);
      auto& samples = found->pass == stagecut::io::range_pass::backward ? into.backward : into.forward;
      if (range.samples.empty()) samples.push_back(range.median.value_or(range.mean()));
      samples.insert(samples.end(), range.samples.begin(), range.samples.end());
    }
    shares_.push_back(fmt::format("{}: {} of {} are passes of layers; their times include gaps between kernels", source,
                                  layers, counted(table.ranges.size(), "range")));
  }

  /// A kernel's name, without the end of its template arguments.
  static std::string shortened(std::string_view name) {
    constexpr std::size_t most = 48;
    std::string text = stagecut::visible(name);
    if (glyphs(text) <= most) return text;
    text.clear();
    while (glyphs(text) < most - 2) text += stagecut::take_visible(name);
    return text + "..";
  }

  static std::string counted(std::size_t count, const char* noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
  }

  /// A name with `*` for each number.
  static std::string with_stars(std::string_view name) {
    std::string text;
    for (const char c : name) {
      const bool is_digit = c >= '0' && c <= '9';
      if (!is_digit) {
        text += c;
      } else if (!text.ends_with('*')) {
        text += '*';
      }
    }
    return text;
  }

  stagecut::io::traced_layer& layer_named(const std::string& name) {
    const auto [at, is_new] = numbers_.try_emplace(name, layers_.size());
    if (is_new) layers_.emplace_back().name = name;
    return layers_[at->second];
  }

  std::vector<std::string> shares_;
  std::vector<stagecut::io::traced_layer> layers_;
  std::map<std::string, std::size_t> numbers_;  // of layers
  std::map<std::string, std::size_t> others_;   // names of ranges, and how many
};
