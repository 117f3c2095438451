// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/op.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The memory of a planned stage on each of its devices, in bytes: what stays, and what a microbatch takes, or a
/// slice of one where sequences are cut.
struct planned_memory {
  double resident = 0;     ///< parameters, their gradients, the optimizer's state
  double activations = 0;  ///< of each microbatch in flight; where these are computed again, of its input alone
  double workspace = 0;    ///< of the layer that needs most, beside what it computes again
  double buffers = 0;      ///< for what is received and sent at the stage's ends
  /// Of a microbatch that goes back, whole, what is computed again: of checkpointed stages the activations, and as much more
  /// than the workspace as the layer takes that needs most with what it computes again.
  double recomputed = 0;
  /// As much more than that of each microbatch whose gradients are run apart, from that of the input on: what all layers
  /// compute again is there until that of the weights is done.
  double recomputed_apart = 0;

  /// Equal in every part.
  friend bool operator==(const planned_memory&, const planned_memory&) = default;
};

/// One stage of a plan. Its figures are those of one microbatch; what they add up to is derived.
struct planned_stage {
  std::size_t device = 0;  ///< the pipeline rank that runs it, from 0: one device, or `replicas * shards`
  double cost = 0;         ///< what the objective saw, in its unit; of `are_graph_chunks`, of their device
  double forward = 0;      ///< seconds of a microbatch on its device
  double backward = 0;     ///< likewise, with what is computed again
  /// Microbatches, or slices where sequences are cut, whose activations it keeps at most; 0: not known.
  std::size_t in_flight = 0;
  planned_memory memory{};   ///< all 0 where memory was not reckoned
  std::size_t replicas = 1;  ///< copies of the stage: see `plan::own_microbatches`
  std::size_t shards = 1;    ///< devices among which each copy is divided
  /// Of the last microbatch, where that alone computes nothing again, and keeps `memory.recomputed`; unset: as others.
  std::optional<double> backward_kept{};
  std::optional<double> backward_weight{};  ///< of both, seconds of the gradient of the parameters; unset: not known
  std::optional<double> backward_input{};   ///< of that of the input, run apart, likewise; unset: what is left of both
  /// Seconds at the end of an iteration: what is exchanged with the replicas and hidden by nothing, and the optimizer's step.
  double all_reduce = 0;
  bool on_cpu = false;  ///< whether its device is a CPU, and no accelerator

  /// Bytes kept for the backward pass at most, of all microbatches in flight; of one where these are not known. Passes count
  /// as whole: `stage_memories` looks at the order.
  [[nodiscard]] double kept_activations() const noexcept;
  /// Bytes at most: all of its memory.
  [[nodiscard]] double total_memory() const noexcept {
    return memory.resident + kept_activations() + memory.workspace + memory.buffers;
  }
  /// Seconds of the backward pass of a microbatch, the mean over `microbatches`; of 0, which are not known, over many.
  [[nodiscard]] double mean_backward(std::size_t microbatches) const noexcept;

  /// Equal in every part.
  friend bool operator==(const planned_stage&, const planned_stage&) = default;
};

/// That the output of a stage is an input of another one.
struct planned_edge {
  std::size_t from = 0;  ///< the stage whose output it is
  std::size_t to = 0;    ///< a later one, which sends the gradient back
  double bytes = 0;      ///< of a microbatch; the gradient is as large

  /// Equal in every part.
  friend bool operator==(const planned_edge&, const planned_edge&) = default;
};

/// How a layer is run: by which of the variants in its profile.
struct layer_choice {
  std::string recomputation{};  ///< the name of one of its `recomputations`; empty: as profiled
  std::string sharding{};       ///< the name of one of its `shardings`; empty: as profiled

  /// Equal in both parts.
  friend bool operator==(const layer_choice&, const layer_choice&) = default;
};

/// Which schedule a plan is for.
struct schedule_choice {
  std::string name{};            ///< `gpipe`, `1f1b`, one of `schedules`; empty: none was chosen
  std::size_t microbatches = 0;  ///< of one iteration; 0: not known
  /// Where it is none that has a name: the passes (F, B, I, W) of every rank, in the order in which it runs them.
  std::vector<std::vector<op>> orders{};
  std::size_t group = 0;   ///< of microbatches, of `interleaved`: `schedule_shape::group`; 0: as many as devices
  std::size_t slices = 1;  ///< of the sequence of every microbatch, of `seq-1f1b`: each is a pass of its own

  /// Equal in every part.
  friend bool operator==(const schedule_choice&, const schedule_choice&) = default;
};

/// What was minimised, and how far.
struct objective_value {
  /// `bottleneck`, `makespan`, `range`, `variance`, `leximax`, `time-per-token`; of stages on several devices `iteration`,
  /// `stage-time`, `pipeline-length`; of graphs `communication`, too.
  std::string name{};
  std::string of{};  ///< of which cost: `time`, `parameters`, `layers`, …; of communication `sent time`, `sent bytes`
  /// Of the plan; of a variance in its unit squared, of `leximax` the heaviest stage; of the makespan, when the last pass ends,
  /// before what stages do at the end of an iteration.
  double value = 0;
  double bound = 0;                                  ///< no plan has less
  stagecut::state state = stagecut::state::unknown;  ///< what is proved

  /// Equal in every part.
  friend bool operator==(const objective_value&, const objective_value&) = default;
};

