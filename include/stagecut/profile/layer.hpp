// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/cold.hpp>
#include <stagecut/core/names.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Parameters that several layers share by name, such as an embedding and a head that multiplies by it.
struct tied_parameters {
  /// What happens if these layers are on different stages.
  enum class placement : std::uint8_t {
    replicated,  ///< each stage holds a copy, and their gradients are summed over the stages
    colocated    ///< not allowed: all of them are on one stage
  };

  std::string name{};                       ///< the same in every layer that shares them
  double bytes = 0;                         ///< of one copy; not counted in the `parameters` of any layer
  std::optional<double> resident{};         ///< as `layer::resident`, of one copy
  placement where = placement::replicated;  ///< the same in every layer that shares them

  /// Equal in every part.
  friend bool operator==(const tied_parameters&, const tied_parameters&) = default;
};

/// The words for placements of shared parameters.
inline constexpr named<tied_parameters::placement> placement_names[] = {
    {"replicate", tied_parameters::placement::replicated}, {"colocate", tied_parameters::placement::colocated}};

/// Another way to run a layer: with recomputation, or sharded over several devices.
struct layer_variant {
  std::string name{};                       ///< `full`, `selective`; `column`, `row`
  std::size_t tensor_parallel = 1;          ///< devices that share the layer
  double forward = 0;                       ///< seconds
  double backward = 0;                      ///< seconds, recomputation included
  std::optional<double> backward_input{};   ///< as in `layer`
  std::optional<double> backward_weight{};  ///< as in `layer`
  double parameters = 0;                    ///< bytes, on one device
  std::optional<double> resident{};         ///< as in `layer`
  double activations = 0;                   ///< bytes, on one device
  double workspace = 0;                     ///< bytes, on one device
  double output = 0;                        ///< bytes
  double update = 0;                        ///< as in `layer`
  std::string unknown_fields{};             ///< as in `layer`
  std::string recomputation{};              ///< recomputation of a sharding: `full`; empty: none
  double recomputed = 0;                    ///< as in `layer`

  /// Equal in every part.
  friend bool operator==(const layer_variant&, const layer_variant&) = default;
};

/// Figures of one layer of a model, per microbatch where that applies. Times in seconds, sizes in bytes on one device;
/// finite and not negative.
struct layer {
  std::string name{};                       ///< name in the model
  std::string kind{};                       ///< type of the layer: `decoder`, `Conv2d`
  double forward = 0;                       ///< seconds
  double backward = 0;                      ///< seconds, of the whole backward pass
  double parameters = 0;                    ///< bytes, without those in `tied`
  double activations = 0;                   ///< bytes kept from the forward to the backward pass
  double output = 0;                        ///< bytes sent to the next layer
  double workspace = 0;                     ///< bytes needed only while the layer runs
  /// Seconds at the end of an iteration: the exposed part of exchanging gradients and parameters with the replicas, and
  /// the optimizer's step.
  double update = 0;
  std::optional<double> backward_input{};   ///< seconds of the gradient of the input, if the backward pass is split
  std::optional<double> backward_weight{};  ///< seconds of the gradient of the parameters, if split
  /// Bytes that the parameters occupy permanently: themselves, gradients, optimizer state. Unset: the planner takes
  /// `parameters` times the optimizer's multiplier.
  std::optional<double> resident{};
  cold<std::string> group{};  ///< layers of one nonempty group share a stage; in a chain they are adjacent
  cold<std::vector<tied_parameters>> tied{};  ///< parameters shared with other layers
  cold<std::vector<std::string>> modules{};   ///< names of its modules in the framework's model; none: `name` alone
  cold<std::string> recomputation{};          ///< recomputation in these figures: `selective`, `full`; empty: none
  /// Alternatives for its recomputation. All have the layer's forward pass and output, and its parameters, resident
  /// bytes and update, for which 0 means the layer's.
  cold<std::vector<layer_variant>> recomputations{};
  cold<std::vector<layer_variant>> shardings{};       ///< alternatives for its sharding
  /// In a module tree: the layers it contains, in order, whose figures its own exclude. None: a leaf.
  cold<std::vector<std::size_t>> children{};
  std::optional<double> cpu{};           ///< seconds of both passes on a CPU; unset: cannot run on one
  std::optional<std::uint32_t> stage{};  ///< its required stage; unset: any
  bool accelerator = true;             ///< whether it runs on an accelerator
  /// In a graph: an operator of the backward pass. Its edges lead from the output's gradient to the input's, and it takes
  /// no forward time.
  bool is_backward = false;
  /// The backward pass cannot be split into the gradients of the input and of the parameters.
  bool whole_backward = false;
  cold<std::string> unknown_fields{};  ///< a JSON object of fields that this version does not know; empty: none
  /// Bytes that the backward pass recomputes, in addition to `workspace`: held while it runs whole; in a split backward
  /// pass, from the gradient of the input to the end of the gradient of the parameters.
  double recomputed = 0;

  /// Seconds of both passes.
  [[nodiscard]] double time() const noexcept { return forward + backward; }

  /// Equal in every part.
  friend bool operator==(const layer&, const layer&) = default;
};

namespace detail {

/// Calls `visit(NAME, FIGURE)` for each figure of a layer or a variant, in the order of the files.
template <class Each, class Visit>
void each_figure(Each& each, const Visit& visit) {
  visit("forward", each.forward);
  visit("backward", each.backward);
  visit("backward_input", each.backward_input);
  visit("backward_weight", each.backward_weight);
  visit("parameters", each.parameters);
  visit("resident", each.resident);
  visit("activations", each.activations);
  visit("output", each.output);
  visit("workspace", each.workspace);
  visit("recomputed", each.recomputed);
  visit("update", each.update);
}

}  // namespace detail

/// @cond
STAGECUT_INSTANCE_DECL(cold<std::string>);
STAGECUT_INSTANCE_DECL(cold<std::vector<std::size_t>>);
STAGECUT_INSTANCE_DECL(cold<std::vector<std::string>>);
STAGECUT_INSTANCE_DECL(cold<std::vector<layer_variant>>);
STAGECUT_INSTANCE_DECL(cold<std::vector<tied_parameters>>);
/// @endcond

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/profile/detail/layer.ipp>
#endif
