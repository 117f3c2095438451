// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stdexcept>
#include <string>

#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI::search {

/// A call of CUDA's that failed.
class device_error : public std::runtime_error {
 public:
  /// @param call  the function
  /// @param code  the name of what it returned
  /// @param text  what CUDA says of it
  device_error(const char* call, const char* code, const char* text)
      : std::runtime_error(stagecut::detail::joined({"stagecut::search: ", call, ": ", code, ": ", text})),
        code_(code) {}

  /// The name of what the call returned: `cudaErrorMemoryAllocation`, say.
  [[nodiscard]] const std::string& code() const noexcept { return code_; }

 private:
  std::string code_;
};

}  // namespace stagecut::inline STAGECUT_ABI::search
