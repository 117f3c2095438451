// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/detail/seconds_now.hpp>
#include <stagecut/makespan/makespan_request.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Whether prices and changes are no longer worked out: asked before each simulation of a long iteration.
class explain_clock {
 public:
  explicit explain_clock(const search_limits& limits) : limits_(limits), began_(seconds_now()) {}

  [[nodiscard]] bool over() {
    over_ = over_ || (limits_.stop && limits_.stop()) ||
            (limits_.time_limit && seconds_now() - began_ > *limits_.time_limit);
    return over_;
  }
  /// Whether it was when it was asked last.
  [[nodiscard]] bool was_over() const noexcept { return over_; }

 private:
  const search_limits& limits_;
  double began_;
  bool over_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
