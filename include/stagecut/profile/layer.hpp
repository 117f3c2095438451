// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/rare.hpp>
#include <stagecut/core/words.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// Parameters that a layer shares with all others that name them: an embedding and a head that multiplies by it.
struct tied_parameters {
  /// What to do where the layers stand on different stages.
  enum class placement : std::uint8_t {
    replicated,  ///< each stage holds a copy, and their gradients are summed over the stages
    colocated    ///< it may not be: all of them stand on one stage
  };

  std::string name{};                       ///< the same in every layer that shares them
  double bytes = 0;                         ///< of one copy; not counted in the `parameters` of any layer
  std::optional<double> resident{};         ///< as `layer::resident`, of one copy
  placement where = placement::replicated;  ///< likewise the same in every layer

  /// Equal in every part.
  friend bool operator==(const tied_parameters&, const tied_parameters&) = default;
};

/// The words for what is done with parameters that layers share.
inline constexpr word<tied_parameters::placement> placement_words[] = {
    {"replicate", tied_parameters::placement::replicated}, {"colocate", tied_parameters::placement::colocated}};

/// Another way to run a layer: with recomputation, or sharded over several devices.
struct layer_variant {
  std::string name{};                       ///< `full`, `selective`; `column`, `row`
  std::size_t ways = 1;                     ///< devices that share the layer
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
  std::string recomputation{};              ///< of a sharding, what it recomputes: `full`; empty: nothing
  double recomputed = 0;                    ///< as in `layer`

  /// Equal in every part.
  friend bool operator==(const layer_variant&, const layer_variant&) = default;
};

/// What one layer of a model takes, for one microbatch where that matters. Times in seconds, sizes in bytes on one
/// device; finite and not negative.
struct layer {
  std::string name{};                       ///< what the model calls it
  std::string kind{};                       ///< what layers alike have in common: `decoder`, `Conv2d`
  double forward = 0;                       ///< seconds
  double backward = 0;                      ///< seconds, of the whole backward pass
  double parameters = 0;                    ///< bytes, without those in `tied`
  double activations = 0;                   ///< bytes kept from the forward to the backward pass
  double output = 0;                        ///< bytes handed to the next layer
  double workspace = 0;                     ///< bytes needed only while the layer runs
  /// Seconds at the end of an iteration: gradients and parameters that it exchanges with its replicas, as far as nothing
  /// hides that, and the optimizer's step.
  double update = 0;
  std::optional<double> backward_input{};   ///< seconds of the gradient of the input, where the two are run apart
  std::optional<double> backward_weight{};  ///< seconds of the gradient of the parameters, likewise
  /// Bytes that stay on the device for the parameters: themselves, their gradients, the optimizer's state. Unset: the
  /// planner takes `parameters` times what its optimizer needs.
  std::optional<double> resident{};
  rare<std::string> group{};  ///< layers of one group, not empty, stand on one stage; in a chain, neighbours
  rare<std::vector<tied_parameters>> tied{};  ///< what it shares with other layers
  rare<std::vector<std::string>> modules{};   ///< names of its modules in the framework's model; none: `name` alone
  rare<std::string> recomputation{};          ///< what its figures recompute: `selective`, `full`; empty: nothing
  rare<std::vector<layer_variant>> recomputations{};  ///< how else it could be recomputed
  rare<std::vector<layer_variant>> shardings{};       ///< how it could be sharded
  /// Of a module tree: the layers that it contains, in order; its figures are without theirs. None: a leaf.
  rare<std::vector<std::size_t>> children{};
  std::optional<double> cpu{};         ///< seconds of both passes on a CPU; unset: it does not run on one
  std::optional<std::uint32_t> stage{};  ///< the one on which it has to stand; unset: any
  bool accelerator = true;             ///< whether it runs on an accelerator
  /// In a graph, that it is an operator of the backward pass: its edges lead from the output's gradient to the input's,
  /// and it takes no forward time.
  bool is_backward = false;
  /// That its backward pass is run whole: what runs it cannot part the gradient of its input from that of its parameters.
  bool whole_backward = false;
  rare<std::string> unknown_fields{};  ///< a JSON object of what this version does not know; empty: nothing
  /// Bytes that its backward pass computes again, beside `workspace`: there while it runs whole; where gradients are run
  /// apart, from that of the input to the end of that of the parameters.
  double recomputed = 0;

  /// Seconds of both passes.
  [[nodiscard]] double time() const noexcept { return forward + backward; }

  /// Equal in every part.
  friend bool operator==(const layer&, const layer&) = default;
};

namespace detail {

/// Shows the figures of a layer or a variant to `visit(NAME, FIGURE)`, in the order in which files have them.
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
}  // namespace stagecut::inline STAGECUT_ABI
