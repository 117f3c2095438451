// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/view.hpp>
#include <stagecut/io/pictures/chrome_trace.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <string>

#include "output/output.hpp"
#include "options/quantity.hpp"

/// The number of passes in some pipelines.
inline std::size_t passes_of(stagecut::view<const stagecut::io::pipeline_picture> pictures) {
  std::size_t passes = 0;
  for (const auto& picture : pictures) {
    for (const auto& rank : picture.run.ops) passes += rank.size();
  }
  return passes;
}

/// The approximate size of their trace in bytes.
inline double trace_bytes(stagecut::view<const stagecut::io::pipeline_picture> pictures) {
  std::size_t ops = 0;
  std::size_t others = 0;  // arrow ends and memory points
  for (const auto& picture : pictures) {
    const bool arrows = picture.order.ranks() > 1;
    for (const auto* list : {&picture.run.ops, &picture.run.transfers, &picture.run.updates}) {
      for (const auto& rank : *list) ops += rank.size();
    }
    for (const auto& rank : picture.run.ops) others += arrows ? 2 * rank.size() : 0;
    for (const auto& rank : picture.memory) others += rank.curve.size();
  }
  return 117.0 * static_cast<double>(ops) + 90.0 * static_cast<double>(others);
}

/// Writes the trace of some pipelines piece by piece, and announces a large one.
inline void write_trace(stagecut::view<const stagecut::io::pipeline_picture> pictures, const std::string& path) {
  constexpr std::size_t many = 200000;
  if (const std::size_t passes = passes_of(pictures); passes > many) {
    say(fmt::format("a trace of {} passes takes about {}", passes, bytes_text(trace_bytes(pictures))));
  }
  write_parts([&](const auto& put) { stagecut::io::write_chrome_trace(pictures, put); }, path);
}
