// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/core/plan.hpp>
#include <stagecut/core/view.hpp>

namespace stagecut::inline v0 {

/// When each pass runs if every stage has a device of its own and transfers take no time.
///
/// Stage s runs N forward passes, then a backward and a forward pass in turn, then the backward passes that are left,
/// microbatches in order, where N is what it may have in flight: 1F1B with N = min(p - s, m), GPipe with N = m.
///
/// @param forward       seconds of every stage; of length p
/// @param backward      likewise
/// @param in_flight     N of every stage, at least 1, never rising from a stage to the next
/// @param microbatches  of the iteration, m
/// @return              the 2 m passes of stage 0 in the order in which it runs them, then those of stage 1, …; the largest
///                      `end` is the makespan
/// @throws              argument_error if the lengths differ or `in_flight` would deadlock
///
/// The longest path through data and order edges, in O(p m).
[[nodiscard]] inline std::vector<timed_pass> predict_timeline(view<const double> forward, view<const double> backward,
                                                              view<const std::size_t> in_flight,
                                                              std::size_t microbatches) {
  const std::size_t stages = forward.size();
  if (backward.size() != stages || in_flight.size() != stages) {
    detail::fail(argument_error("predict_timeline", "in_flight", std::to_string(in_flight.size()),
                                "must have as many elements as forward and backward"));
  }
  for (std::size_t s = 0; s < stages; ++s) {
    if (in_flight[s] != 0 && (s == 0 || in_flight[s] <= in_flight[s - 1])) continue;
    detail::fail(argument_error("predict_timeline", detail::joined("in_flight[", std::to_string(s), "]"),
                                std::to_string(in_flight[s]),
                                "must be at least 1 and not above that of the stage before"));
  }
  struct progress {
    std::size_t forward = 0;
    std::size_t backward = 0;
    double free = 0;  // when the device is
  };
  std::vector<progress> at(stages);
  // Of microbatch k on stage s, at [s * m + k].
  std::vector<double> forward_end(stages * microbatches);
  std::vector<double> backward_end(stages * microbatches);
  std::vector<timed_pass> result(2 * stages * microbatches);
  // One step of stage s, if its next pass has what it needs.
  const auto step = [&](std::size_t s) {
    progress& here = at[s];
    const bool back = here.forward == microbatches || here.forward - here.backward == in_flight[s];
    const std::size_t k = back ? here.backward : here.forward;
    if (k == microbatches) return false;
    const bool end_of_chain = back ? s + 1 == stages : s == 0;
    const std::size_t source = back ? s + 1 : s - 1;  // the stage that it waits for
    if (!end_of_chain && (back ? at[source].backward : at[source].forward) <= k) return false;
    const double ready = !end_of_chain ? (back ? backward_end : forward_end)[source * microbatches + k]
                         : back        ? forward_end[s * microbatches + k]
                                       : 0;
    const double start = here.free < ready ? ready : here.free;
    here.free = start + (back ? backward : forward)[s];
    (back ? backward_end : forward_end)[s * microbatches + k] = here.free;
    result[2 * s * microbatches + here.forward + here.backward] = {s, k, back, start, here.free};
    ++(back ? here.backward : here.forward);
    return true;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t s = 0; s < stages; ++s) {
      while (step(s)) moved = true;
    }
  }
  return result;
}

}  // namespace stagecut::inline v0
