// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/profile/layer.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// In a graph: the output of one layer is an input of another.
struct profile_edge {
  std::size_t from = 0;  ///< the layer that sends, from 0
  std::size_t to = 0;    ///< the layer that receives

  /// Equal at both ends.
  friend bool operator==(const profile_edge&, const profile_edge&) = default;
};

/// The machine that a profile names: the default for plans.
struct stated_machine {
  std::size_t devices = 0;           ///< most accelerators; 0: not set
  std::size_t cpus = 0;              ///< most CPUs that may also run a stage
  std::optional<double> memory{};    ///< bytes of an accelerator; unset: unknown
  std::optional<link_speed> link{};  ///< between all of them; unset: unknown
  /// Whether a stage of a graph needs buffers for what it receives and sends; false: its layers' figures include them.
  bool buffers = true;

  /// Equal in every part.
  friend bool operator==(const stated_machine&, const stated_machine&) = default;
};

/// The layers of a model and their figures: a chain, in which each layer feeds the next; a graph, which has edges; a
/// module tree, whose layers have children; or a module tree with edges.
struct profile {
  std::vector<layer> layers{};  ///< a chain from input to output; otherwise in any order
  /// Whether times are weights in an arbitrary unit instead of seconds.
  bool weights_only = false;
  std::string name{};                 ///< of the model; may be empty
  std::vector<profile_edge> edges{};  ///< of a graph: which layer feeds which; none: each feeds the next
  stated_machine machine{};           ///< the machine it was written for, if specified
  std::string unknown_fields{};       ///< a JSON object of fields that this version does not know; empty: none
  /// Whether times and bytes are for inference: forward passes only. No layer has a backward pass; activations are what
  /// is kept for a group of requests from token to token.
  bool inference = false;

  /// The time of both passes of every layer: the weights by which a chain is cut.
  [[nodiscard]] std::vector<double> times() const;

  /// Whether every layer has a separate time for the gradient of the weights, as schedules with split backward passes
  /// need.
  [[nodiscard]] bool splits_backward() const noexcept;

  /// Equal in every part.
  friend bool operator==(const profile&, const profile&) = default;
};

namespace detail {

/// A layer in an error message: `layer 3 ("layers.2")`.
[[nodiscard]] STAGECUT_DECL std::string layer_text(const profile& model, std::size_t i);

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/profile.ipp>
#endif
