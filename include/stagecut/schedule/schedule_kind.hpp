// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <stagecut/core/error.hpp>
#include <stagecut/core/words.hpp>
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

/// The schedules that the library makes: each has a row in `schedules`, which says all else of it.
enum class schedule_kind : std::uint8_t {
  gpipe,                           ///< all forward passes, then all backward passes
  gpipe_lifo,                      ///< the same, backward the last microbatch first
  one_forward_one_backward,        ///< 1F1B, PipeDream-Flush, DAPPLE
  eager_one_forward_one_backward,  ///< 1F1B that lets more microbatches in, against the time of transfers
  in_flight,                       ///< 1F1B with as many microbatches in flight on each rank as one says
  interleaved,                     ///< 1F1B with several stages a rank: Megatron-LM's virtual pipeline
  looped_bfs,                      ///< several stages a rank, each runs all microbatches
  zb_h1,                           ///< zero bubble with the memory of 1F1B
  zb_h2,                           ///< zero bubble with twice that
  interleaved_zero_bubble,         ///< interleaved with split backward passes
  zbv,                             ///< zero bubble with two stages a rank, down and back up
  dualpipev,                       ///< the same placement, F overlapping with B
  sliced,                          ///< 1F1B over slices of the sequence
  sapp_big,                        ///< SAPP's interleaved 1F1B
  sapp_less_memory,                ///< the same with the shorter warm-up
  synthesized                      ///< an order made for the stages as they are: `synthesize_schedule`
};

/// A row of `schedules`: what a schedule is called, what it asks for, and how it is made.
struct schedule_entry {
  schedule_kind kind{};                    ///< which
  const char* name = "";                   ///< on a command line, in plans and of the `schedule` made
  const char* describes = "";              ///< in at most 60 characters
  std::size_t chunks = 1;                  ///< stages that every rank has; 0: any number
  bool splits_backward = false;            ///< whether it uses I and W
  shape_figure takes = shape_figure::none; ///< beside ranks, chunks and microbatches
  /// It, for a shape with what the row says; null: `shape_figure::times`, a shape is not enough.
  schedule (*make)(const schedule_shape& shape) = nullptr;
  /// Whether it can be made for so many ranks, chunks and microbatches, each at least 1; null: always.
  bool (*fits)(std::size_t ranks, std::size_t chunks, std::size_t microbatches) = nullptr;
  /// Whether it can be made for groups of so many, at least 1, for one that takes `group`; null: for none.
  bool (*fits_group)(std::size_t ranks, std::size_t chunks, std::size_t microbatches, std::size_t group) = nullptr;
  /// The most microbatches in flight on a stage of so many, one a rank; `all_in_flight`: all; null: only its order tells.
  std::size_t (*most_in_flight)(std::size_t stages, std::size_t stage) = nullptr;
  /// What is meant by it where ranks have several stages.
  schedule_kind with_chunks = kind;
  /// What is meant by it where one says how many microbatches are in flight; itself: nobody may say that.
  schedule_kind with_in_flight = kind;
  /// What is meant by it where the last microbatch keeps its activations, which goes back first then; itself: none may.
  schedule_kind with_last_kept = kind;
  /// Whether it is another row's in all that is compared, or one that nobody would choose before that.
  bool twin = false;
  /// Whether stages lie down the ranks and back up, as `v_placement` has it, and not in turn.
  bool v_shaped = false;
};

/// As `schedule_entry::most_in_flight`: every microbatch.
inline constexpr std::size_t all_in_flight = 0;

