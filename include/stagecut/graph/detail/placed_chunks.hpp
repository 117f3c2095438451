// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <stagecut/graph/operator_costs.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Chunks of elements, with their devices.
struct placed_chunks {
  std::vector<std::uint32_t> chunk_of{};   // of each element; pairs lead to the same or a later chunk
  std::vector<std::uint32_t> device_of{};  // of each chunk
  std::vector<std::uint8_t> kinds{};       // of each device: 0 an accelerator, 1 a CPU
  operator_costs::ticks value = std::numeric_limits<operator_costs::ticks>::max();  // of the heaviest device
};

/// Constraints on devices.
struct device_rules {
  bool may_be_empty = false;     // accelerators
  bool keeps_in_flight = false;  // whether memory depends on the number of later chunks
};

/// Drops empty chunks, and merges consecutive chunks of a device.
inline void make_compact(placed_chunks& of) {
  std::vector<bool> used(of.device_of.size());
  for (const std::uint32_t chunk : of.chunk_of) used[chunk] = true;
  std::vector<std::uint32_t> number(used.size());
  std::vector<std::uint32_t> devices;
  for (std::size_t c = 0; c < used.size(); ++c) {
    if (!used[c]) continue;
    if (devices.empty() || devices.back() != of.device_of[c]) devices.push_back(of.device_of[c]);
    number[c] = static_cast<std::uint32_t>(devices.size() - 1);
  }
  for (std::uint32_t& chunk : of.chunk_of) chunk = number[chunk];
  of.device_of = std::move(devices);
}

/// Numbers devices by their first chunks, and drops those without any.
inline void number_by_use(placed_chunks& of) {
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(of.kinds.size(), none);
  std::vector<std::uint8_t> kinds;
  for (std::uint32_t& device : of.device_of) {
    if (number[device] == none) {
      number[device] = static_cast<std::uint32_t>(kinds.size());
      kinds.push_back(of.kinds[device]);
    }
    device = number[device];
  }
  of.kinds = std::move(kinds);
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
