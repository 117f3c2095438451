// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// That an operator takes what another one puts out.
struct operator_edge {
  std::size_t from = 0;  ///< the operator whose output it is, from 0
  std::size_t to = 0;    ///< the operator that takes it

  /// Equal at both ends.
  friend bool operator==(const operator_edge&, const operator_edge&) = default;
};

/// What an operator of a graph takes, for one microbatch where that matters: seconds, and bytes on one device; finite and
/// not negative.
struct graph_operator {
  /// No number.
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  double forward = 0;          ///< seconds on an accelerator
  double backward = 0;         ///< likewise, of the backward pass
  double cpu = 0;              ///< seconds of both passes on a CPU
  double sent = 0;             ///< seconds to hand its output to another device, without latency
  double sent_back = 0;        ///< likewise, the gradient of its output; 0 where that has operators of its own
  double resident = 0;         ///< bytes that stay for its parameters
  double activations = 0;      ///< bytes kept from the forward to the backward pass
  double workspace = 0;        ///< bytes needed only while it runs
  double output = 0;           ///< bytes that it hands over
  std::size_t group = none;    ///< operators of one group stand on one stage; `none`: of no group
  std::size_t stage = none;    ///< the one on which it has to stand; `none`: any
  bool on_accelerator = true;  ///< whether it runs on an accelerator
  bool on_cpu = false;         ///< whether it runs on a CPU
  bool is_backward = false;    ///< whether it is of the backward pass, where edges lead towards the input of the model

  /// Equal in every part.
  friend bool operator==(const graph_operator&, const graph_operator&) = default;
};

/// Parameters that several operators share: every stage that holds one of them holds a copy.
struct shared_parameters {
  double resident = 0;                   ///< bytes of a copy
  std::vector<std::size_t> operators{};  ///< that share it
};

/// A model as operators and what feeds what, in the plainest form: what all algorithms on graphs begin with.
struct operator_graph {
  std::vector<graph_operator> operators{};  ///< in any order
  std::vector<operator_edge> edges{};       ///< in any order
  std::vector<shared_parameters> shared{};  ///< parameters held once on every stage that needs them
  bool sends_back = false;                  ///< whether gradients go back along all edges, if they take latency alone
  double latency = 0;                       ///< seconds of every message, beside what its bytes take
  std::vector<std::string> names{};         ///< of every operator, for errors; empty: they have numbers alone
};

namespace detail {

/// An operator in an error: `operator 3 ("conv2")`.
[[nodiscard]] STAGECUT_DECL std::string operator_text(const operator_graph& graph, std::size_t v);

}  // namespace detail

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/graph/detail/operator_graph.ipp>
#endif
