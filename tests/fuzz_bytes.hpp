// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <source_location>
#include <type_traits>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

/// Ends the program at what must not be, and tells where.
inline void require(bool holds, std::source_location where = std::source_location::current()) {
  if (holds) return;
  std::fprintf(stderr, "%s:%u does not hold\n", where.file_name(), static_cast<unsigned>(where.line()));
  std::abort();
}

/// What a fuzzer says, byte by byte; zeros behind the end of it.
class fuzz_bytes {
 public:
  fuzz_bytes(const std::uint8_t* data, std::size_t size) : data_(data), end_(data + size) {}

  std::uint8_t byte() { return data_ == end_ ? std::uint8_t{0} : *data_++; }
  std::size_t below(std::size_t bound) { return byte() % bound; }
  bool one_in(std::size_t count) { return below(count) == 1 % count; }

  /// A number like any other, or one at which arithmetic ends.
  template <class T>
  T number() {
    using limits = std::numeric_limits<T>;
    switch (below(12)) {
      case 0: return T{};
      case 1: return limits::max();
      case 2: return limits::lowest();
      case 3: return static_cast<T>(T{} - T{1});
      case 4: return limits::has_infinity ? limits::infinity() : static_cast<T>(limits::max() / 2);
      case 5: return limits::has_infinity ? -limits::infinity() : static_cast<T>(limits::lowest() / 2);
      case 6: return limits::has_quiet_NaN ? limits::quiet_NaN() : T{1};
      case 7: return limits::denorm_min();
      case 8: return any<T>();
      default: return static_cast<T>(below(16));
    }
  }

 private:
  template <class T>
  T any() {
    std::uint8_t bytes[sizeof(T)];
    for (std::uint8_t& each : bytes) each = byte();
    T result;
    std::memcpy(&result, bytes, sizeof result);
    return result;
  }

  const std::uint8_t* data_;
  const std::uint8_t* end_;
};
