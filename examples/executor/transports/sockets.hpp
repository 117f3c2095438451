// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <thread>

#include "transports/queues.hpp"

namespace executor {

/// Unix domain sockets between the processes of a machine: one connection per pair of ranks, each with a reader thread,
/// so that senders do not wait for a busy receiver.
class socket_transport final : public transport {
  using protocol = boost::asio::local::stream_protocol;

 public:
  /// Waits for the other ranks.
  /// @param directory  shared by the ranks only: rank 0 waits for rank 1 at `link-0-1`
  /// @param largest    the most floats of a message
  /// @param timeout    seconds to wait for the others, and then for every message
  socket_transport(const std::string& directory, std::size_t rank, std::size_t ranks, std::size_t largest,
                   double timeout, link_delay delay = nullptr)
      : largest_(largest), timeout_(timeout), links_(ranks, std::move(delay)) {
    const double end = steady_seconds() + timeout;
    const auto at = [&](auto low, auto high) { return fmt::format("{}/link-{}-{}", directory, low, high); };
    std::vector<protocol::acceptor> doors;
    for (std::size_t r = 0; r < ranks; ++r) peers_.emplace_back(context_);
    for (std::size_t r = rank + 1; r < ranks; ++r) doors.emplace_back(context_, at(rank, r)).non_blocking(true);
    for (std::size_t r = 0; r < ranks; ++r) {
      for (boost::system::error_code failed; r != rank;) {
        r < rank ? peers_[r].connect(at(r, rank), failed) : doors[r - rank - 1].accept(peers_[r], failed);
        if (!failed) break;
        if (failed == boost::asio::error::no_descriptors) throw boost::system::system_error(failed, "links of a rank");
        if (steady_seconds() > end)
          throw std::runtime_error(fmt::format("rank {} did not come within {} s", r, timeout));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
    for (std::size_t r = 0; r < ranks; ++r) {
      if (r != rank) readers_.emplace_back([this, r] { read_from(r); });
    }
  }
  ~socket_transport() override {
    boost::system::error_code ignored;
    for (auto& peer : peers_) peer.shutdown(protocol::socket::shutdown_both, ignored);
  }

  void send(std::size_t to, const stagecut::op& what, const float* data, std::size_t count) override {
    const double sent = steady_seconds();
    const header head{what, count, sent, links_.arrival(to, what, sent)};
    write(to, reinterpret_cast<const char*>(&head), sizeof(head));
    write(to, reinterpret_cast<const char*>(data), count * sizeof(float));
  }
  message_marks receive(std::size_t from, const stagecut::op& what, float* data, std::size_t count) override {
    return receive_from(box_, timeout_, from, what, data, count);
  }

 private:
  struct header {
    stagecut::op what;
    std::size_t count;     // of the floats that follow
    double sent, arrived;  // no earlier than that
  };

  static peer_failed ended(std::size_t rank, const boost::system::error_code& why) {
    return peer_failed(fmt::format("rank {} has ended ({}, code {})", rank, why.message(), why.value()));
  }

  /// Asio's own functions would block forever.
  void write(std::size_t to, const char* data, std::size_t bytes) {
    for (ssize_t sent = 0; bytes != 0; data += sent, bytes -= static_cast<std::size_t>(sent)) {
      pollfd room{peers_[to].native_handle(), POLLOUT, 0};
      const int ready = ::poll(&room, 1, static_cast<int>(1000 * timeout_));
      if (ready == 0) throw std::runtime_error(fmt::format("rank {} has taken nothing for {} s", to, timeout_));
      sent = ::send(room.fd, data, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
      if (sent < 0) throw ended(to, {errno, boost::system::system_category()});
    }
  }
  void read_from(std::size_t from) try {
    for (header head{};;) {
      boost::asio::read(peers_[from], boost::asio::buffer(&head, sizeof(head)));
      if (head.count > largest_) throw boost::system::system_error(boost::asio::error::message_size);
      message content{std::vector<float>(head.count), head.sent, 0};
      boost::asio::read(peers_[from], boost::asio::buffer(content.data));
      content.arrived = std::max(head.arrived, steady_seconds());
      box_.put(from, head.what, std::move(content));
    }
  } catch (const boost::system::system_error& error) {
    box_.fail(from, ended(from, error.code()).what());
  }

  std::size_t largest_;
  double timeout_;
  slow_links links_;
  inbox box_;
  boost::asio::io_context context_;
  std::vector<protocol::socket> peers_;  // by rank; its own is closed
  std::vector<std::jthread> readers_;    // last, so that they end before what they use
};

}  // namespace executor
