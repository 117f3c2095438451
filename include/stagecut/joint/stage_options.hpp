// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>

#include <stagecut/core/config.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// One way to run a stage: on how many devices, and what it then takes. Times of one microbatch, in the unit of the model;
/// bytes on one device; all finite and not negative.
struct stage_option {
  std::size_t replicas = 1;  ///< copies of the stage, which share the samples of a microbatch, or take turns
  std::size_t ways = 1;      ///< devices among which each copy is divided
  std::size_t choice = 0;    ///< a number of the model's own: how its layers are recomputed, or sharded
  double forward = 0;        ///< of the forward pass
  double backward = 0;       ///< of the backward pass, with what is computed again
  /// What a pipeline that never waits takes for a microbatch: both passes, and what the model spreads over microbatches,
  /// such as messages and the exchange of gradients.
  double time = 0;
  double message = 0;      ///< of what crosses the boundary before the stage, in one direction
  double all_reduce = 0;   ///< at the end of an iteration, behind the last backward pass: gradients are exchanged
  double activations = 0;  ///< bytes that each microbatch in flight keeps
  double resident = 0;     ///< bytes that stay, and those needed while a layer runs

  /// All devices that it takes.
  [[nodiscard]] constexpr std::size_t devices() const noexcept { return replicas * ways; }

  /// Equal in every part.
  friend bool operator==(const stage_option&, const stage_option&) = default;
};

/// Of which stage the options are asked for, and which of them are of use.
struct stage_query {
  std::size_t first = 0;  ///< where it begins: a point, below `last`
  std::size_t last = 0;   ///< where it ends: a point, `model.size()` at most
  /// The device behind its last one: its devices are the ones before. Of a model with a `period`, less than that, and its
  /// period stands for 0.
  std::size_t device = 0;
  double most_time = std::numeric_limits<double>::max();  ///< options with a greater `time` are of no use
  std::optional<double> memory{};                         ///< bytes of a device; unset: no limit
  /// Whether, of options on as many replicas and ways, only one is of use of which most microbatches fit into `memory`, however
  /// much `time` it takes up to `most_time`.
  bool roomiest = false;
  std::size_t most_devices = std::numeric_limits<std::size_t>::max();  ///< options on more are of no use
  std::size_t least_held = 1;  ///< microbatches in flight: options of which fewer fit into `memory` are of no use
  std::size_t most_held = std::numeric_limits<std::size_t>::max();  ///< likewise: room for more of them is of no use
  /// Whether replicas take turns, so that each of r holds 1 + (h - 1) / r, rounded up, of h microbatches.
  bool take_turns = false;

  /// How many of `h` microbatches each of `replicas` holds.
  [[nodiscard]] constexpr std::size_t share_of(std::size_t h, std::size_t replicas) const noexcept {
    return !take_turns || h < 2 ? h : 2 + (h - 2) / replicas;
  }
};

namespace detail {

/// Takes whatever option it is shown: for concepts.
struct any_option_visitor {
  void operator()(const stage_option&) const noexcept {}
};

}  // namespace detail

/// What planners of stages with replicas and tensor parallelism ask of a model: the ways to run a stage. A stage lies between
/// two *points*, `0 <= first < last <= size()`: the cut points of a chain of `size()` items, or other sets of layers, each of
/// which has all that its layers need, numbered so that what a set holds has a smaller number.
///
/// | expression | meaning |
/// |---|---|
/// | `m.size()` | the last point: all of the model |
/// | `m.each_option(query, visit)` | calls `visit(option)` for the options of a stage, of those that are of use at least all that no other one beats |
///
/// Optional members:
///
/// | member | meaning |
/// |---|---|
/// | `each_stage(last, visit)` | calls `visit(first, options)` for the stages that end at a point, narrower ones before wider ones, where `options.each_option(query, visit)` are those of the stage; `visit` returns false where wider stages are of no use. Without it: all `[first, last)` |
/// | `each_stage_between(last, least, most, visit)` | the same for the stages before which there is `least_work` from `least` to `most` |
/// | `least_work(point)` | seconds of a device, at least, that all before a point takes, whatever the options: of a stage no option has `devices() * time` below the difference of those of its points |
/// | `is_chain` | true, a constant, if points are cut points of a chain although there is `each_stage` |
/// | `period()` | after how many devices positions repeat, where links differ: a divisor of the number of devices. Without it positions do not matter |
///
/// Axioms: pure; finite and not negative; a wider stage has for each option an option of the narrower one with as many
/// replicas and ways and no more time, bytes that stay, and bytes of a microbatch.
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

/// The same, for the stages before which there is work from `least` to `most`, and maybe for others.
template <stage_option_model Model, class Visit>
void each_stage_between(const Model& model, std::size_t last, double least, double most, const Visit& visit) {
  if constexpr (requires { model.each_stage_between(last, least, most, visit); }) {
    model.each_stage_between(last, least, most, visit);
  } else {
    detail::each_stage_to(model, last, visit);
  }
}

/// After how many devices positions repeat; 1: they do not matter.
template <stage_option_model Model>
[[nodiscard]] std::size_t period_of(const Model& model) {
  if constexpr (requires { model.period(); }) return model.period();
  return 1;
}

/// What all before a point takes at least; 0 if the model does not tell.
template <stage_option_model Model>
[[nodiscard]] double least_work_of(const Model& model, std::size_t point) {
  if constexpr (requires { model.least_work(point); }) return model.least_work(point);
  return 0;
}

}  // namespace detail
}  // namespace stagecut::inline STAGECUT_ABI
