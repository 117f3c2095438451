// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Machines with the same number of devices, and bandwidths in bytes per second.
struct equal_machines {
  std::size_t count = 1;    ///< machines
  std::size_t devices = 1;  ///< per machine
  double inside = 25e9;     ///< between devices of a machine
  double across = 1e9;      ///< between two machines
  double collective = 3e9;  ///< when all devices of several machines take part
};

/// Which free devices a stage takes.
enum class placement : std::uint8_t {
  fresh,   ///< of unused machines, one after the other
  append,  ///< of partly used machines, the fullest first, then of unused ones
  scatter  ///< one of every machine with a free device, in rounds
};

}  // namespace stagecut::inline STAGECUT_ABI
