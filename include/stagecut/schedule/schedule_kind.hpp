// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <stagecut/core/detail/language.hpp>

namespace stagecut::inline v0 {

/// The schedules that the library makes.
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
  sapp_less_memory                 ///< the same with the shorter warm-up
};

/// What a schedule is called, and what it asks for.
struct schedule_entry {
  schedule_kind kind{};          ///< which
  const char* name = "";         ///< on a command line, in plans and of the `schedule` made
  const char* describes = "";    ///< in at most 60 characters
  std::size_t chunks = 1;        ///< stages that every rank has; 0: any number
  bool splits_backward = false;  ///< whether it uses I and W
};

/// All of them, in the order of `schedule_kind`.
inline constexpr schedule_entry schedules[] = {
    {schedule_kind::gpipe, "gpipe", "all forward passes, then all backward passes"},
    {schedule_kind::gpipe_lifo, "gpipe-lifo", "gpipe, backward the last microbatch first"},
    {schedule_kind::one_forward_one_backward, "1f1b", "a forward and a backward pass in turn, at most p in flight"},
    {schedule_kind::eager_one_forward_one_backward, "eager-1f1b",
     "1f1b with up to 2p - 1 in flight, to hide transfers"},
    {schedule_kind::in_flight, "in-flight", "1f1b with a given number of microbatches in flight"},
    {schedule_kind::interleaved, "interleaved", "1f1b with several stages a rank, as Megatron-LM", 0},
    {schedule_kind::looped_bfs, "looped-bfs", "several stages a rank, each runs all microbatches", 0},
    {schedule_kind::zb_h1, "zb-h1", "1f1b whose bubbles W fills in part", 1, true},
    {schedule_kind::zb_h2, "zb-h2", "no bubbles, for twice the activations of 1f1b", 1, true},
    {schedule_kind::interleaved_zero_bubble, "interleaved-zb", "interleaved whose bubbles W fills in part", 0, true},
    {schedule_kind::zbv, "zbv", "no bubbles, two stages a rank, down and back up", 2, true},
    {schedule_kind::dualpipev, "dualpipev", "two stages a rank, down and back up, F overlaps with B", 2, true},
    {schedule_kind::sliced, "seq-1f1b", "1f1b over slices of the sequence"},
    {schedule_kind::sapp_big, "sapp-big", "interleaved as SAPP plans it", 0},
    {schedule_kind::sapp_less_memory, "sapp-less-memory", "interleaved as SAPP plans it, with a shorter warm-up", 0},
};

/// The schedule of that name; null: there is none.
[[nodiscard]] constexpr const schedule_entry* find_schedule(std::string_view name) noexcept {
  for (const schedule_entry& each : schedules) {
    if (name == each.name) return &each;
  }
  return nullptr;
}

/// The name of a schedule, as it is given on a command line and written to plans.
[[nodiscard]] constexpr const char* to_string(schedule_kind kind) noexcept {
  return schedules[static_cast<std::size_t>(kind)].name;
}

/// Whether a schedule can be made for so many ranks, chunks and microbatches, and is not another one with a single chunk;
/// those that ask for more figures cannot.
[[nodiscard]] constexpr bool has_shape(schedule_kind kind, std::size_t ranks, std::size_t chunks,
                                       std::size_t microbatches) noexcept {
  if (ranks == 0 || chunks == 0 || microbatches == 0) return false;
  const std::size_t wanted = schedules[static_cast<std::size_t>(kind)].chunks;
  if (wanted == 0 ? chunks == 1 : wanted != chunks) return false;
  switch (kind) {
    case schedule_kind::in_flight:
    case schedule_kind::sliced: return false;
    case schedule_kind::interleaved: return microbatches % ranks == 0;
    case schedule_kind::zb_h1:
    case schedule_kind::zb_h2:
    case schedule_kind::dualpipev: return microbatches >= 2 * ranks;
    case schedule_kind::interleaved_zero_bubble:
      return microbatches < ranks || microbatches % (microbatches / ranks) == 0;
    case schedule_kind::sapp_big:
    case schedule_kind::sapp_less_memory: return microbatches >= ranks;
    default: return true;
  }
}

}  // namespace stagecut::inline v0
