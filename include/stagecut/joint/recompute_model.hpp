// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/config.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace stagecut::inline STAGECUT_ABI {

/// One way to run a layer: what is kept of its forward pass, and what is computed again in its backward pass.
struct recompute_choice {
  std::string name{};          ///< `none`, `selective`, `full`
  double backward = 0;         ///< of a microbatch, what is computed again included
  double backward_weight = 0;  ///< of that, the gradient of the parameters, where a schedule runs it apart
  double activations = 0;      ///< bytes kept of a microbatch from the forward to the backward pass
  double workspace = 0;        ///< bytes needed only while the layer runs so, where it is more than that of its type
  /// Bytes that are computed again, beside the workspace: while the backward pass runs whole, and where gradients are run
  /// apart, from the start of that of the input to the end of that of the parameters. Of one layer both are equal.
  /// @{
  double recomputed_whole = 0;
  double recomputed_apart = 0;
  /// @}

  /// Equal in every part.
  friend bool operator==(const recompute_choice&, const recompute_choice&) = default;
};

/// What layers that are alike take, for one microbatch where that matters. Times in any unit, bytes on one device; all
/// finite and not negative.
struct layer_type {
  std::string name{};                       ///< what layers of the type have in common
  double forward = 0;                       ///< of the forward pass
  double resident = 0;                      ///< bytes that stay: parameters, their gradients, the optimizer's state
  double workspace = 0;                     ///< bytes needed only while a layer runs, whatever the choice
  double sent = 0;                          ///< bytes handed to the next layer
  std::vector<recompute_choice> choices{};  ///< how a layer may be run, one of them at least
  std::vector<std::size_t> shared{};        ///< which of `recompute_model::shared` it has

  /// Equal in every part.
  friend bool operator==(const layer_type&, const layer_type&) = default;
};

/// A chain of layers, each of which may be recomputed in several ways, between what has its place on the first stage (an
/// embedding) and on the last one (the loss).
struct recompute_model {
  std::vector<layer_type> types{};    ///< the types of layers
  std::vector<std::size_t> layers{};  ///< the type of every layer, from the input to the output
  /// Run before the first layer, on the first stage, even where that has no layers; it has one choice, or none: then nothing
  /// goes back through it. It hands on what it says where the first stage has no layers.
  layer_type head{};
  layer_type tail{};  ///< likewise behind the last layer, on the last stage
  /// Bytes that stay for parameters that layers share: once on each stage that has a layer with them.
  std::vector<double> shared{};
  /// Cut points between layers that stand on one stage: c is before layer c, 0 behind the head, and n before the tail.
  std::vector<std::size_t> forbidden_cuts{};

  /// Equal in every part.
  friend bool operator==(const recompute_model&, const recompute_model&) = default;
};

namespace detail {

/// Refuses a model that makes no sense.
STAGECUT_DECL void check_recompute_model(const recompute_model& model);

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/detail/recompute_model.ipp>
#endif
