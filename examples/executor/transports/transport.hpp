// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>

#include <stagecut/schedule/op.hpp>

#include "work/device.hpp"

namespace executor {

/// The times when a message was sent and when it was there.
struct message_marks {
  device::mark sent{};
  device::mark arrived{};
};

/// The transport of a rank's messages. A message is identified by its sending op: SEND_F or SEND_B of a stage and
/// microbatch.
///
/// Used by the rank's thread only. Failures throw, no later than the transport's time limit.
class transport {
 public:
  transport() = default;
  transport(const transport&) = delete;
  transport& operator=(const transport&) = delete;
  virtual ~transport() = default;

  /// Sends floats to a rank. They may be overwritten after the call.
  virtual void send(std::size_t to, const stagecut::op& what, const float* data, std::size_t count) = 0;
  /// Announces a message from a rank, in the order of the schedule, for transports that have to post receives.
  virtual void expect(std::size_t from, const stagecut::op& what, std::size_t count) {
    static_cast<void>(from), static_cast<void>(what), static_cast<void>(count);
  }
  /// Waits for a message, and copies it.
  virtual message_marks receive(std::size_t from, const stagecut::op& what, float* data, std::size_t count) = 0;
};

/// Waits until all ranks arrive: rank 0 collects a message from each other rank, and answers them.
inline void meet(transport& over, std::size_t rank, std::size_t ranks) {
  const auto token = [](std::size_t of) {
    return stagecut::op{.kind = stagecut::op_kind::optimizer_step, .stage = of};
  };
  float nothing = 0;
  if (rank != 0) {
    over.send(0, token(rank), &nothing, 1);
    over.receive(0, token(0), &nothing, 1);
    return;
  }
  for (std::size_t r = 1; r < ranks; ++r) over.receive(r, token(r), &nothing, 1);
  for (std::size_t r = 1; r < ranks; ++r) over.send(r, token(0), &nothing, 1);
}

}  // namespace executor
