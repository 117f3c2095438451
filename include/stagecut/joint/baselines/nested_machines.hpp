// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/solution.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The machines of one level: devices in a server, servers in a rack.
struct machine_level {
  std::size_t count = 1;  ///< per machine of the level above; for the last level, in all
  double bandwidth = 0;   ///< bytes per second between them; 0: infinite

  /// Equal in every part.
  friend bool operator==(const machine_level&, const machine_level&) = default;
};

/// Nested machines, and the rules for spreading a model over them.
struct nested_machines {
  std::vector<machine_level> levels{};  ///< innermost first
  bool at_most = false;                 ///< whether fewer machines of a level may be used
  bool straight = false;                ///< whether each stage has one machine of its level and no replicas
  bool messages = true;                 ///< whether tensors that cross a cut take time; concurrently with computing
  double compression = 1;               ///< the divisor of the bytes of messages
  /// Bytes of a device. A stage keeps its activations and parameters once for itself and once more for each machine
  /// after it (of its level, inside one machine of the next level), divided by its replicas and rounded up, as replicas
  /// take turns. A machine of several devices has the bytes of all of them. Unset: no limit.
  std::optional<double> memory_limit{};
  /// Whether costs are those of the published planner, which differ in five points: the gradient exchange of the first
  /// stage of a level takes a time divided by the machines of the level below; this stage sends no message, and the
  /// last one sends some inside a level that the level above counts again; what is kept is not counted for the stage
  /// itself; a machine of several devices has the memory of one; and inside a level a first stage may end at any point
  /// with a greater number, even if that does not contain its start.
  bool as_published = false;

  /// Equal in every part.
  friend bool operator==(const nested_machines&, const nested_machines&) = default;
};

/// A stage and its replicas.
struct nested_stage {
  std::size_t first = 0;                ///< the point where it begins
  std::size_t last = 0;                 ///< the point where it ends
  std::vector<std::size_t> replicas{};  ///< on each level, innermost first
  std::vector<std::size_t> parts{};     ///< for each level the number of the stage of that level that contains this one

  /// Number of devices.
  [[nodiscard]] std::size_t devices() const noexcept;

  /// Equal in every part.
  friend bool operator==(const nested_stage&, const nested_stage&) = default;
};

/// A model spread over nested machines.
///
/// `value` is the bottleneck: seconds per minibatch of the slowest stage, with replicas taking turns.
struct nested_cut : solution<double> {
  std::vector<nested_stage> stages{};  ///< from the input to the output

  /// Number of devices.
  [[nodiscard]] std::size_t devices() const noexcept;

  /// The same stages, value and bound.
  friend bool operator==(const nested_cut& a, const nested_cut& b) noexcept {
    return a.value == b.value && a.bound == b.bound && a.stages == b.stages;
  }
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/nested_machines.ipp>
#endif
