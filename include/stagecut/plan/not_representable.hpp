// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// A plan that the requested format cannot express, or that its framework would run as another plan; or a model or a
/// schedule for which it can express no plan. Another format may do.
///
/// `what()` reads `FORMAT cannot express this plan: WHY`, or `… this model: …`, `… this schedule: …`.
class not_representable : public std::invalid_argument, public error {
 public:
  /// @param format  its name in `targets` or `io::formats`
  /// @param why     what it cannot express, with the layer or the stage
  /// @param what    a plan, or what else was to be written
  not_representable(std::string_view format, std::string_view why, std::string_view what = "plan")
      : std::invalid_argument(visible(detail::joined({format, " cannot express this ", what, ": ", why}))),
        format_(format) {}

  /// As `std::invalid_argument`.
  [[nodiscard]] const char* what() const noexcept override { return std::invalid_argument::what(); }

  /// The name of the format.
  [[nodiscard]] const std::string& format() const noexcept { return format_; }

 private:
  std::string format_;
};

}  // namespace stagecut::inline STAGECUT_ABI
