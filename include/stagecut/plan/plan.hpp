// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/interval.hpp>
#include <stagecut/core/memory_limit.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/profile/layer.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/schedule/op.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The memory of a planned stage on each of its devices, in bytes: the resident part, and the part per microbatch, or
/// per slice if sequences are cut.
struct planned_memory {
  double resident = 0;     ///< parameters, their gradients, the optimizer's state
  double activations = 0;  ///< of each microbatch in flight; if recomputed, its input alone
  double workspace = 0;    ///< of the layer that needs most, in addition to what it recomputes
  double buffers = 0;      ///< for what is received and sent at the stage's ends
  /// Recomputed for a whole backward pass of a microbatch: in checkpointed stages the activations, plus the excess over
  /// the workspace of the layer that needs most together with what it recomputes.
  double recomputed = 0;
  /// The excess over that for each microbatch with split gradients, from its input gradient on: what all layers
  /// recompute stays until its weight gradient is done.
  double recomputed_apart = 0;

  /// Member-wise equality.
  friend bool operator==(const planned_memory&, const planned_memory&) = default;
};

/// One stage of a plan. Its figures are those of one microbatch; totals are derived.
struct planned_stage {
  std::size_t device = 0;  ///< the pipeline rank that runs it, from 0: one device, or `replicas * shards`
  double cost = 0;         ///< as the objective sees it, in its unit; for `has_virtual_stages`, of the whole device
  double forward = 0;      ///< seconds of a microbatch on its device
  double backward = 0;     ///< seconds of the backward pass, with recomputation
  /// The most microbatches, or slices if sequences are cut, whose activations it keeps; 0: not known.
  std::size_t in_flight = 0;
  planned_memory memory{};   ///< all 0 if memory was not computed
  std::size_t replicas = 1;  ///< copies of the stage: see `plan::own_microbatches`
  std::size_t tensor_parallel = 1;  ///< tensor-parallel degree: devices that share each copy
  /// Backward time of the last microbatch if only that keeps `memory.recomputed` and recomputes nothing; unset: as
  /// others.
  std::optional<double> backward_kept{};
  std::optional<double> backward_weight{};  ///< seconds of the weight gradient in either; unset: not known
  std::optional<double> backward_input{};   ///< of the input gradient, run separately; unset: the rest of both
  /// Seconds at the end of an iteration: the exposed exchange with the replicas, and the optimizer's step.
  double all_reduce = 0;
  bool on_cpu = false;  ///< whether its device is a CPU rather than an accelerator

  /// The most bytes kept for the backward pass, over all microbatches in flight; of one if these are not known. Passes
  /// count as whole: `stage_memories` considers the order.
  [[nodiscard]] double kept_activations() const noexcept;
  /// The most bytes: all of its memory.
  [[nodiscard]] double total_memory() const noexcept {
    return memory.resident + kept_activations() + memory.workspace + memory.buffers;
  }
  /// Seconds of the backward pass of a microbatch, the mean over `microbatches`; if these are 0 (unknown), over many.
  [[nodiscard]] double mean_backward(std::size_t microbatches) const noexcept;

  /// Member-wise equality.
  friend bool operator==(const planned_stage&, const planned_stage&) = default;
};

/// An edge: the output of one stage is an input of another.
struct planned_edge {
  std::size_t from = 0;  ///< the sending stage
  std::size_t to = 0;    ///< a later stage, which sends the gradient back
  double bytes = 0;      ///< per microbatch; the gradient is as large

  /// Member-wise equality.
  friend bool operator==(const planned_edge&, const planned_edge&) = default;
};

/// How a layer is run: with which variants of its profile.
struct layer_choice {
  std::string recomputation{};  ///< the name of one of its `recomputations`; empty: as profiled
  std::string sharding{};       ///< the name of one of its `shardings`; empty: as profiled

  /// Member-wise equality.
  friend bool operator==(const layer_choice&, const layer_choice&) = default;
};

/// The schedule of a plan.
struct schedule_choice {
  std::string name{};            ///< `gpipe`, `1f1b`, one of `schedules`; empty: none was chosen
  std::size_t microbatches = 0;  ///< per iteration; 0: not known
  /// For a schedule without a name: the passes (F, B, I, W) of every rank, in the order in which it runs them.
  std::vector<std::vector<op>> orders{};
  std::size_t group = 0;   ///< microbatch group of `interleaved`: `schedule_shape::group`; 0: as many as devices
  std::size_t slices = 1;  ///< slices of every microbatch's sequence, for `seq-1f1b`; each is a pass of its own

  /// Member-wise equality.
  friend bool operator==(const schedule_choice&, const schedule_choice&) = default;
};

/// The objective, its value and its bound.
struct objective_value {
  /// `bottleneck`, `makespan`, `range`, `variance`, `leximax`, `time-per-token`; for stages on several devices
  /// `iteration`, `stage-time`, `pipeline-latency`; for graphs also `communication`.
  std::string name{};
  std::string of{};  ///< the measure: `time`, `parameters`, `layers`, …; for communication `sent time`, `sent bytes`
  /// Of the plan; a variance is in its unit squared, `leximax` gives the heaviest stage; the makespan is the end of the
  /// last pass, before what stages do at the end of an iteration.
  double value = 0;
  double bound = 0;                                  ///< no plan has less
  stagecut::state state = stagecut::state::unknown;  ///< what is proved

  /// How far the value may be above the optimum, as a fraction of the bound; 1 for a bound of 0 and a value above it.
  [[nodiscard]] double gap() const noexcept { return bound > 0 ? (value - bound) / bound : value > bound ? 1 : 0; }

  /// Member-wise equality.
  friend bool operator==(const objective_value&, const objective_value&) = default;
};

