// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/core/cuts.hpp>
#include <stagecut/core/words.hpp>
#include <stagecut/plan/target.hpp>
#include <stagecut/schedule/makespan_parts.hpp>
#include <stagecut/schedule/search_limits.hpp>

// What `explain_plan` is asked, and what it answers. Times are in the unit of the plan.
namespace stagecut::inline STAGECUT_ABI {

/// How a plan is explained. What is not said stays at its default.
struct explain_options {
  /// Of each search that cuts the plan anew. By default as many nodes as a fraction of a second takes, so that the answer is
  /// the same on every machine; no node and no time: nothing is cut anew. Its time and its stop end prices, and changes, too.
  search_limits limits{std::nullopt, 2000, {}, {}};
  std::size_t most_changes = 3;  ///< that are told
  /// The framework that will run the plan: changes that it cannot be told are not told, and memory has the price of plans for
  /// it.
  stagecut::framework target = stagecut::framework::none;
};

/// What a stage adds to the critical path.
struct path_share {
  double forward = 0;          ///< of its F
  double backward = 0;         ///< of its B
  double backward_input = 0;   ///< of its I
  double backward_weight = 0;  ///< of its W
  double update = 0;           ///< what it does at the end of the iteration

  /// The sum of all.
  [[nodiscard]] double total() const noexcept { return forward + backward + backward_input + backward_weight + update; }

  /// Equal in every part.
  friend bool operator==(const path_share&, const path_share&) = default;
};

/// The passes and messages that follow each other without a gap from the beginning of an iteration to its end: one such path,
/// if there are several. The shares add up to the makespan, but for rounding.
struct critical_path_shares {
  std::vector<path_share> stages{};  ///< of every stage
  std::vector<double> messages{};    ///< of every boundary between stages, in both directions

  /// The sum of all.
  [[nodiscard]] double total() const noexcept;

  /// Equal in every part.
  friend bool operator==(const critical_path_shares&, const critical_path_shares&) = default;
};

/// How much shorter the iteration is with one per cent less of something: each the difference of two simulations of the
/// plan's own schedule, stages and messages, of which the second has that changed and nothing else. What an order of passes
/// and messages waits for is fixed, so nothing is below zero, but for rounding.
struct shadow_prices {
  std::string unknown{};          ///< why none is known; empty: all are
  std::vector<double> layers{};   ///< of the passes of every layer, with what is computed again
  std::vector<double> devices{};  ///< of the passes of all stages of every device
  std::vector<double>
      links{};           ///< of the messages over every boundary: latency and time per byte; empty: they take none
  double all_links = 0;  ///< of all messages
  double update = 0;     ///< of what stages do at the end of an iteration

  /// Equal in every part.
  friend bool operator==(const shadow_prices&, const shadow_prices&) = default;
};

/// When the iteration ends of the best cuts that are known for one per cent more memory of each device and one per cent
/// less: of the plan itself, if it fits, and of what was found by cutting it anew for the same devices, chunks, schedule,
/// microbatches and links.
struct memory_price {
  std::string unknown{};         ///< why it is not known; empty: it is
  double as_is = 0;              ///< with the memory that the plan has
  double more = 0;               ///< with one per cent more
  std::optional<double> less{};  ///< with one per cent less; unset: no cut that fits is known
  bool proved = false;           ///< whether no cut at all has its passes done earlier, each time

  /// Equal in every part.
  friend bool operator==(const memory_price&, const memory_price&) = default;
};

/// What kind of change would help.
enum class change_kind : std::uint8_t {
  boundary,      ///< one boundary between stages moves by one layer, or by the layers that have to stay together
  cuts,          ///< the model is cut anew, by the makespan
  schedule,      ///< the same cut runs by another schedule
  microbatches,  ///< an iteration has more of them
  group,         ///< stages take turns after another group of microbatches
  bandwidth,     ///< messages go twice as fast
  device         ///< the device that computes longest is 10 % faster
};

/// The words for kinds of changes.
inline constexpr word<change_kind> change_words[] = {
    {"boundary", change_kind::boundary}, {"cuts", change_kind::cuts},
    {"schedule", change_kind::schedule}, {"microbatches", change_kind::microbatches},
    {"group", change_kind::group},       {"bandwidth", change_kind::bandwidth},
    {"device", change_kind::device}};

/// The word for a kind of change.
[[nodiscard]] constexpr const char* to_string(change_kind kind) noexcept {
  return stagecut::name_of(change_words, kind);
}

/// A change of a plan, simulated. It stays within the memory of the devices, and parts no layers that a profile keeps
/// together.
struct plan_change {
  change_kind kind{};            ///< which
  std::size_t index = 0;         ///< of a boundary, the stage behind it; of a device, which; the group
  stagecut::cuts cuts{};         ///< where the model is cut then
  std::string schedule{};        ///< by which it runs then; empty: an order of its own
  std::size_t microbatches = 0;  ///< of an iteration then
  double makespan = 0;           ///< of an iteration then
  double saved = 0;              ///< of an iteration of as many microbatches as before

  /// Equal in every part.
  friend bool operator==(const plan_change&, const plan_change&) = default;
};

/// What holds the iteration of a plan.
struct plan_explanation {
  double makespan = 0;     ///< of the iteration, simulated
  makespan_parts parts{};  ///< of the mean device: its work, and idle time by cause
  /// Of every device. Its work is its own; where it has less than the mean, it is idle for that much longer because of the
  /// imbalance.
  std::vector<makespan_parts> devices{};
  critical_path_shares path{};  ///< what the makespan is made of, one thing after the other
  shadow_prices less{};         ///< what one per cent less is worth
  memory_price memory{};        ///< what one per cent of the memory is worth
  bool all_changes = true;      ///< whether all changes were tried: there was time
  bool cut_proved = false;      ///< whether the plan says that no cut has its passes done earlier
  /// What would help most: of each kind the best change, those that save most first.
  std::vector<plan_change> changes{};
};

}  // namespace stagecut::inline STAGECUT_ABI

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/plan/detail/plan_explanation.ipp>
#endif
