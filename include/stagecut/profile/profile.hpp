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

/// In a graph, that the output of a layer is input of another one.
struct profile_edge {
  std::size_t from = 0;  ///< the layer whose output it is, from 0
  std::size_t to = 0;    ///< the layer that takes it

  /// Equal at both ends.
  friend bool operator==(const profile_edge&, const profile_edge&) = default;
};

/// The machine that a profile names: what a plan is made for where nothing else is said.
struct stated_machine {
  std::size_t devices = 0;           ///< accelerators at most; 0: not said
  std::size_t cpus = 0;              ///< CPUs at most that may take a stage as well
  std::optional<double> memory{};    ///< bytes of an accelerator; unset: not said
  std::optional<link_speed> link{};  ///< between all of them; unset: not said
  /// Whether a stage of a graph needs buffers for what it receives and sends; false: its layers' figures are all it takes.
  bool buffers = true;

  /// Equal in every part.
  friend bool operator==(const stated_machine&, const stated_machine&) = default;
};

/// What the layers of a model take: a chain, in which each layer feeds the next; a graph, which has edges; a module
/// tree, where layers have children; or both of these.
struct profile {
  std::vector<layer> layers{};  ///< of a chain from the input to the output, else in any order
  /// Whether the times are plain weights in a unit that only the user knows, not seconds.
  bool weights_only = false;
  std::string name{};                 ///< of the model; may be empty
  std::vector<profile_edge> edges{};  ///< of a graph: which layer's output feeds which; none: each feeds the next
  stated_machine machine{};           ///< for which it was written, where it says so
  std::string unknown_fields{};       ///< a JSON object of what this version does not know; empty: nothing
  /// Whether times and bytes are those of inference: forward passes alone. No layer has a backward pass; activations are
  /// what is kept of a group of requests from token to token.
  bool inference = false;

  /// The time of every layer, both passes: what a chain of layers is cut by.
  [[nodiscard]] std::vector<double> times() const;

  /// Whether every layer tells the gradient of the weights apart, as schedules need that run I and W.
  [[nodiscard]] bool splits_backward() const noexcept;

  /// Equal in every part.
  friend bool operator==(const profile&, const profile&) = default;
};

namespace detail {

/// A layer in an error: `layer 3 ("layers.2")`.
[[nodiscard]] STAGECUT_DECL std::string layer_text(const profile& model, std::size_t i);

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/profile.ipp>
#endif
