// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/mindspore_log.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/text.hpp>
#include <stagecut/io/read_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

inline constexpr std::string_view mindspore_peak = "Used peak memory usage (without fragments):";

/// The bytes after a label, possibly after a prefix of the logger; none if the line has no such label.
/// @throws invalid_input with the position if no number of M follows
inline std::optional<double> mindspore_bytes(std::string_view line, std::string_view label, const std::string& place) {
  const std::size_t found = line.find(label);
  if (found == std::string_view::npos) return std::nullopt;
  const std::string_view text = trimmed(line.substr(found + label.size()));
  const std::string_view name = label.substr(0, label.size() - 1);
  if (!text.ends_with('M')) fail(invalid_input(place, joined({name, ": ", in_quotes(text), " is no number of M"})));
  const double bytes = amount(text.substr(0, text.size() - 1), name, place) * 1048576;
  if (!is_finite(bytes)) fail(invalid_input(place, joined({name, ": ", in_quotes(text), " is out of range"})));
  return bytes;
}

/// Takes the larger of two numbers.
inline void take_larger(std::optional<double>& most, const std::optional<double>& other) {
  if (other && (!most || *other > *most)) most = other;
}

}  // namespace detail

STAGECUT_DECL mindspore_memory read_mindspore_log(std::string_view text, std::string_view source,
                                                  const read_limits& limits) {
  detail::check_size(text, source, limits);
  mindspore_memory made;
  bool any = false;
  for (detail::line_reader lines(text, source); lines.next();) {
    const std::string_view line = lines.line();
    if (line.find("Out of Memory!!!") != std::string_view::npos) {
      detail::fail(invalid_input(lines.place(), "the run ended out of memory: its peak is not the peak of the model"));
    }
    if (line.find("memory") == std::string_view::npos) continue;
    const std::string place = lines.place();
    if (const auto bytes = detail::mindspore_bytes(line, detail::mindspore_peak, place);
        bytes && (!any || *bytes > made.peak)) {
      made.peak = *bytes;
      made.line = lines.number();
      any = true;
    }
    detail::take_larger(made.with_fragments,
                        detail::mindspore_bytes(line, "Actual peak memory usage (with fragments):", place));
    detail::take_larger(made.usable, detail::mindspore_bytes(line, "MindSpore Used memory size:", place));
    for (const char* const label : {"Device MOC memory size:", "Device HBM memory size:"}) {
      detail::take_larger(made.device, detail::mindspore_bytes(line, label, place));
    }
  }
  if (!any) {
    detail::fail(invalid_input(source, detail::joined({"has no line \"", detail::mindspore_peak,
                                                       " ...M\": MindSpore writes one with MS_MEMORY_STATISTIC=1"})));
  }
  if (!(made.peak > 0)) {
    detail::fail(invalid_input(detail::joined({source, ":", made.line}), "the peak is 0: nothing was run"));
  }
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::io