/// How a plan's memory was reckoned, and what it had to stay below.
struct memory_model {
  std::string optimizer{};             ///< its name, or a number; empty: memory was not reckoned
  double parameter_multiplier = 0;     ///< bytes that stay for each byte of parameters, where a layer has no `resident`
  std::string checkpoint{};            ///< `always`, `except_last`, `never`
  double boundary_buffers = 0;         ///< for each byte that crosses a stage's ends
  std::optional<double> per_device{};  ///< bytes of a device; unset: no limit was given, or one of each
  double buffer_fraction = 0;          ///< of the memory of each device, kept free
  std::vector<double> of_devices{};    ///< bytes of every rank, where each has its own limit; else empty

  /// Equal in every part.
  friend bool operator==(const memory_model&, const memory_model&) = default;
};

/// What messages between stages take.
struct message_model {
  std::string kind{};               ///< what they occupy: `link`, `latency`, `stream`, `blocking`; empty: no links
  std::vector<link_speed> links{};  ///< of every edge between stages, or one for all; empty: messages take no time

  /// Equal in every part.
  friend bool operator==(const message_model&, const message_model&) = default;
};

/// A pass of one microbatch through one stage, in a predicted timeline.
struct timed_pass {
  std::size_t stage = 0;            ///< from 0
  std::size_t microbatch = 0;       ///< from 0
  op_kind kind = op_kind::forward;  ///< F, B, I or W
  double start = 0;                 ///< seconds since the first pass began
  double end = 0;                   ///< likewise

  /// Equal in every part.
  friend bool operator==(const timed_pass&, const timed_pass&) = default;
};

/// A model cut into stages that are placed on devices: what a user takes away, and all that a writer, a simulator or an
/// executor needs.
struct plan {
  stagecut::profile profile{};  ///< what was planned
  stagecut::cuts cuts{};    ///< where its layers are cut: `devices * chunks` stages; none where `assignment` is there
  std::size_t devices = 0;  ///< pipeline ranks
  std::size_t chunks = 1;   ///< stages of every rank; of `are_graph_chunks` at most
  std::vector<planned_stage> stages{};  ///< in the order of the model
  schedule_choice schedule{};           ///< what they run as
  objective_value objective{};          ///< why these
  memory_model memory{};                ///< within what
  std::vector<double> speeds{};         ///< of every rank, above 0, 1: as profiled; empty: all 1
  message_model messages{};             ///< over which links
  std::optional<double> makespan{};  ///< predicted seconds of an iteration, with messages over known links; unset: none
  std::vector<timed_pass> timeline{};  ///< predicted, device by device, by start; may be empty
  std::string unknown_fields{};        ///< a JSON object of what this version does not know; empty: nothing
  /// The stage of every layer, where stages are not intervals in the order of the model; there are edges then. Empty:
  /// `cuts` says it. See `stage_of_layers` and `assign_stages`.
  std::vector<std::size_t> assignment{};
  /// Between stages, by `from`, then by `to`, each from a stage to a later one. Empty: a chain, from each to the next,
  /// which hands over the output of its last layer. If there is one from each stage to the next and no other, stages hand
  /// on what passes them.
  std::vector<planned_edge> edges{};
  std::vector<layer_choice> choices{};  ///< how every layer is run; empty: all as profiled
  /// Whether replicas of a stage run microbatches of their own, each of them those of the schedule; else they share the
  /// samples of each.
  bool own_microbatches = false;

  /// Equal in every part.
  friend bool operator==(const plan&, const plan&) = default;
};

/// Whether the stages of a plan are chunks of a graph, of which a device holds several as one: see `virtual_stages`.
/// There may be fewer than devices times chunks.
[[nodiscard]] STAGECUT_DECL bool are_graph_chunks(const plan& made) noexcept;

/// The stage of every layer of a plan, whichever way it says that.
[[nodiscard]] inline std::vector<std::size_t> stage_of_layers(const plan& made) {
  return made.assignment.empty() ? made.cuts.assignment() : made.assignment;
}

/// The layers of a stage of a plan, in the order of the model. O(n) with an assignment.
/// @pre `stage` is one of the plan
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> layers_of(const plan& made, std::size_t stage);

namespace detail {

/// Whether there are as many stages as devices and chunks make.
[[nodiscard]] STAGECUT_DECL bool are_counts_right(const plan& made) noexcept;

/// Whether stages are intervals in the order of the model, so that cuts say them.
[[nodiscard]] STAGECUT_DECL bool are_intervals(const std::vector<std::size_t>& stages) noexcept;

}  // namespace detail

/// Says the stage of every layer: by `cuts` where they are intervals in the order of the model, else by `assignment`.
STAGECUT_DECL void assign_stages(plan& made, std::vector<std::size_t> stages);

/// The devices of a stage by number, `[first, last)`, replica by replica: those of a rank follow those of the rank before.
/// @pre the stages of a rank have equally many
[[nodiscard]] STAGECUT_DECL interval devices_of(const plan& made, std::size_t stage);

/// The variant of that name; null if a layer has none.
[[nodiscard]] STAGECUT_DECL const layer_variant* find_variant(const std::vector<layer_variant>& variants,
                                                              const std::string& name) noexcept;

/// Bytes that a layer of a plan hands over, for a microbatch: those of the sharding that was chosen, else of the
/// recomputation, else as profiled.
[[nodiscard]] STAGECUT_DECL double output_of(const plan& made, std::size_t i) noexcept;

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/plan.ipp>
#endif