/// All of them, in the order of `schedule_kind`.
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
     .with_chunks = schedule_kind::interleaved,
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
     .chunks = 0,
     .takes = shape_figure::group,
     .make =
         [](const schedule_shape& of) {
           return interleaved_one_forward_one_backward(of.ranks, of.chunks, of.microbatches, of.group);
         },
     .fits = [](std::size_t p, std::size_t, std::size_t m) { return m % p == 0; },
     .fits_group = [](std::size_t p, std::size_t, std::size_t m,
                      std::size_t group) { return detail::fits_group(p, m, group); }},
    {.kind = schedule_kind::looped_bfs,
     .name = "looped-bfs",
     .describes = "several stages a rank, each runs all microbatches",
     .chunks = 0,
     .make = [](const schedule_shape& of) { return looped_bfs(of.ranks, of.chunks, of.microbatches); }},
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
     .chunks = 0,
     .splits_backward = true,
     .make = [](const schedule_shape& of) { return interleaved_zero_bubble(of.ranks, of.chunks, of.microbatches); },
     .fits = [](std::size_t p, std::size_t, std::size_t m) { return m < p || m % (m / p) == 0; }},
    {.kind = schedule_kind::zbv,
     .name = "zbv",
     .describes = "no bubbles, two stages a rank, down and back up",
     .chunks = 2,
     .splits_backward = true,
     .make = [](const schedule_shape& of) { return zbv(of.ranks, of.microbatches); },
     .v_shaped = true},
    {.kind = schedule_kind::dualpipev,
     .name = "dualpipev",
     .describes = "two stages a rank, down and back up, F overlaps with B",
     .chunks = 2,
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
     .chunks = 0,
     .make =
         [](const schedule_shape& of) {
           return sapp_interleaved(of.ranks, of.chunks, of.microbatches, sapp_memory::big);
         },
     .fits = [](std::size_t p, std::size_t, std::size_t m) { return m >= p; },
     .twin = true},
    {.kind = schedule_kind::sapp_less_memory,
     .name = "sapp-less-memory",
     .describes = "interleaved as SAPP plans it, with a shorter warm-up",
     .chunks = 0,
     .make =
         [](const schedule_shape& of) {
           return sapp_interleaved(of.ranks, of.chunks, of.microbatches, sapp_memory::less);
         },
     .fits = [](std::size_t p, std::size_t, std::size_t m) { return m >= p; },
     .twin = true},
    {.kind = schedule_kind::synthesized,
     .name = "synthesize",
     .describes = "made for the stages as they are, within their memory",
     .chunks = 0,
     .takes = shape_figure::times},
};

namespace detail {

/// Whether every row stands at the place of its kind.
[[nodiscard]] constexpr bool rows_in_order() noexcept {
  std::size_t place = 0;
  for (const schedule_entry& each : schedules) {
    if (static_cast<std::size_t>(each.kind) != place++) return false;
  }
  return true;
}
static_assert(rows_in_order());

}  // namespace detail

/// How many rows of `schedules`, the first ones, have a `make`.
inline constexpr std::size_t schedules_made_by_shape = sizeof(schedules) / sizeof(schedules[0]) - 1;
static_assert(schedules[schedules_made_by_shape].make == nullptr);

/// The row of a schedule.
/// @throws argument_error for what is no kind
[[nodiscard]] constexpr const schedule_entry& entry_of(schedule_kind kind) {
  const auto place = static_cast<std::size_t>(kind);
  if (place < sizeof(schedules) / sizeof(schedules[0])) return schedules[place];
  detail::fail(argument_error("entry_of", "kind", std::to_string(place), "must have a row in schedules"));
}

/// The schedule of that name; null: there is none.
[[nodiscard]] constexpr const schedule_entry* find_schedule(std::string_view name) noexcept {
  return stagecut::find_name(schedules, name);
}

/// The name of a schedule, as it is given on a command line and written to plans.
[[nodiscard]] constexpr const char* to_string(schedule_kind kind) { return entry_of(kind).name; }

/// Whether a schedule needs more than ranks, chunks and microbatches to be made.
[[nodiscard]] constexpr bool needs_more(const schedule_entry& entry) noexcept {
  return entry.takes != shape_figure::none && entry.takes != shape_figure::group;
}

/// Whether one may say how many microbatches are in flight where one asks for a schedule.
[[nodiscard]] constexpr bool may_limit_in_flight(const schedule_entry& entry) noexcept {
  return entry.with_in_flight != entry.kind;
}

/// Whether the last microbatch may keep its activations where the others are computed again.
[[nodiscard]] constexpr bool may_keep_last(const schedule_entry& entry) noexcept {
  return entry.with_last_kept != entry.kind;
}

/// Whether a schedule can be made for so many ranks, chunks and microbatches, these in groups of so many, 0: its own, and
/// is not another one with a single chunk; those that ask for more figures cannot.
[[nodiscard]] constexpr bool has_shape(schedule_kind kind, std::size_t ranks, std::size_t chunks,
                                       std::size_t microbatches, std::size_t group = 0) {
  const schedule_entry& entry = entry_of(kind);
  if (ranks == 0 || chunks == 0 || microbatches == 0 || needs_more(entry)) return false;
  if (entry.chunks == 0 ? chunks == 1 : entry.chunks != chunks) return false;
  if (group != 0) return entry.fits_group != nullptr && entry.fits_group(ranks, chunks, microbatches, group);
  return entry.fits == nullptr || entry.fits(ranks, chunks, microbatches);
}

}  // namespace stagecut::inline STAGECUT_ABI
