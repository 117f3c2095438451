// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/io/detail/json_value.hpp>

// What a trace of MindSpore's profiler says of scopes and steps.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// From when to when something ran, in microseconds.
struct trace_span {
  double first = 0;
  double last = 0;
};

/// A number, which may stand as a text.
STAGECUT_DECL double trace_number(const json_value& value);

/// When an event ran.
STAGECUT_DECL trace_span span_of(const json_value& event);

/// Spans, of which it is asked whether one of them holds another one.
class trace_scopes {
 public:
  void add(trace_span each) { spans_.push_back(each); }
  [[nodiscard]] bool empty() const noexcept { return spans_.empty(); }

  /// Makes it ready to be asked. O(n log n).
  void sort();

  /// Whether one holds it. O(log n).
  [[nodiscard]] bool hold(const trace_span& each) const;

 private:
  std::vector<trace_span> spans_{};  // sorted: by the beginning, each with the latest end up to it
};

/// The steps of a trace that count.
struct trace_steps {
  trace_span counted{};
  std::size_t number = 1;
};

/// The steps that begin at these times, without the first two if there are enough: they are slower. Of one step all counts.
/// @pre `!starts.empty()`
[[nodiscard]] STAGECUT_DECL trace_steps counted_steps(std::vector<double> starts);

/// The cell of a list that an event is of: with its number, if one stands before its name: `46-LLamaDecodeLayer`. Empty: of none.
[[nodiscard]] STAGECUT_DECL std::string_view cell_of(std::string_view event, const std::vector<std::string>& cells);

}  // namespace stagecut::inline STAGECUT_ABI::io::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/io/detail/mindspore_events.ipp>
#endif
