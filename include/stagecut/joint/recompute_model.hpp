// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace stagecut::inline STAGECUT_ABI {

/// One way to run a layer: what its forward pass keeps, and what its backward pass recomputes.
struct recompute_choice {
  std::string name{};          ///< `none`, `selective`, `full`
  double backward = 0;         ///< of a microbatch, including recomputation
  double backward_weight = 0;  ///< the part of `backward` for parameter gradients, where a schedule runs it apart
  double activations = 0;      ///< bytes kept per microbatch from the forward to the backward pass
  double workspace = 0;        ///< bytes needed only while the layer runs so, if more than for its type
  /// Recomputed bytes, in addition to the workspace: during a whole backward pass and, where the two gradients run
  /// apart, from the start of the input gradient to the end of the parameter gradient. For a single layer both are
  /// equal.
  /// @{
  double recomputed_whole = 0;
  double recomputed_apart = 0;
  /// @}

  /// Equal in every part.
  friend bool operator==(const recompute_choice&, const recompute_choice&) = default;
};

/// A type of layers with equal figures, for one microbatch where that matters. Times in any unit, bytes on one device;
/// all finite and not negative.
struct layer_type {
  std::string name{};                       ///< what layers of the type have in common
  double forward = 0;                       ///< of the forward pass
  double resident = 0;                      ///< bytes that stay: parameters, their gradients, the optimizer's state
  double workspace = 0;                     ///< bytes needed only while a layer runs, for every choice
  double sent_bytes = 0;                    ///< bytes sent to the next layer
  std::vector<recompute_choice> choices{};  ///< the ways to run a layer, at least one
  std::vector<std::size_t> shared{};        ///< its indices in `recompute_model::shared`

  /// Equal in every part.
  friend bool operator==(const layer_type&, const layer_type&) = default;
};

/// A chain of layers, each with several recomputation choices, between a head on the first stage (an embedding) and a
/// tail on the last one (the loss).
struct recompute_model {
  std::vector<layer_type> types{};    ///< the types of layers
  std::vector<std::size_t> layers{};  ///< the type of every layer, from the input to the output
  /// Runs before the first layer, on the first stage, even if that has no layers; it has one choice, or none: then it
  /// has no backward pass. If the first stage has no layers, it sends the head's `sent` bytes.
  layer_type head{};
  layer_type tail{};  ///< the same after the last layer, on the last stage
  /// Resident bytes of parameters that layers share: counted once on each stage that has a layer with them.
  std::vector<double> shared{};
  /// Cut points between layers that must be on one stage: c is before layer c, 0 after the head, and n before the tail.
  std::vector<std::size_t> forbidden_cuts{};

  /// Equal in every part.
  friend bool operator==(const recompute_model&, const recompute_model&) = default;
};

namespace detail {

/// Rejects an invalid model.
STAGECUT_DECL void check_recompute_model(const recompute_model& model);

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/recompute_model.ipp>
#endif
