// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/core/host_device.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Random numbers that depend only on three counters, or a seed: the same on every machine, in every order.
class random_bits {
 public:
  STAGECUT_HOST_DEVICE random_bits(std::uint64_t seed, std::uint64_t chain, std::uint64_t step)
      : state_(mixed(mixed(mixed(seed) ^ chain) ^ step)) {}
  STAGECUT_HOST_DEVICE explicit random_bits(std::uint64_t seed) : state_(seed) {}

  /// The next 64 bits (splitmix64: Steele, Lea and Flood, OOPSLA 2014).
  [[nodiscard]] STAGECUT_HOST_DEVICE std::uint64_t operator()() noexcept { return mixed(state_ += golden); }

  /// From 0 inclusive to 1 exclusive.
  [[nodiscard]] STAGECUT_HOST_DEVICE double fraction() noexcept {
    return static_cast<double>((*this)() >> 11U) * 0x1p-53;
  }

  /// A number below `end`, at most 2^32; as uniform as 32 bits allow.
  [[nodiscard]] STAGECUT_HOST_DEVICE std::size_t below(std::size_t end) noexcept {
    return static_cast<std::size_t>(((*this)() >> 32U) * end >> 32U);
  }
  /// The same by the remainder of a division.
  [[nodiscard]] STAGECUT_HOST_DEVICE std::size_t remainder(std::size_t end) noexcept {
    return static_cast<std::size_t>((*this)() % end);
  }

 private:
  static constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;

  [[nodiscard]] STAGECUT_HOST_DEVICE static constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }

  std::uint64_t state_;
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
