// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/io/pictures/pipeline_picture.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A table of a report; cells are text as displayed.
struct report_table {
  std::string title{};                          ///< above it, or its caption
  std::string note{};                           ///< below it; empty: none
  std::vector<std::string> columns{};           ///< their names
  std::vector<std::vector<std::string>> rows{};  ///< one cell per column
};

/// A pipeline of a report: its timeline, the memory of its ranks, and a table of its stages.
struct report_plan {
  pipeline_picture picture{};  ///< what runs when
  std::string facts{};         ///< a line below the title; empty: none
  report_table stages{};       ///< without columns: none
};

/// One cut of a report's layers.
struct report_cut {
  std::string name{};                 ///< its objective: `bottleneck`
  std::string facts{};                ///< next to the name; empty: none
  std::vector<std::size_t> points{};  ///< the first layer of every stage but the first
};

/// Input for a framework.
struct report_line {
  std::string name{};    ///< of the framework and its format
  std::string text{};    ///< to be copied; or why there is none
  bool refused = false;  ///< whether `text` is the reason
};

/// A configuration of a sweep.
struct report_point {
  std::string name{};                 ///< a description
  std::string schedule{};             ///< points of one schedule share a colour
  double time = 0;                    ///< per microbatch
  double memory = 0;                  ///< bytes of the fullest device
  bool front = false;                 ///< whether it is on the Pareto front
  std::optional<report_plan> plan{};  ///< shown when it is selected
};

/// The content of a report page; every part but the title may be empty.
struct report {
  std::string title{};                                         ///< page heading
  std::vector<std::pair<std::string, std::string>> figures{};  ///< names and values, shown first
  report_table table{};                                        ///< without columns: none
  std::vector<report_plan> plans{};                            ///< on one time axis
  std::vector<std::pair<std::string, double>> layers{};        ///< names, and the time of a microbatch through each
  std::vector<report_cut> cuts{};                              ///< of these layers, on one axis
  std::vector<report_table> prices{};                          ///< possible improvements and their effect
  std::vector<report_line> lines{};                            ///< for frameworks
  std::vector<report_point> points{};                          ///< time against memory
  std::optional<double> memory_limit{};                        ///< bytes of a device, drawn as a line among the points
  bool seconds = true;                                         ///< layers and points: times are seconds; else without a unit
};

}  // namespace stagecut::inline STAGECUT_ABI::io
