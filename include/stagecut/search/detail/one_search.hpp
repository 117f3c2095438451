// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <atomic>

#include <stagecut/core/error.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// Ensures that a helper, which keeps state, serves one search at a time.
class one_search {
 public:
  one_search() = default;
  /// A copy serves its own search.
  /// @{
  one_search(const one_search&) noexcept {}
  one_search& operator=(const one_search&) noexcept { return *this; }
  ~one_search() = default;
  /// @}

  /// The time of one call of a helper.
  class turn {
   public:
    /// @throws argument_error if another call is active
    turn(one_search& of, const char* helper) : busy_(of.busy_) {
      if (busy_.exchange(true)) {
        stagecut::detail::fail(
            argument_error(helper, "helper", "asked by two searches at once", "must serve one at a time"));
      }
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    ~turn() { busy_.store(false); }

   private:
    std::atomic<bool>& busy_;
  };

 private:
  std::atomic<bool> busy_ = false;
};

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
