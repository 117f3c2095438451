// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/core/names.hpp>
#include <stagecut/schedule/generators/dualpipev.hpp>
#include <stagecut/schedule/generators/gpipe.hpp>
#include <stagecut/schedule/generators/interleaved.hpp>
#include <stagecut/schedule/generators/looped_bfs.hpp>
#include <stagecut/schedule/generators/one_forward_one_backward.hpp>
#include <stagecut/schedule/generators/sapp_interleaved.hpp>
#include <stagecut/schedule/generators/sliced.hpp>
#include <stagecut/schedule/generators/zbv.hpp>
#include <stagecut/schedule/generators/zero_bubble.hpp>
#include <stagecut/schedule/schedule.hpp>
#include <stagecut/schedule/schedule_shape.hpp>

namespace stagecut::inline STAGECUT_ABI {

/// The schedules of the library. Each has a row in `schedules`, which holds its properties.
enum class schedule_kind : std::uint8_t {
  gpipe,                           ///< all forward passes, then all backward passes
  gpipe_lifo,                      ///< the same, with backward passes from the last microbatch to the first
  one_forward_one_backward,        ///< 1F1B, PipeDream-Flush, DAPPLE
  eager_one_forward_one_backward,  ///< 1F1B with more microbatches in flight, to hide transfers
  in_flight,                       ///< 1F1B with a given number of microbatches in flight on each rank
  interleaved,                     ///< 1F1B with several stages per rank: Megatron-LM's virtual pipeline
  looped_bfs,                      ///< several stages per rank, each runs all microbatches
  zb_h1,                           ///< zero bubble with the memory of 1F1B
  zb_h2,                           ///< zero bubble with twice that
  interleaved_zero_bubble,         ///< interleaved with split backward passes
  zbv,                             ///< zero bubble with two stages per rank, down and back up
  dualpipev,                       ///< the same placement, F overlapping with B
  sliced,                          ///< 1F1B over slices of the sequence
  sapp_big,                        ///< SAPP's interleaved 1F1B
  sapp_less_memory,                ///< the same with the shorter warm-up
  synthesized                      ///< a schedule synthesized for given stages: `synthesize_schedule`
};

/// A row of `schedules`: the name of a schedule, its parameters, and its function.
struct schedule_entry {
  schedule_kind kind{};                    ///< the kind
  const char* name = "";                   ///< its name on a command line, in plans and in the `schedule`
  const char* describes = "";              ///< a description of at most 60 characters
  std::size_t stages_per_rank = 1;         ///< stages per rank; 0: any number
  bool splits_backward = false;            ///< whether it uses I and W
  shape_figure takes = shape_figure::none;  ///< its parameter in addition to ranks, stages per rank and microbatches
  /// Makes it for a shape with the parameters of the row; null: `shape_figure::times`, a shape is not enough.
  schedule (*make)(const schedule_shape& shape) = nullptr;
  /// Whether it exists for this many ranks, stages per rank and microbatches, each at least 1; null: always.
  bool (*fits)(std::size_t ranks, std::size_t stages_per_rank, std::size_t microbatches) = nullptr;
  /// Whether it exists for groups of this many, at least 1, if it takes `group`; null: for none.
  bool (*fits_group)(std::size_t ranks, std::size_t stages_per_rank, std::size_t microbatches,
                     std::size_t group) = nullptr;
  /// The most microbatches in flight on a stage, one stage per rank; `all_in_flight`: all; null: depends on the order.
  std::size_t (*most_in_flight)(std::size_t stages, std::size_t stage) = nullptr;
  /// The kind that it stands for if ranks have several stages.
  schedule_kind with_stages_per_rank = kind;
  /// The kind that it stands for if the microbatches in flight are specified; itself: they cannot be.
  schedule_kind with_in_flight = kind;
  /// The kind that it stands for if the last microbatch keeps its activations and so goes back first; itself: it
  /// cannot.
  schedule_kind with_last_kept = kind;
  /// Whether another row is equal or preferable in everything that is compared.
  bool twin = false;
  /// Whether stages are placed down the ranks and back up, as in `v_placement`, and not in turn.
  bool v_shaped = false;
};

/// As `schedule_entry::most_in_flight`: all microbatches.
inline constexpr std::size_t all_in_flight = 0;

/// All schedules, in the order of `schedule_kind`.
inline constexpr schedule_entry schedules[] = {
    {.kind = schedule_kind::gpipe,
     .name = "gpipe",
     .describes = "all forward passes, then all backward passes",
     .make = [](const schedule_shape& of) { return gpipe(of.ranks, of.microbatches); },
     .most_in_flight = [](std::size_t, std::size_t) { return all_in_flight; },
     .with_last_kept = schedule_kind::gpipe_lifo},
    {.kind = schedule_kind::gpipe_lifo,
     .name = "gpipe-lifo",
     .describes = "gpipe, backward the last microbatch first",
     .make =
         [](const schedule_shape& of) { return gpipe(of.ranks, of.microbatches, backward_order::last_in_first_out); },
     .most_in_flight = [](std::size_t, std::size_t) { return all_in_flight; },
     .twin = true},
    {.kind = schedule_kind::one_forward_one_backward,
     .name = "1f1b",
     .describes = "a forward and a backward pass in turn, at most p in flight",
     .make = [](const schedule_shape& of) { return one_forward_one_backward(of.ranks, of.microbatches); },
     .most_in_flight = [](std::size_t stages, std::size_t stage) { return detail::let_in(1, stages, stage); },
     .with_stages_per_rank = schedule_kind::interleaved,
     .with_in_flight = schedule_kind::in_flight},
    {.kind = schedule_kind::eager_one_forward_one_backward,
     .name = "eager-1f1b",
     .describes = "1f1b with up to 2p - 1 in flight, to hide transfers",
     .make = [](const schedule_shape& of) { return eager_one_forward_one_backward(of.ranks, of.microbatches); },
     .most_in_flight = [](std::size_t stages, std::size_t stage) { return detail::let_in(2, stages, stage); }},
    {.kind = schedule_kind::in_flight,
     .name = "in-flight",
     .describes = "1f1b with a given number of microbatches in flight",
     .takes = shape_figure::in_flight,
     .make = [](const schedule_shape& of) { return in_flight_order(of.in_flight, of.microbatches); }},
    {.kind = schedule_kind::interleaved,
     .name = "interleaved",
     .describes = "1f1b with several stages a rank, as Megatron-LM",
     .stages_per_rank = 0,
     .takes = shape_figure::group,
     .make =
         [](const schedule_shape& of) {
           return interleaved_one_forward_one_backward(of.ranks, of.stages_per_rank, of.microbatches, of.group);
         },
     .fits = [](std::size_t p, std::size_t, std::size_t m) { return m % p == 0; },
     .fits_group = [](std::size_t p, std::size_t, std::size_t m,
                      std::size_t group) { return detail::fits_group(p, m, group); }},
    {.kind = schedule_kind::looped_bfs,
     .name = "looped-bfs",
     .describes = "several stages a rank, each runs all microbatches",
     .stages_per_rank = 0,
     .make = [](const schedule_shape& of) { return looped_bfs(of.ranks, of.stages_per_rank, of.microbatches); }},
    {.kind = schedule_kind::zb_h1,
     .name = "zb-h1",
     .describes = "1f1b whose bubbles W fills in part",
     .splits_backward = true,
     .make = [](const schedule_shape& of) { return zb_h1(of.ranks, of.microbatches); },
     .fits = [](std::size_t p, std::size_t, std::size_t m) { return m >= 2 * p; }},
    {.kind = schedule_kind::zb_h2,
     .name = "zb-h2",
     .describes = "no bubbles, for twice the activations of 1f1b",
     .splits_backward = true,
     .make = [](const schedule_shape& of) { return zb_h2(of.ranks, of.microbatches); },
     .fits = [](std::size_t p, std::size_t, std::size_t m) { return m >= 2 * p; }},
    {.kind = schedule_kind::interleaved_zero_bubble,
     .name = "interleaved-zb",
     .describes = "interleaved whose bubbles W fills in part",
     .stages_per_rank = 0,
     .splits_backward = true,
     .make =
         [](const schedule_shape& of) {
           return interleaved_zero_bubble(of.ranks, of.stages_per_rank, of.microbatches);
         },
     .fits = [](std::size_t p, std::size_t, std::size_t m) { return m < p || m % (m / p) == 0; }},
    {.kind = schedule_kind::zbv,
     .name = "zbv",
     .describes = "no bubbles, two stages a rank, down and back up",
     .stages_per_rank = 2,
     .splits_backward = true,
     .make = [](const schedule_shape& of) { return zbv(of.ranks, of.microbatches); },
     .v_shaped = true},
    {.kind = schedule_kind::dualpipev,
     .name = "dualpipev",
     .describes = "two stages a rank, down and back up, F overlaps with B",
     .stages_per_rank = 2,
     .splits_backward = true,
     .make = [](const schedule_shape& of) { return dualpipev(of.ranks, of.microbatches); },
     .fits = [](std::size_t p, std::size_t, std::size_t m) { return m >= 2 * p; },
     .v_shaped = true},
    {.kind = schedule_kind::sliced,
     .name = "seq-1f1b",
     .describes = "1f1b over slices of the sequence",
     .takes = shape_figure::slices,
     .make =
         [](const schedule_shape& of) {
           return sliced_one_forward_one_backward(of.ranks, of.microbatches, of.slices);
         }},
    {.kind = schedule_kind::sapp_big,
     .name = "sapp-big",
     .describes = "interleaved as SAPP plans it",
     .stages_per_rank = 0,
     .make =
         [](const schedule_shape& of) {
           return sapp_interleaved(of.ranks, of.stages_per_rank, of.microbatches, sapp_memory::big);
         },
     .fits = [](std::size_t p, std::size_t, std::size_t m) { return m >= p; },
     .twin = true},
    {.kind = schedule_kind::sapp_less_memory,
     .name = "sapp-less-memory",
     .describes = "interleaved as SAPP plans it, with a shorter warm-up",
     .stages_per_rank = 0,
     .make =
         [](const schedule_shape& of) {
           return sapp_interleaved(of.ranks, of.stages_per_rank, of.microbatches, sapp_memory::less);
         },
     .fits = [](std::size_t p, std::size_t, std::size_t m) { return m >= p; },
     .twin = true},
    {.kind = schedule_kind::synthesized,
     .name = "synthesize",
     .describes = "made for the stages as they are, within their memory",
     .stages_per_rank = 0,
     .takes = shape_figure::times},
};

namespace detail {

/// Whether every row is at the index of its kind.
[[nodiscard]] constexpr bool rows_in_order() noexcept {
  std::size_t place = 0;
  for (const schedule_entry& entry : schedules) {
    if (static_cast<std::size_t>(entry.kind) != place++) return false;
  }
  return true;
}
static_assert(rows_in_order());

}  // namespace detail

/// The number of rows of `schedules`, from the first, that have a `make`.
inline constexpr std::size_t schedules_made_by_shape = sizeof(schedules) / sizeof(schedules[0]) - 1;
static_assert(schedules[schedules_made_by_shape].make == nullptr);

/// The row of a schedule.
/// @throws argument_error for an invalid kind
[[nodiscard]] constexpr const schedule_entry& entry_of(schedule_kind kind) {
  const auto place = static_cast<std::size_t>(kind);
  if (place < sizeof(schedules) / sizeof(schedules[0])) return schedules[place];
  detail::fail(argument_error("entry_of", "kind", std::to_string(place), "must have a row in schedules"));
}

/// The schedule of that name, or null.
[[nodiscard]] constexpr const schedule_entry* find_schedule(std::string_view name) noexcept {
  return stagecut::find_name(schedules, name);
}

/// The name of a schedule, as on a command line and in plans.
[[nodiscard]] constexpr const char* to_string(schedule_kind kind) { return entry_of(kind).name; }

/// Whether a schedule has parameters other than ranks, stages per rank and microbatches.
[[nodiscard]] constexpr bool needs_more(const schedule_entry& entry) noexcept {
  return entry.takes != shape_figure::none && entry.takes != shape_figure::group;
}

/// Whether a request for the schedule may specify the microbatches in flight.
[[nodiscard]] constexpr bool may_limit_in_flight(const schedule_entry& entry) noexcept {
  return entry.with_in_flight != entry.kind;
}

/// Whether the last microbatch may keep its activations while the others are recomputed.
[[nodiscard]] constexpr bool may_keep_last(const schedule_entry& entry) noexcept {
  return entry.with_last_kept != entry.kind;
}

/// Whether a schedule exists for this many ranks, stages per rank and microbatches, in groups of `group` (0: its own),
/// and does not equal another kind with one stage per rank; false for kinds with further parameters.
[[nodiscard]] constexpr bool has_shape(schedule_kind kind, std::size_t ranks, std::size_t stages_per_rank,
                                       std::size_t microbatches, std::size_t group = 0) {
  const schedule_entry& entry = entry_of(kind);
  if (ranks == 0 || stages_per_rank == 0 || microbatches == 0 || needs_more(entry)) return false;
  if (entry.stages_per_rank == 0 ? stages_per_rank == 1 : entry.stages_per_rank != stages_per_rank) return false;
  if (group != 0) return entry.fits_group != nullptr && entry.fits_group(ranks, stages_per_rank, microbatches, group);
  return entry.fits == nullptr || entry.fits(ranks, stages_per_rank, microbatches);
}

}  // namespace stagecut::inline STAGECUT_ABI