/// How a plan's memory was computed, and its limits.
struct memory_model {
  std::string optimizer{};             ///< its name, or a number; empty: memory was not computed
  double parameter_multiplier = 0;     ///< resident bytes per byte of parameters, if a layer has no `resident`
  std::string checkpoint{};            ///< `always`, `except_last`, `never`
  double boundary_buffers = 0;         ///< for each byte that crosses a stage's ends
  stagecut::memory_limit memory_limit{};  ///< bytes of each rank: one value for all, one for each, or no limit
  double buffer_fraction = 0;             ///< of each device's memory, kept free

  /// Member-wise equality.
  friend bool operator==(const memory_model&, const memory_model&) = default;
};

/// The cost of messages between stages.
struct message_model {
  std::string kind{};               ///< what they occupy: `link`, `latency`, `stream`, `blocking`; empty: no links
  std::vector<link_speed> links{};  ///< one per edge between stages, or one for all; empty: messages take no time

  /// Member-wise equality.
  friend bool operator==(const message_model&, const message_model&) = default;
};

/// A pass of one microbatch through one stage, in a predicted timeline.
struct timed_pass {
  std::size_t stage = 0;            ///< from 0
  std::size_t microbatch = 0;       ///< from 0
  op_kind kind = op_kind::forward;  ///< F, B, I or W
  double start = 0;                 ///< seconds since the start of the first pass
  double end = 0;                   ///< seconds since the start of the first pass

  /// Member-wise equality.
  friend bool operator==(const timed_pass&, const timed_pass&) = default;
};

/// A model cut into stages that are placed on devices: the result for users, and all that a writer, a simulator or an
/// executor needs.
struct plan {
  stagecut::profile profile{};  ///< the planned model
  stagecut::cuts cuts{};  ///< where its layers are cut: `devices * stages_per_rank` stages; none if `assignment` is set
  std::size_t devices = 0;  ///< pipeline ranks
  std::size_t stages_per_rank = 1;      ///< stages per rank; for `has_virtual_stages` at most
  std::vector<planned_stage> stages{};  ///< in the order of the model
  schedule_choice schedule{};           ///< the schedule of the stages
  objective_value objective{};          ///< what was minimised
  memory_model memory{};                ///< memory and its limits
  std::vector<double> speeds{};         ///< of each rank, above 0, 1: as profiled; empty: all 1
  message_model messages{};             ///< messages and their links
  std::optional<double> makespan{};  ///< predicted seconds of an iteration, with messages over known links; unset: none
  std::vector<timed_pass> timeline{};  ///< predicted, device by device, by start; may be empty
  std::string unknown_fields{};        ///< a JSON object of fields unknown to this version; empty: none
  /// The stage of each layer, if stages are not intervals in the order of the model; then there are edges. Empty:
  /// `cuts` defines the stages. See `stage_of_layers` and `assign_stages`.
  std::vector<std::size_t> assignment{};
  /// Between stages, by `from`, then by `to`, each from a stage to a later one. Empty: a chain, where each stage sends
  /// the output of its last layer to the next. If the edges are exactly one from each stage to the next, stages forward
  /// what passes them.
  std::vector<planned_edge> edges{};
  std::vector<layer_choice> choices{};  ///< how each layer is run; empty: all as profiled
  /// Whether each replica of a stage runs its own microbatches, as many as the schedule has; else replicas share the
  /// samples of each microbatch.
  bool own_microbatches = false;

  /// Member-wise equality.
  friend bool operator==(const plan&, const plan&) = default;
};

/// Whether a device of a plan may hold several stages of a graph as one: see `virtual_stages`.
/// There may be fewer than devices times stages per rank.
[[nodiscard]] STAGECUT_DECL bool has_virtual_stages(const plan& made) noexcept;

/// The stage of each layer of a plan, from `cuts` or `assignment`.
[[nodiscard]] inline std::vector<std::size_t> stage_of_layers(const plan& made) {
  return made.assignment.empty() ? made.cuts.assignment() : made.assignment;
}

/// The layers of a stage of a plan, in the order of the model. O(n) with an assignment.
/// @pre `stage` is one of the plan
[[nodiscard]] STAGECUT_DECL std::vector<std::size_t> layers_of(const plan& made, std::size_t stage);

namespace detail {

/// Whether the number of stages matches devices times stages per rank.
[[nodiscard]] STAGECUT_DECL bool are_counts_right(const plan& made) noexcept;

/// Whether stages are intervals in the order of the model, so that cuts can express them.
[[nodiscard]] STAGECUT_DECL bool are_intervals(const std::vector<std::size_t>& stages) noexcept;

}  // namespace detail

/// Sets the stage of each layer: by `cuts` if they are intervals in the order of the model, else by `assignment`.
STAGECUT_DECL void assign_stages(plan& made, std::vector<std::size_t> stages);

/// The numbers of a stage's devices, `[first, last)`, replica by replica: a rank's devices follow those of the rank
/// before.
/// @pre all stages of a rank have the same number of devices
[[nodiscard]] STAGECUT_DECL interval devices_of(const plan& made, std::size_t stage);

/// The variant of that name; null if a layer has none.
[[nodiscard]] STAGECUT_DECL const layer_variant* find_variant(const std::vector<layer_variant>& variants,
                                                              const std::string& name) noexcept;

/// Output bytes of a layer of a plan, for a microbatch: as in the chosen sharding, else in the recomputation, else as
/// profiled.
[[nodiscard]] STAGECUT_DECL double output_of(const plan& made, std::size_t i) noexcept;

/// @cond
STAGECUT_INSTANCE_DECL(outcome<plan>);
/// @endcond

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/plan.ipp>
#endif
