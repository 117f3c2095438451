// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include <stagecut/core/function_ref.hpp>

namespace stagecut::inline STAGECUT_ABI::io::detail {

/// A time in a trace, in integral nanoseconds.
struct trace_time {
  double nanoseconds;
};

/// Collects text and forwards it in large parts.
class part_writer {
 public:
  explicit part_writer(function_ref<void(std::string_view)> write) : write_(write) {}

  /// Texts, integers, numbers with the fewest digits that read back exactly, and times in microseconds.
  template <class... Parts>
  void put(const Parts&... parts) {
    (put_one(parts), ...);
  }

  /// Forwards the rest.
  void finish() {
    if (used_ != 0) write_(std::string_view(buffer_.data(), used_));
    used_ = 0;
  }

 private:
  template <class Part>
  void put_one(const Part& part) {
    if constexpr (std::is_convertible_v<const Part&, std::string_view>) {
      put_text(part);
    } else if constexpr (std::is_same_v<Part, trace_time>) {
      // Fixed-point while short; from 1e15 on a double cannot represent nanoseconds.
      const double microseconds = part.nanoseconds / 1000;
      if (microseconds < 1e15) return put_digits(microseconds, std::chars_format::fixed);
      put_digits(microseconds);
    } else {
      put_digits(part);
    }
  }

  void put_text(std::string_view text) {
    if (text.size() > buffer_.size() - used_) finish();
    if (text.size() > buffer_.size()) return write_(text);
    text.copy(buffer_.data() + used_, text.size());
    used_ += text.size();
  }

  template <class Number, class... Format>
  void put_digits(Number number, Format... format) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number, format...);
    put_text({digits.data(), static_cast<std::size_t>(end.ptr - digits.data())});
  }

  function_ref<void(std::string_view)> write_;
  std::array<char, 16384> buffer_{};
  std::size_t used_ = 0;
};

}  // namespace stagecut::inline STAGECUT_ABI::io::detail
