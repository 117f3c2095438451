// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>

#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/function_ref.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// When a search has to end: after so many seconds, or when it is stopped. What every clock of a search stands on.
class deadline {
 public:
  /// @param time_limit  seconds; unset: none
  /// @param stop        true ends the search; empty: nobody does
  /// @param begin       since when time is limited
  explicit deadline(const std::optional<double>& time_limit, const function_ref<bool()>& stop = {},
                    double begin = seconds_now())
      : time_limit_(time_limit), stop_(stop), begin_(begin) {}

  /// Since the search began.
  [[nodiscard]] double seconds() const { return seconds_now() - begin_; }

  /// Whether it is reached, which it then stays. Reads the time.
  [[nodiscard]] bool over() {
    if (over_) return true;
    if (stop_ && stop_()) over_ = true;
    if (time_limit_ && seconds() >= *time_limit_) over_ = true;
    return over_;
  }

  /// Whether it was when it was asked last.
  [[nodiscard]] bool was_over() const noexcept { return over_; }

  /// Whether progress was last reported over a tenth of a second ago.
  [[nodiscard]] bool is_time_to_report() const { return seconds() - reported_ > 0.1; }
  /// Progress is reported now. Returns the seconds since the search began.
  double report() { return reported_ = seconds(); }

 private:
  std::optional<double> time_limit_;
  function_ref<bool()> stop_;
  double begin_;
  double reported_ = 0;
  bool over_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
