// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/io/frameworks/mindspore_trace.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/io/detail/json_parse.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/mindspore_events.hpp>
#include <stagecut/io/frameworks/sapp_init.hpp>
#include <stagecut/io/read_limits.hpp>

namespace stagecut::inline STAGECUT_ABI::io {

namespace detail {

/// Shared data of the events of a trace.
struct mindspore_trace {
  const json* scopes = nullptr;  ///< the process of scopes; null: unspecified, then 3
  trace_scopes forward{};        ///< spans of forward passes
  std::vector<double> starts{};  ///< of steps

  [[nodiscard]] bool of_scopes(const json_value& event) const;
};

inline bool mindspore_trace::of_scopes(const json_value& event) const {
  const auto process = event.find("pid");
  return process && (scopes != nullptr ? **process == *scopes : **process == json(3));
}

/// The name of an event; empty if it has none.
inline std::string_view name_of_event(const json_value& event) {
  const auto name = event.object().find("name");
  return name && (**name).is_string() ? std::string_view(name->text()) : std::string_view();
}

/// The process of scopes, from an event of that name or from the metadata of processes.
inline const json* find_scopes(const json_value& events) {
  for (const json_value& event : events.elements()) {
    std::string_view name = name_of_event(event);
    const auto arguments = event.find("args");
    if (name == "process_name" && arguments && (**arguments).is_object()) name = name_of_event(*arguments);
    if (name == "Scope Layer" && event.find("pid")) return &*event.at("pid");
  }
  return nullptr;
}

/// Finds forward passes, `Default` at the outermost level of scopes, and steps, by the first matrix product of each.
[[nodiscard]] inline mindspore_trace find_steps(const json_value& events) {
  mindspore_trace made;
  made.scopes = find_scopes(events);
  std::string_view product;
  for (const json_value& event : events.elements()) {
    const std::string_view name = name_of_event(event);
    if (product.empty() && name.find("MatMul-op") != std::string_view::npos) product = name;
    if (!product.empty() && name == product) made.starts.push_back(trace_number(event.at("ts")));
    if (name != "Default" || !made.of_scopes(event)) continue;
    const auto level = event.find("tid");
    if (level && (**level == json(0) || **level == json("0"))) made.forward.add(span_of(event));
  }
  if (made.starts.empty()) events.fail("has no event \"...MatMul-op...\", which marks the steps");
  if (made.forward.empty()) events.fail("has no event \"Default\" of a forward pass among its scopes");
  made.forward.sort();
  return made;
}

/// Times of cells by their parts of the model.
class cell_times {
 public:
  explicit cell_times(const sapp_traces& cells) : cells_(cells) {}

  void add(std::string_view name, double microseconds) {
    if (!cell_of(name, cells_.head_layers).empty()) {
      head_ = head_.value_or(0) + microseconds;
    } else if (!cell_of(name, cells_.tail_layers).empty()) {
      tail_ = tail_.value_or(0) + microseconds;
    } else if (const std::string_view cell = cell_of(name, cells_.body_layers); !cell.empty()) {
      body_[std::string(cell)] += microseconds;
    }
  }

  /// Seconds per microbatch.
  [[nodiscard]] mindspore_times made(std::size_t steps) const {
    const double runs = static_cast<double>(steps) * static_cast<double>(cells_.microbatches);
    const auto each = [&](double microseconds) { return microseconds / runs / 1e6; };
    mindspore_times result{.layers = body_.size(), .steps = steps};
    if (head_) result.head = each(*head_);
    if (tail_) result.tail = each(*tail_);
    double sum = 0;
    for (const auto& [cell, microseconds] : body_) sum += microseconds;
    if (!body_.empty()) result.body = each(sum) / static_cast<double>(body_.size());
    return result;
  }

  [[nodiscard]] bool sound() const {
    double sum = head_.value_or(0) + tail_.value_or(0);
    for (const auto& [cell, microseconds] : body_) sum += microseconds;
    return is_finite(sum);
  }

  [[nodiscard]] bool empty() const noexcept { return !head_ && !tail_ && body_.empty(); }

 private:
  const sapp_traces& cells_;
  std::optional<double> head_{};
  std::optional<double> tail_{};
  std::map<std::string, double> body_{};  // of every layer
};

}  // namespace detail

STAGECUT_DECL mindspore_times read_mindspore_trace(std::string_view text, std::string_view source,
                                                   const sapp_traces& cells, const read_limits& limits) {
  if (cells.microbatches == 0) {
    detail::fail(argument_error("io::read_mindspore_trace", "cells.microbatches", "0", "must be at least 1"));
  }
  const auto parsed = detail::parse_json(text, source, limits);
  const detail::json_value whole(parsed, source, limits);
  const detail::json_value events = parsed.is_object() ? whole.at("traceEvents") : whole;
  const detail::mindspore_trace trace = detail::find_steps(events);
  const detail::trace_steps steps = detail::counted_steps(trace.starts);
  detail::cell_times times(cells);
  for (const detail::json_value& event : events.elements()) {
    const std::string_view name = detail::name_of_event(event);
    if (name.empty() || name == "Default" || !trace.of_scopes(event) || !event.find("dur")) continue;
    const detail::trace_span span = detail::span_of(event);
    const bool counts = span.first >= steps.counted.first && span.last <= steps.counted.last;
    if (counts && trace.forward.hold(span)) times.add(name, span.last - span.first);
  }
  if (times.empty()) events.fail("has none of the cells in a forward pass of a step that counts");
  if (!times.sound()) events.fail("has times that are out of range together");
  return times.made(steps.number);
}

}  // namespace stagecut::inline STAGECUT_ABI::io
