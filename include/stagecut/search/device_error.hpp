// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stdexcept>
#include <string>

#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// A failed CUDA call.
class device_error : public std::runtime_error {
 public:
  /// @param call  the function
  /// @param code  the name of its return value
  /// @param text  CUDA's message
  device_error(const char* call, const char* code, const char* text)
      : std::runtime_error(stagecut::detail::joined({"stagecut::search: ", call, ": ", code, ": ", text})),
        code_(code) {}

  /// The name of the call's return value, for example `cudaErrorMemoryAllocation`.
  [[nodiscard]] const std::string& code() const noexcept { return code_; }

 private:
  std::string code_;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
