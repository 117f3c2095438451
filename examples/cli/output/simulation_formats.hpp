// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/function_ref.hpp>
#include <stagecut/core/view.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/io/frameworks/torch_schedule.hpp>
#include <stagecut/io/pictures/pipeline_picture.hpp>
#include <stagecut/io/pictures/svg.hpp>

#include <string>

#include "commands/scenario.hpp"
#include "output/output.hpp"
#include "output/report_parts.hpp"
#include "output/simulation_text.hpp"
#include "output/trace.hpp"

/// The output formats of a simulation.
enum class simulation_format { text, json, html, svg, trace, torch_csv, torch_comms, torch_comms_2_9 };
inline constexpr stagecut::named<simulation_format> simulation_formats[] = {
    {"text", simulation_format::text},
    {"json", simulation_format::json},
    {"html", simulation_format::html},
    {"svg", simulation_format::svg},
    {"trace", simulation_format::trace},
    {"torch-csv", simulation_format::torch_csv},
    {"torch-comms", simulation_format::torch_comms},
    {"torch-comms-2.9", simulation_format::torch_comms_2_9}};

/// Whether PyTorch reads a format.
constexpr bool is_of_torch(simulation_format format) {
  return format == simulation_format::torch_csv || format == simulation_format::torch_comms ||
         format == simulation_format::torch_comms_2_9;
}

/// Writes the result of a simulation to a file, or to standard output if it has no name; calls `text()` and `json()`
/// for these formats.
inline void write_simulation(const simulated& result, simulation_format format, const std::string& output,
                             stagecut::function_ref<std::string()> text, stagecut::function_ref<std::string()> json) {
  using stagecut::io::torch_format;
  using stagecut::io::torch_version;
  const stagecut::view<const stagecut::io::pipeline_picture> pictures(&result.picture, 1);
  // As simulated, with or without merged backward passes.
  const auto torch = [&](torch_format as, torch_version version = torch_version::v2_15) {
    return stagecut::io::as_torch_schedule(result.picture.order, as, stagecut::io::torch_backward::as_given, version);
  };
  switch (format) {
    case simulation_format::trace: return write_trace(pictures, output);
    case simulation_format::json: return write(json(), output);
    case simulation_format::html: return write(page_text(simulation_report(result)), output);
    case simulation_format::svg: return write(stagecut::io::as_svg(pictures), output);
    case simulation_format::torch_csv: return write(torch(torch_format::compute_only), output);
    case simulation_format::torch_comms: return write(torch(torch_format::compute_comms), output);
    case simulation_format::torch_comms_2_9:
      return write(torch(torch_format::compute_comms, torch_version::v2_9), output);
    default: return write(text(), output);
  }
}
