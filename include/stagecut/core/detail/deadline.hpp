// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <optional>
#include <utility>

#include <stagecut/core/callback.hpp>
#include <stagecut/core/config.hpp>
#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/core/search_end.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// The end of a search: its time limit, or a stop by the caller. The base of every clock of a search.
class deadline {
 public:
  /// @param time_limit  seconds; unset: none
  /// @param stop        true ends the search; empty: never
  /// @param ended       raised to what ended the search; null: nothing is
  /// @param begin       the start of the time limit
  explicit deadline(const std::optional<double>& time_limit, callback<bool()> stop = {}, search_end* ended = nullptr,
                    double begin = seconds_now())
      : time_limit_(time_limit), stop_(std::move(stop)), begin_(begin), ended_(ended) {}

  /// Whether it is reached; permanent once true. Reads the time once.
  [[nodiscard]] bool over() {
    if (over_) return true;
    now_ = seconds_now() - begin_;
    if (stop_ && stop_()) end(search_end::stopped);
    if (time_limit_ && now_ >= *time_limit_) end(search_end::time_limit);
    return over_;
  }

  /// The result of the last `over()`.
  [[nodiscard]] bool was_over() const noexcept { return over_; }

  /// Seconds from the start to the last reading.
  [[nodiscard]] double seconds() const noexcept { return now_; }

  /// Whether more than a tenth of a second lies between the last report of progress and the last reading.
  [[nodiscard]] bool is_time_to_report() const noexcept { return now_ - reported_ > 0.1; }
  /// Records a report of progress now. Returns the seconds since the start.
  double report() { return reported_ = now_ = seconds_now() - begin_; }

 private:
  void end(search_end why) {
    over_ = true;
    record_end(ended_, why);
  }

  std::optional<double> time_limit_;
  callback<bool()> stop_;
  double begin_;
  double now_ = 0;  // since the start, as is the next
  double reported_ = 0;
  bool over_ = false;
  search_end* ended_ = nullptr;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
