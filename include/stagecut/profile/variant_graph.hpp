// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// One way to run a layer on a number of devices: as it is, or with recomputation. For one microbatch.
struct run_variant {
  std::string name{};      ///< unique for the layer and number of devices
  double time = 0;         ///< seconds of both passes
  double parameters = 0;   ///< bytes on each device that replicas exchange
  double activations = 0;  ///< bytes on each device per microbatch in flight
  double resident = 0;     ///< bytes on each device that stay allocated
  /// Additional bytes that devices exchange among themselves if an edge is cut, one number for each edge into the layer,
  /// in the order of `variant_graph::edges`; empty: none.
  std::vector<double> received_bytes{};
  std::vector<double> sent_bytes{};  ///< the same for each edge out of the layer

  /// Equal in every part.
  friend bool operator==(const run_variant&, const run_variant&) = default;
};

/// The variants of a layer at one tensor-parallel degree.
struct divided_layer {
  std::size_t tensor_parallel = 1;      ///< tensor-parallel degree
  std::vector<run_variant> variants{};  ///< one of them is chosen

  /// Equal in every part.
  friend bool operator==(const divided_layer&, const divided_layer&) = default;
};

/// A layer with all of its variants.
struct variant_layer {
  std::size_t id = 0;                    ///< id in files
  std::string name{};                    ///< for display; need not be unique
  std::vector<divided_layer> divided{};  ///< by number of devices, each number at most once

  /// Equal in every part.
  friend bool operator==(const variant_layer&, const variant_layer&) = default;
};

/// An edge between two layers, by their indices in `variant_graph::layers`.
struct variant_edge {
  std::size_t from = 0;  ///< the layer that sends
  std::size_t to = 0;    ///< the layer that receives
  double bytes = 0;      ///< of a microbatch, in one direction

  /// Equal in every part.
  friend bool operator==(const variant_edge&, const variant_edge&) = default;
};

/// The input of Piper: an acyclic graph of layers with variants, and the target machine.
struct variant_graph {
  std::vector<variant_layer> layers{};  ///< in any order
  std::vector<variant_edge> edges{};    ///< no pair of layers twice
  std::size_t devices = 1;              ///< of the machine
  std::optional<double> memory{};       ///< bytes of a device; unset: no limit
  double bandwidth = 1;                 ///< bytes per second that a device sends
  std::size_t microbatches = 1;         ///< of one iteration

  /// Equal in every part.
  friend bool operator==(const variant_graph&, const variant_graph&) = default;
};

/// A stage of a plan for such layers.
struct variant_stage {
  std::vector<std::size_t> layers{};    ///< their indices, ascending
  std::size_t replicas = 1;             ///< copies of the stage
  std::size_t tensor_parallel = 1;      ///< devices of each copy
  std::vector<std::size_t> variants{};  ///< the variant of each of its layers

  /// Equal in every part.
  friend bool operator==(const variant_stage&, const variant_stage&) = default;
};

}  // namespace stagecut::inline STAGECUT_ABI
