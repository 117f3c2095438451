// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <stagecut/core/search_options.hpp>
#include <stagecut/core/solution.hpp>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// An edge: one operator sends data to another.
struct communication_edge {
  std::size_t from = 0;  ///< the sending operator, from 0
  std::size_t to = 0;    ///< the receiving operator
  double weight = 1;     ///< cost if the two are on different devices: bytes, seconds, 1 each

  /// Member-wise equality.
  friend bool operator==(const communication_edge&, const communication_edge&) = default;
};

/// Operators to place on devices so that little is sent between devices. All weights are finite and not negative, in
/// any unit.
struct communication_problem {
  std::vector<double> variables{};          ///< weight of each operator's variables: bytes, or a count
  std::vector<double> operations{};         ///< weight of each operator's work; empty: 1 each
  std::vector<communication_edge> edges{};  ///< in any order; parallel edges add up
  /// Group of each operator, which one device holds; `graph_operator::none`: no group. Empty: no groups.
  std::vector<std::size_t> group{};
  /// Device to which each operator is fixed; `graph_operator::none`: any. Empty: none is fixed.
  std::vector<std::size_t> device{};
};

/// The devices on which operators are placed: see `minimize_communication`. Unset fields keep their defaults.
struct communication_request {
  std::size_t devices = 1;           ///< k, identical
  /// A device holds at most 1 + `variable_imbalance` times a k-th of all variables: 0.3 is an excess of 30 %.
  double variable_imbalance = 0.3;
  double operation_imbalance = 0.3;  ///< the same for the operations
  bool contiguous = true;  ///< whether edges lead to the same or a later device, so that devices can form a pipeline
  bool at_most = false;    ///< whether devices may stay empty
  std::optional<std::size_t> rounds{};  ///< placements to improve; unset: by the size of the graph, at most 60
  search_options search{.time_limit = 10, .node_limit = 2000000};  ///< of the search
};

/// The best placement found, with its bound.
struct communication_partition : solution<double> {
  std::vector<std::size_t> assignment{};  ///< device of each operator, from 0
  std::size_t elements = 0;               ///< number of indivisible elements
};

/// What a device holds of a model, and what it sends and receives.
struct placed_device {
  std::size_t operators = 0;  ///< number of operators
  double variables = 0;       ///< bytes
  double communication = 0;   ///< received and sent, seconds or bytes

  /// Member-wise equality.
  friend bool operator==(const placed_device&, const placed_device&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
