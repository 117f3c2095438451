// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// One way to run a stage: its devices, times and bytes. Times of one microbatch, in the unit of the model; bytes on
/// one device; all finite and not negative.
struct stage_option {
  std::size_t replicas = 1;         ///< replicas of the stage, which share the samples of a microbatch, or take turns
  std::size_t tensor_parallel = 1;  ///< tensor-parallel degree: devices that share a replica
  std::size_t choice = 0;           ///< a number defined by the model: how the layers are recomputed or sharded
  double forward = 0;        ///< of the forward pass
  double backward = 0;       ///< of the backward pass, including recomputation
  /// Time per microbatch in a pipeline that never waits: both passes, and what the model amortises over microbatches,
  /// such as messages and the gradient exchange.
  double time = 0;
  double message = 0;      ///< of the tensors that cross the boundary before the stage, in one direction
  double all_reduce = 0;   ///< of the gradient exchange at the end of an iteration, after the last backward pass
  double activations = 0;  ///< bytes kept for each microbatch in flight
  double resident = 0;     ///< bytes that stay, and those needed while a layer runs

  /// Number of devices.
  [[nodiscard]] constexpr std::size_t devices() const noexcept { return replicas * tensor_parallel; }

  /// Equal in every part.
  friend bool operator==(const stage_option&, const stage_option&) = default;
};

/// The stage whose options are queried, and which of them are useful.
struct stage_query {
  std::size_t first = 0;  ///< start: a point, below `last`
  std::size_t last = 0;   ///< end: a point, at most `model.size()`
  /// The device after its last one; the stage takes the devices before it. In a model with a `period`, positions are
  /// modulo the period, and the period itself replaces 0.
  std::size_t device = 0;
  double most_time = std::numeric_limits<double>::max();  ///< options with a greater `time` are useless
  std::optional<double> memory{};                         ///< bytes of a device; unset: no limit
  /// Whether, among options with the same replicas and tensor-parallel degree, only one that fits the most microbatches
  /// into `memory` is useful, whatever its `time` up to `most_time`.
  bool smallest_memory = false;
  std::size_t most_devices = std::numeric_limits<std::size_t>::max();  ///< options on more devices are useless
  std::size_t least_held = 1;  ///< microbatches in flight: options that fit fewer into `memory` are useless
  std::size_t most_held =
      std::numeric_limits<std::size_t>::max();  ///< microbatches in flight: memory for more is useless
  /// Whether replicas take turns, so that each of r holds 1 + (h - 1) / r, rounded up, of h microbatches.
  bool take_turns = false;

  /// How many of `h` microbatches each of `replicas` holds.
  [[nodiscard]] constexpr std::size_t share_of(std::size_t h, std::size_t replicas) const noexcept {
    return !take_turns || h < 2 ? h : 2 + (h - 2) / replicas;
  }
};

namespace detail {

/// A visitor that ignores options: for concepts.
struct any_option_visitor {
  void operator()(const stage_option&) const noexcept {}
};

}  // namespace detail

/// The model that planners with replicas and tensor parallelism use: the options of every stage. A stage lies between
/// two *points*, `0 <= first < last <= size()`: the cut points of a chain of `size()` items, or order ideals (sets of
/// layers that contain all their predecessors), numbered so that a subset has a smaller number.
///
/// | expression | meaning |
/// |---|---|
/// | `m.size()` | the last point: the whole model |
/// | `m.each_option(query, visit)` | calls `visit(option)` for options of a stage: at least all useful ones that no other option dominates |
///
/// Optional members:
///
/// | member | meaning |
/// |---|---|
/// | `each_stage(last, visit)` | calls `visit(first, options)` for the stages that end at a point, narrower ones before wider ones; `options.each_option(query, visit)` visits the options of the stage; `visit` returns false where wider stages are useless. Default: all `[first, last)` |
/// | `each_stage_between(last, least, most, visit)` | the same for the stages that start at points whose `least_work` is from `least` to `most` |
/// | `least_work(point)` | a lower bound, in device seconds, of all work before a point: no option of a stage has `devices() * time` below the difference of its two points |
/// | `is_chain` | a constant, true if points are cut points of a chain although there is `each_stage` |
/// | `period()` | the number of devices after which positions repeat, where links differ: a divisor of the number of devices. Default: positions do not matter |
///
/// Axioms: pure; finite and not negative; for each option of a wider stage the narrower one has an option with the same
/// replicas and tensor-parallel degree and no more time, resident bytes, and bytes per microbatch.
template <class Model>
concept stage_option_model = requires(const Model& m, const stage_query& query,
                                      const detail::any_option_visitor& visit) {
  { m.size() } -> std::convertible_to<std::size_t>;
  m.each_option(query, visit);
};

namespace detail {

/// The options of an interval.
template <class Model>
struct options_between {
  const Model& model;

  template <class Visit>
  void each_option(const stage_query& query, const Visit& visit) const {
    model.each_option(query, visit);
  }
};

/// Calls `visit(first, options)` for the stages that end at `last`: see `stage_option_model`.
template <stage_option_model Model, class Visit>
void each_stage_to(const Model& model, std::size_t last, const Visit& visit) {
  if constexpr (requires { model.each_stage(last, visit); }) {
    model.each_stage(last, visit);
  } else {
    for (std::size_t first = last; first-- > 0;) {
      if (!visit(first, options_between<Model>{model})) return;
    }
  }
}

/// The same, for at least the stages that start with `least_work` from `least` to `most`.
template <stage_option_model Model, class Visit>
void each_stage_between(const Model& model, std::size_t last, double least, double most, const Visit& visit) {
  if constexpr (requires { model.each_stage_between(last, least, most, visit); }) {
    model.each_stage_between(last, least, most, visit);
  } else {
    detail::each_stage_to(model, last, visit);
  }
}

/// The number of devices after which positions repeat; 1: positions do not matter.
template <stage_option_model Model>
[[nodiscard]] std::size_t period_of(const Model& model) {
  if constexpr (requires { model.period(); }) return model.period();
  return 1;
}

/// A lower bound of the work before a point; 0 if the model has none.
template <stage_option_model Model>
[[nodiscard]] double least_work_of(const Model& model, std::size_t point) {
  if constexpr (requires { model.least_work(point); }) return model.least_work(point);
  return 0;
}

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI
