// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/io/detail/json_value.hpp>
#include <stagecut/io/detail/text.hpp>

// Scopes and steps in a trace of MindSpore's profiler.
namespace stagecut::inline STAGECUT_ABI::io::detail {

/// The start and end of an execution, in microseconds.
struct trace_span {
  double first = 0;
  double last = 0;
};

/// A number, possibly written as text.
inline double trace_number(const json_value& value);

/// The time span of an event.
inline trace_span span_of(const json_value& event);

/// A set of spans with queries for containment.
class trace_scopes {
 public:
  void add(trace_span each) { spans_.push_back(each); }
  [[nodiscard]] bool empty() const noexcept { return spans_.empty(); }

  /// Prepares for queries. O(n log n).
  void sort();

  /// Whether one of them contains it. O(log n).
  [[nodiscard]] bool hold(const trace_span& each) const;

 private:
  std::vector<trace_span> spans_{};  // sorted by start; each with the latest end so far
};

/// The evaluated steps of a trace.
struct trace_steps {
  trace_span counted{};
  std::size_t number = 1;
};

/// The steps that begin at these times, without the first two, which are slower, if there are enough. A single step
/// counts fully.
/// @pre `!starts.empty()`
[[nodiscard]] inline trace_steps counted_steps(std::vector<double> starts);

/// The cell of a list to which an event belongs, with its number if one precedes the name: `46-LLamaDecodeLayer`. Empty:
/// none.
[[nodiscard]] inline std::string_view cell_of(std::string_view event, const std::vector<std::string>& cells);

inline double trace_number(const json_value& value) {
  double number = 0;
  if ((*value).is_string()) {
    const std::string& text = value.text();
    if (!is_number(text)) value.fail(value.shown(), " is not a number");
    (void)std::from_chars(text.data(), text.data() + text.size(), number);
  } else if ((*value).is_number()) {
    number = (*value).get<double>();
  } else {
    value.fail(value.shown(), " is not a number");
  }
  if (!is_finite(number)) value.fail(value.shown(), " is out of range");
  return number;
}

inline trace_span span_of(const json_value& event) {
  const json_value duration = event.at("dur");
  const double first = trace_number(event.at("ts"));
  const double microseconds = trace_number(duration);
  if (is_negative(microseconds)) duration.fail(duration.shown(), " is negative");
  if (!is_finite(first + microseconds)) duration.fail(duration.shown(), " is out of range");
  return {first, first + microseconds};
}

inline void trace_scopes::sort() {
  std::sort(spans_.begin(), spans_.end(), [](const trace_span& a, const trace_span& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < spans_.size(); ++i) spans_[i].last = std::max(spans_[i].last, spans_[i - 1].last);
}

inline bool trace_scopes::hold(const trace_span& each) const {
  const auto behind = std::upper_bound(spans_.begin(), spans_.end(), each.first,
                                       [](double first, const trace_span& span) { return first < span.first; });
  return behind != spans_.begin() && each.last <= (behind - 1)->last;
}

inline trace_steps counted_steps(std::vector<double> starts) {
  std::sort(starts.begin(), starts.end());
  const std::size_t n = starts.size();
  if (n == 1) return {{std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()}, 1};
  const std::size_t first = std::min<std::size_t>(n - 2, 2);
  return {{starts[first], starts[n - 1]}, n - 1 - first};
}

inline std::string_view cell_of(std::string_view event, const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) {
    const std::size_t found = cell.empty() ? std::string_view::npos : event.find(cell);
    if (found == std::string_view::npos) continue;
    std::size_t first = found;
    if (first > 0 && event[first - 1] == '-') {
      --first;
      while (first > 0 && event[first - 1] >= '0' && event[first - 1] <= '9') --first;
    }
    return event.substr(first, found - first + cell.size());
  }
  return {};
}

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
