// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/core/function_ref.hpp>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// That an operator hands something to another one.
struct communication_edge {
  std::size_t from = 0;  ///< the operator that hands over, from 0
  std::size_t to = 0;    ///< the operator that takes it
  double weight = 1;     ///< what that costs where they stand on different devices: bytes, seconds, 1 each

  /// Equal in every part.
  friend bool operator==(const communication_edge&, const communication_edge&) = default;
};

/// Operators that are placed on devices so that little is handed from one to another. All weights are finite and not
/// negative, in any unit.
struct communication_problem {
  std::vector<double> variables{};          ///< of every operator, what its variables weigh: bytes, or how many
  std::vector<double> operations{};         ///< of every operator, what its work weighs; empty: 1 each
  std::vector<communication_edge> edges{};  ///< in any order; several between the same two add up
  /// Of every operator, its group, which one device holds; `graph_operator::none`: of no group. Empty: no groups.
  std::vector<std::size_t> group{};
  /// Of every operator, the device on which it has to stand; `graph_operator::none`: any. Empty: none has to.
  std::vector<std::size_t> device{};
};

/// How far a search for the least communication is.
struct communication_progress {
  double seconds = 0;        ///< since it began
  double communication = 0;  ///< of the best placement so far; 0: there is none yet
  double bound = 0;          ///< no placement has less
  std::size_t rounds = 0;    ///< placements that were made better
  std::size_t nodes = 0;     ///< partial placements that the exact search looked at
};

/// How long to look for a placement, and whom to tell. What is not said stays at its default.
struct communication_limits {
  std::optional<double> time_limit = 10.0;   ///< seconds; unset: no limit
  std::optional<std::size_t> round_limit{};  ///< placements to make better; unset: by the size of the graph, 60 at most
  std::optional<std::size_t> node_limit = 2000000;  ///< partial placements, 0: no exact search; unset: no limit
  std::uint64_t seed = 1;                           ///< of what chance chooses
  function_ref<bool()> stop{};                      ///< asked often; true ends the search with the best so far
  function_ref<void(const communication_progress&)> progress{};  ///< told now and then
};

/// On what operators are placed: see `minimize_communication`. What is not said stays at its default.
struct communication_request {
  std::size_t devices = 1;          ///< k, all alike
  double variable_imbalance = 1.3;  ///< no device holds more of the variables than this times a k-th of all; at least 1
  double operation_imbalance = 1.3;  ///< likewise, of the operations
  bool contiguous = true;  ///< whether edges lead to the same or a later device, so that devices can be a pipeline
  bool at_most = false;    ///< whether devices may stay empty
  communication_limits limits{};  ///< of the search
};

/// The best placement found, with its proof.
struct communication_partition {
  std::vector<std::size_t> device_of{};  ///< of every operator, from 0
  double communication = 0;              ///< the sum of the weights of all edges between devices
  double bound = 0;                      ///< no placement has less; equal to `communication` if proved optimal
  std::size_t elements = 0;              ///< that no placement can part
  std::size_t rounds = 0;                ///< placements that were made better
  std::size_t nodes = 0;                 ///< partial placements that the exact search looked at

  /// How far the communication may be from the least, as a fraction of the bound.
  [[nodiscard]] double gap() const noexcept {
    return bound > 0 ? (communication - bound) / bound : communication > 0 ? 1 : 0;
  }
};

/// What a device holds of a model, and what it hands over.
struct placed_device {
  std::size_t operators = 0;  ///< how many
  double variables = 0;       ///< bytes
  double communication = 0;   ///< what it takes and hands over, seconds or bytes

  /// Equal in every part.
  friend bool operator==(const placed_device&, const placed_device&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
