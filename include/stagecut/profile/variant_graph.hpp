// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// One way to run a layer on a number of devices: as it is, or computed again in the backward pass. Of one microbatch.
struct run_variant {
  std::string name{};      ///< no other of the same layer and devices has it
  double time = 0;         ///< seconds of both passes
  double parameters = 0;   ///< bytes that replicas exchange, on each device
  double activations = 0;  ///< bytes on each device, of each microbatch in flight
  double resident = 0;     ///< bytes on each device that stay
  /// Bytes more that devices exchange among themselves where an edge is cut, one of each edge into the layer, in the order
  /// of `variant_graph::edges`; empty: none.
  std::vector<double> received{};
  std::vector<double> sent{};  ///< likewise of each edge out of the layer

  /// Equal in every part.
  friend bool operator==(const run_variant&, const run_variant&) = default;
};

/// How a layer can be divided among a number of devices.
struct divided_layer {
  std::size_t ways = 1;                 ///< devices
  std::vector<run_variant> variants{};  ///< of which one is chosen

  /// Equal in every part.
  friend bool operator==(const divided_layer&, const divided_layer&) = default;
};

/// A layer with all ways to run it.
struct variant_layer {
  std::size_t id = 0;                    ///< what files call it
  std::string name{};                    ///< for people; need not be unique
  std::vector<divided_layer> divided{};  ///< by number of devices, no number twice

  /// Equal in every part.
  friend bool operator==(const variant_layer&, const variant_layer&) = default;
};

/// An edge between two layers, by their places in `variant_graph::layers`.
struct variant_edge {
  std::size_t from = 0;  ///< the layer that sends
  std::size_t to = 0;    ///< the layer that receives
  double bytes = 0;      ///< of a microbatch, in one direction

  /// Equal in every part.
  friend bool operator==(const variant_edge&, const variant_edge&) = default;
};

/// Layers of a graph without cycles, each of which runs in one of several ways, and the machine that they are for: what
/// Piper plans.
struct variant_graph {
  std::vector<variant_layer> layers{};  ///< in any order
  std::vector<variant_edge> edges{};    ///< no pair of layers twice
  std::size_t devices = 1;              ///< of the machine
  std::optional<double> memory{};       ///< bytes of a device; unset: no limit
  double bandwidth = 1;                 ///< bytes a second that a device sends
  std::size_t microbatches = 1;         ///< of one iteration

  /// Equal in every part.
  friend bool operator==(const variant_graph&, const variant_graph&) = default;
};

/// A stage of a plan for such layers.
struct variant_stage {
  std::vector<std::size_t> layers{};    ///< by their places, ascending
  std::size_t replicas = 1;             ///< copies of the stage
  std::size_t ways = 1;                 ///< devices of each copy
  std::vector<std::size_t> variants{};  ///< which one of each of its layers

  /// Equal in every part.
  friend bool operator==(const variant_stage&, const variant_stage&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
