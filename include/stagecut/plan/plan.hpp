// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/cuts.hpp>
#include <stagecut/core/outcome.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/profile/profile.hpp>
#include <stagecut/profile/stage_memory.hpp>
#include <stagecut/schedule/op.hpp>

namespace stagecut::inline v0 {

/// One stage of a plan.
struct planned_stage {
  std::size_t device = 0;     ///< that runs it, from 0
  double cost = 0;            ///< what the objective saw, in its unit
  double forward = 0;         ///< seconds of a microbatch on its device
  double backward = 0;        ///< likewise, recomputation included
  std::size_t in_flight = 0;  ///< microbatches whose activations it keeps at most; 0: not known
  stage_memory memory{};      ///< all 0 where `in_flight` is not known

  /// Equal in every part.
  friend bool operator==(const planned_stage&, const planned_stage&) = default;
};

/// Which schedule a plan is for.
struct schedule_choice {
  std::string name{};            ///< `gpipe`, `1f1b`, one of `schedules`; empty: none was chosen
  std::size_t microbatches = 0;  ///< of one iteration; 0: not known

  /// Equal in every part.
  friend bool operator==(const schedule_choice&, const schedule_choice&) = default;
};

/// What was minimised, and how far.
struct objective_value {
  std::string name{};  ///< `bottleneck`, `makespan`, `range`, `variance`, `leximax`
  std::string of{};    ///< of which cost: `time`, `parameters`, `layers`, …
  double value = 0;    ///< of the plan; of a variance in its unit squared, of `leximax` the heaviest stage
  double bound = 0;    ///< no plan has less
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
  std::optional<double> per_device{};  ///< bytes of a device; unset: no limit was given
  double buffer_fraction = 0;          ///< of `per_device`, kept free

  /// Equal in every part.
  friend bool operator==(const memory_model&, const memory_model&) = default;
};

/// What messages between neighbouring stages take.
struct message_model {
  std::string kind{};               ///< what they occupy: `link`, `latency`, `stream`, `blocking`; empty: no links
  std::vector<link_speed> links{};  ///< of every boundary of stages, or one for all; empty: messages take no time

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
  stagecut::profile profile{};          ///< what was planned
  stagecut::cuts cuts{};                ///< where its layers are cut: `devices * chunks` stages
  std::size_t devices = 0;              ///< pipeline ranks
  std::size_t chunks = 1;               ///< stages of every device
  std::vector<planned_stage> stages{};  ///< in the order of the model
  schedule_choice schedule{};           ///< what they run as
  objective_value objective{};          ///< why these
  memory_model memory{};                ///< within what
  std::vector<double> speeds{};         ///< of every device, above 0, 1: as profiled; empty: all 1
  message_model messages{};             ///< over which links
  std::optional<double>
      makespan{};  ///< predicted seconds of an iteration, messages included if their links were known; unset: not predicted
  std::vector<timed_pass> timeline{};  ///< predicted, device by device, by start; may be empty
  std::string unknown_fields{};        ///< a JSON object of what this version does not know; empty: nothing

  /// Equal in every part.
  friend bool operator==(const plan&, const plan&) = default;
};

}  // namespace stagecut::inline v0
