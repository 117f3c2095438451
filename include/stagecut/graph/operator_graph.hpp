// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// What one edge carries: finite figures that are not negative.
struct edge_tensor {
  double sent_seconds = 0;       ///< seconds to send it to another device, without latency
  double sent_back_seconds = 0;  ///< seconds to send its gradient; 0 if backward operators do
  double bytes = 0;              ///< its size

  /// Member-wise equality.
  friend bool operator==(const edge_tensor&, const edge_tensor&) = default;
};

/// An edge: one operator consumes the output of another, or a tensor of its own. Parallel edges that carry tensors are
/// that number of messages; all others between the same operators are one edge.
struct operator_edge {
  std::size_t from = 0;  ///< the producer, from 0
  std::size_t to = 0;    ///< the consumer
  /// Unset: the producer's output, which each stage receives once, however many consumers it has.
  std::optional<edge_tensor> tensor{};

  /// Member-wise equality.
  friend bool operator==(const operator_edge&, const operator_edge&) = default;
};

/// The costs of an operator, per microbatch where that matters: seconds, and bytes on one device; finite and not
/// negative.
struct graph_operator {
  /// No number.
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  double forward = 0;          ///< seconds on an accelerator
  double backward = 0;         ///< seconds of the backward pass on an accelerator
  double cpu = 0;              ///< seconds of both passes on a CPU
  double sent_seconds = 0;     ///< seconds to send its output to another device, without latency
  double sent_back_seconds = 0;  ///< seconds to send its output's gradient; 0 if backward operators do
  double resident = 0;         ///< bytes that stay for its parameters
  double activations = 0;      ///< bytes kept from the forward to the backward pass
  double workspace = 0;        ///< bytes needed only while it runs
  double output = 0;           ///< bytes of its output
  std::size_t group = none;    ///< operators of one group are on one stage; `none`: no group
  std::size_t stage = none;    ///< the stage to which it is fixed; `none`: any
  bool on_accelerator = true;  ///< whether it runs on an accelerator
  bool on_cpu = false;         ///< whether it runs on a CPU
  bool is_backward = false;    ///< whether it belongs to the backward pass, whose edges lead towards the model's input

  /// Member-wise equality.
  friend bool operator==(const graph_operator&, const graph_operator&) = default;
};

/// Parameters that several operators share: every stage with one of these operators holds a copy.
struct shared_parameters {
  double resident = 0;                   ///< bytes of a copy
  std::vector<std::size_t> operators{};  ///< that share it
};

/// A model as operators and edges, in the plainest form: the common input of all graph algorithms.
struct operator_graph {
  std::vector<graph_operator> operators{};  ///< in any order
  std::vector<operator_edge> edges{};       ///< in any order
  std::vector<shared_parameters> shared{};  ///< parameters stored once on every stage that needs them
  bool sends_back = false;                  ///< whether gradients go back along all edges, if only by latency
  double latency = 0;                       ///< seconds of every message, added to the time of its bytes
  std::vector<std::string> names{};         ///< of each operator, for errors; empty: numbers only
};

namespace detail {

/// An operator in an error: `operator 3 ("conv2")`.
[[nodiscard]] STAGECUT_DECL std::string operator_text(const operator_graph& graph, std::size_t v);

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/operator_graph.ipp>
#endif
