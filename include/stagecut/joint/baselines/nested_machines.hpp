// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Machines of one level: devices in a server, servers in a rack.
struct machine_level {
  std::size_t count = 1;  ///< in each machine of the level above; of the last level, in all
  double bandwidth = 0;   ///< bytes per second between them; 0: infinite

  /// Equal in every part.
  friend bool operator==(const machine_level&, const machine_level&) = default;
};

/// Machines in machines, and by which rules a model is spread over them.
struct nested_machines {
  std::vector<machine_level> levels{};  ///< innermost first
  bool at_most = false;                 ///< whether fewer machines of a level will do
  bool straight = false;                ///< whether each stage has one machine of its level and no replicas
  bool messages = true;                 ///< whether what crosses a cut takes time; beside computing, not after it
  double compression = 1;               ///< by which the bytes of messages are divided
  /// Bytes of a device. A stage keeps its activations and parameters once for itself and once more for each machine behind
  /// it, divided by its replicas and rounded up, as replicas take turns; machines of its level, inside one of the next level.
  /// A machine of several devices has the bytes of them all. Unset: any.
  std::optional<double> memory{};
  /// Whether costs are those of the published planner, which differ in five things: the exchange of gradients of the first
  /// stage of a level takes a time that is divided by the machines of the level below; this stage sends no message, and the
  /// last one sends some inside a level that the level above counts as well; what is kept is not counted for the stage itself;
  /// a machine of several devices has the memory of one; and inside a level a first stage may end at any point with a
  /// greater number, even if that does not hold all at which it begins.
  bool as_published = false;

  /// Equal in every part.
  friend bool operator==(const nested_machines&, const nested_machines&) = default;
};

/// A stage and its replicas.
struct nested_stage {
  std::size_t first = 0;                ///< the point where it begins
  std::size_t last = 0;                 ///< the point where it ends
  std::vector<std::size_t> replicas{};  ///< on each level, innermost first
  std::vector<std::size_t> parts{};     ///< on each level the number of the stage of that level of which it is a part

  /// All devices that it takes.
  [[nodiscard]] std::size_t devices() const noexcept;

  /// Equal in every part.
  friend bool operator==(const nested_stage&, const nested_stage&) = default;
};

/// A model spread over nested machines.
struct nested_cut {
  std::vector<nested_stage> stages{};  ///< from the input to the output
  double bottleneck = 0;  ///< seconds that the slowest of them takes for a minibatch, replicas taking turns

  /// All devices that it takes.
  [[nodiscard]] std::size_t devices() const noexcept;

  /// Equal in every part.
  friend bool operator==(const nested_cut&, const nested_cut&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/nested_machines.ipp>
#endif
