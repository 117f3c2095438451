// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/function_ref.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// When a search has to end: at its time limit, or when its caller stops it. The base of every clock of a search.
class deadline {
 public:
  /// @param time_limit  seconds; unset: none
  /// @param stop        true ends the search; empty: nobody does
  /// @param begin       since when time is limited
  explicit deadline(const std::optional<double>& time_limit, const function_ref<bool()>& stop = {},
                    double begin = seconds_now())
      : time_limit_(time_limit), stop_(stop), begin_(begin) {}

  /// Whether it is reached, which it then stays. Reads the time once.
  [[nodiscard]] bool over() {
    if (over_) return true;
    now_ = seconds_now() - begin_;
    if (stop_ && stop_()) over_ = true;
    if (time_limit_ && now_ >= *time_limit_) over_ = true;
    return over_;
  }

  /// The result of the last `over()`.
  [[nodiscard]] bool was_over() const noexcept { return over_; }

  /// Seconds from the beginning to the last time that was read.
  [[nodiscard]] double seconds() const noexcept { return now_; }

  /// Whether over a tenth of a second lies between the last report of progress and the last time that was read.
  [[nodiscard]] bool is_time_to_report() const noexcept { return now_ - reported_ > 0.1; }
  /// Marks a report of progress now. Returns the seconds since the beginning.
  double report() { return reported_ = now_ = seconds_now() - begin_; }

 private:
  std::optional<double> time_limit_;
  function_ref<bool()> stop_;
  double begin_;
  double now_ = 0;  // since the beginning, as is the next
  double reported_ = 0;
  bool over_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
