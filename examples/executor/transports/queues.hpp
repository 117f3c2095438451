// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <stagecut/schedule/op.hpp>

#include "transports/inbox.hpp"
#include "transports/transport.hpp"
#include "work/clock.hpp"

namespace executor {

/// Seconds of a message on its link; null: the actual time.
using link_delay = std::function<double(const stagecut::op&)>;

/// Takes a message from an inbox for a rank on the host, not before its arrival. If the rank waited, the message counts
/// as there when the rank has woken up.
inline message_marks receive_from(inbox& box, double timeout, std::size_t from, const stagecut::op& what, float* data,
                                  std::size_t count) {
  const double asked = steady_seconds();
  message content = box.take(from, what, timeout);
  if (content.data.size() != count) throw std::runtime_error("a message of another size came");
  hold_until(content.arrived);
  if (asked < content.arrived) content.arrived = steady_seconds();
  std::copy(content.data.begin(), content.data.end(), data);
  return {{content.sent, nullptr}, {content.arrived, nullptr}};
}

/// The links from a rank to all ranks: at full speed, or delayed, one message at a time.
class slow_links {
 public:
  slow_links(std::size_t ranks, link_delay delay) : delay_(std::move(delay)), free_(ranks) {}
  /// The arrival time of a scheduled message sent at a given time; other messages arrive at once.
  double arrival(std::size_t to, const stagecut::op& what, double sent) {
    if (!delay_ || !stagecut::is_transfer(what.kind)) return sent;
    return free_[to] = std::max(free_[to], sent) + delay_(what);
  }

 private:
  link_delay delay_;
  std::vector<double> free_;  // when the link to every rank is free
};

/// Queues between the threads of a process.
class queue_transport final : public transport {
 public:
  /// @param boxes    of all ranks; must outlive the transport
  /// @param timeout  seconds to wait for a message
  /// @param delay    of scheduled messages
  queue_transport(std::vector<inbox>& boxes, std::size_t rank, double timeout, link_delay delay = nullptr)
      : boxes_(boxes), rank_(rank), timeout_(timeout), links_(boxes.size(), std::move(delay)) {}

  void send(std::size_t to, const stagecut::op& what, const float* data, std::size_t count) override {
    const double sent = steady_seconds();
    message content{std::vector<float>(data, data + count), sent, links_.arrival(to, what, sent)};
    content.arrived = std::max(content.arrived, steady_seconds());
    boxes_[to].put(rank_, what, std::move(content));
  }

  message_marks receive(std::size_t from, const stagecut::op& what, float* data, std::size_t count) override {
    return receive_from(boxes_[rank_], timeout_, from, what, data, count);
  }

 private:
  std::vector<inbox>& boxes_;
  std::size_t rank_;
  double timeout_;
  slow_links links_;
};

}  // namespace executor
