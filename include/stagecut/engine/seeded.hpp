// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

/// Random numbers from a seed, the same with every standard library.
class seeded {
 public:
  explicit seeded(std::uint64_t seed) : engine_(seed) {}
  /// Below `count`, from 1 to 2^32; the bias is less than 2^-32.
  std::size_t below(std::size_t count) { return static_cast<std::size_t>((engine_() >> 32U) * count >> 32U); }
  std::uint64_t any() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

}  // namespace stagecut::inline STAGECUT_ABI::engine
