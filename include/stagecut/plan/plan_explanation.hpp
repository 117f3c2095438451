// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/core/search_options.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/schedule/makespan_parts.hpp>

// The input and output of `explain_plan`. Times are in the unit of the plan.
namespace stagecut::inline STAGECUT_ABI {

/// How a plan is explained. Unset fields keep their defaults.
struct explain_options {
  /// Limits of each search that recuts the plan. By default as many nodes as a fraction of a second takes, so that the
  /// answer is the same on every machine; no node and no time: nothing is recut. Its time and stop also end prices and
  /// changes.
  search_options search{.node_limit = 2000};
  std::size_t most_changes = 3;  ///< the most that are listed
  /// The framework that will run the plan: changes that it cannot express are omitted, and the memory price is for
  /// plans that it can express.
  stagecut::framework target = stagecut::framework::none;
};

/// What a stage contributes to the critical path.
struct path_share {
  double forward = 0;          ///< of its F
  double backward = 0;         ///< of its B
  double backward_input = 0;   ///< of its I
  double backward_weight = 0;  ///< of its W
  double update = 0;           ///< its work at the end of the iteration

  /// The sum of all.
  [[nodiscard]] double total() const noexcept { return forward + backward + backward_input + backward_weight + update; }

  /// Member-wise equality.
  friend bool operator==(const path_share&, const path_share&) = default;
};

/// The critical path: passes and messages that follow each other without a gap from the start of an iteration to its
/// end; one such path if there are several. The shares add up to the makespan, up to rounding.
struct critical_path_shares {
  std::vector<path_share> stages{};  ///< share of each stage
  std::vector<double> messages{};    ///< share of each boundary between stages, both directions

  /// The sum of all.
  [[nodiscard]] double total() const noexcept;

  /// Member-wise equality.
  friend bool operator==(const critical_path_shares&, const critical_path_shares&) = default;
};

/// The reduction of the iteration for one per cent less of something: each the difference of two simulations of the
/// plan's own schedule, stages and messages, where the second changes that one quantity only. The dependencies of
/// passes and messages are fixed, so no price is negative, up to rounding.
struct shadow_prices {
  std::string unknown{};          ///< why none is known; empty: all are
  std::vector<double> layers{};   ///< of the passes of each layer, with recomputation
  std::vector<double> devices{};  ///< of the passes of all stages of each device
  std::vector<double>
      links{};           ///< of the messages over each boundary: latency and time per byte; empty: they take none
  double all_links = 0;  ///< of all messages
  double update = 0;     ///< of what stages do at the end of an iteration

  /// Member-wise equality.
  friend bool operator==(const shadow_prices&, const shadow_prices&) = default;
};

/// The makespans of the best known cuts for one per cent more memory of each device and one per cent less: the plan
/// itself, if it fits, and the results of recutting it for the same devices, stages per rank, schedule, microbatches
/// and links.
struct memory_price {
  std::string unknown{};         ///< why it is not known; empty if it is
  double as_is = 0;              ///< with the memory that the plan has
  double more = 0;               ///< with one per cent more
  std::optional<double> less{};  ///< with one per cent less; unset: no cut that fits is known
  bool proved = false;           ///< whether it is proved each time that no cut finishes its passes earlier

  /// Member-wise equality.
  friend bool operator==(const memory_price&, const memory_price&) = default;
};

/// The kinds of change.
enum class change_kind : std::uint8_t {
  boundary,      ///< one boundary between stages moves by one layer, or by an indivisible block
  cuts,          ///< the model is recut for the least makespan
  schedule,      ///< the same cut with another schedule
  microbatches,  ///< an iteration with more of them
  group,         ///< interleaving with another microbatch group
  bandwidth,     ///< messages twice as fast
  device         ///< the device that computes longest 10 % faster
};

/// The words for kinds of changes.
inline constexpr named<change_kind> change_names[] = {
    {"boundary", change_kind::boundary}, {"cuts", change_kind::cuts},
    {"schedule", change_kind::schedule}, {"microbatches", change_kind::microbatches},
    {"group", change_kind::group},       {"bandwidth", change_kind::bandwidth},
    {"device", change_kind::device}};

/// The word for a kind of change.
[[nodiscard]] constexpr const char* to_string(change_kind kind) noexcept {
  return stagecut::name_of(change_names, kind);
}

/// A simulated change of a plan. It stays within the devices' memory, and separates no layers that a profile keeps
/// together.
struct plan_change {
  change_kind kind{};            ///< the kind
  std::size_t index = 0;         ///< of a boundary, the stage after it; of a device, its number; the group
  stagecut::cuts cuts{};         ///< the cut after the change
  std::string schedule{};        ///< the schedule after the change; empty: an order of its own
  std::size_t microbatches = 0;  ///< per iteration after the change
  double makespan = 0;           ///< of an iteration after the change
  double saved = 0;              ///< of an iteration with as many microbatches as before

  /// Member-wise equality.
  friend bool operator==(const plan_change&, const plan_change&) = default;
};

/// What limits the iteration of a plan.
struct plan_explanation {
  double makespan = 0;     ///< of the iteration, simulated
  makespan_parts parts{};  ///< of the mean device: its work, and idle time by cause
  /// For each device. Its work is its own; a device with less than the mean work is idle for that much longer because
  /// of the imbalance.
  std::vector<makespan_parts> devices{};
  critical_path_shares path{};  ///< the makespan, as a sequence of shares
  shadow_prices less{};         ///< the value of one per cent less
  memory_price memory{};        ///< the value of one per cent of the memory
  bool all_changes = true;      ///< whether time sufficed to try all changes
  bool cut_proved = false;      ///< whether the plan claims as proved that no cut finishes its passes earlier
  /// The most helpful changes: the best of each kind, those that save most first.
  std::vector<plan_change> changes{};
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/plan_explanation.ipp>
#endif
