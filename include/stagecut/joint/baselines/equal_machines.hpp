// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Machines of as many devices each, and how fast bytes move, in bytes a second.
struct equal_machines {
  std::size_t count = 1;    ///< machines
  std::size_t devices = 1;  ///< of each
  double inside = 25e9;     ///< between devices of a machine
  double across = 1e9;      ///< from a machine to another one
  double collective = 3e9;  ///< where all devices of several machines take part
};

/// Where the devices of a stage are taken, of those that are free.
enum class placement : std::uint8_t {
  fresh,   ///< machines of which none is taken, one after the other
  append,  ///< machines of which some are taken, the fullest first, then fresh ones
  scatter  ///< one of every machine that has any free, and again
};

}  // namespace stagecut::inline STAGECUT_ABI
