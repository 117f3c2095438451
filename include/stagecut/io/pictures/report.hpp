// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stagecut/io/pictures/pipeline_picture.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

/// A table of a report; cells are texts as they are to be read.
struct report_table {
  std::string title{};                          ///< above it, or its caption
  std::string note{};                           ///< below it; empty: none
  std::vector<std::string> columns{};           ///< their names
  std::vector<std::vector<std::string>> rows{};  ///< each with a cell a column
};

/// A pipeline of a report: its timeline, the memory of its ranks, and a table of its stages.
struct report_plan {
  pipeline_picture picture{};  ///< what runs when
  std::string facts{};         ///< in a line below the title; empty: none
  report_table stages{};       ///< without columns: none
};

/// One way to cut the layers of a report.
struct report_cut {
  std::string name{};                ///< by what it was chosen: `bottleneck`
  std::string facts{};               ///< beside it; empty: none
  std::vector<std::size_t> points{};  ///< the first layer of every stage but the first
};

/// What a framework is to be told.
struct report_line {
  std::string name{};    ///< of the framework and its format
  std::string text{};    ///< to be copied; or why there is none
  bool refused = false;  ///< whether `text` says why
};

/// A configuration of a sweep.
struct report_point {
  std::string name{};                 ///< what it is
  std::string schedule{};             ///< points of one schedule have one colour
  double time = 0;                    ///< of a microbatch
  double memory = 0;                  ///< bytes of the fullest device
  bool front = false;                 ///< whether no other is better in both
  std::optional<report_plan> plan{};  ///< that is shown when it is chosen
};

/// What a page shows of plans; every part but the title may be empty.
struct report {
  std::string title{};                                         ///< above all
  std::vector<std::pair<std::string, std::string>> figures{};  ///< names and what stands beside them, shown first
  report_table table{};                                        ///< without columns: none
  std::vector<report_plan> plans{};                            ///< on one axis of time
  std::vector<std::pair<std::string, double>> layers{};        ///< names, and the time of a microbatch through each
  std::vector<report_cut> cuts{};                              ///< of these layers, on one axis
  std::vector<report_table> prices{};                          ///< what would help, and by how much
  std::vector<report_line> lines{};                            ///< for frameworks
  std::vector<report_point> points{};                          ///< time against memory
  std::optional<double> memory_limit{};                        ///< bytes of a device, a line among the points
  bool seconds = true;                                         ///< layers and points: times are seconds; else without a unit
};

}  // namespace stagecut::inline STAGECUT_ABI::io
