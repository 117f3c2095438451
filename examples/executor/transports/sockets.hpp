// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <stagecut/schedule/op.hpp>

#include "transports/inbox.hpp"
#include "transports/queues.hpp"
#include "transports/transport.hpp"
#include "work/clock.hpp"

namespace executor {

/// Unix domain sockets between the processes of a machine: one connection for every pair of ranks.
///
/// A thread for each reads what comes, so that nobody waits with sending for one that computes.
class socket_transport final : public transport {
  using protocol = boost::asio::local::stream_protocol;

 public:
  /// Waits for all other ranks.
  ///
  /// @param directory  that the ranks share: rank R listens at `rank-R.sock`
  /// @param largest    floats of a message
  /// @param timeout    seconds that the others may be waited for, and then every message
  /// @throws           std::runtime_error with the rank that has not come
  socket_transport(const std::filesystem::path& directory, std::size_t rank, std::size_t ranks, std::size_t largest,
                   double timeout, link_delay delay = nullptr)
      : rank_(rank), largest_(largest), timeout_(timeout), links_(ranks, std::move(delay)) {
    const auto at = [&](std::size_t r) {
      return protocol::endpoint((directory / fmt::format("rank-{}.sock", r)).string());
    };
    const double end = steady_seconds() + timeout;
    for (std::size_t r = 0; r < ranks; ++r) peers_.emplace_back(context_);
    protocol::acceptor door(context_, at(rank));
    for (std::size_t r = 0; r < rank; ++r) connect(r, at(r), end);
    for (std::size_t r = rank + 1; r < ranks; ++r) accept(door, end);
    for (std::size_t r = 0; r < ranks; ++r) {
      if (r != rank) readers_.emplace_back([this, r] { read_from(r); });
    }
  }
  ~socket_transport() override {
    boost::system::error_code ignored;
    for (auto& each : peers_) each.shutdown(protocol::socket::shutdown_both, ignored);
  }

  void send(std::size_t to, const stagecut::op& what, const float* data, std::size_t count) override {
    const double sent = steady_seconds();
    const header head{what.kind, what.stage, what.microbatch, count, sent, links_.arrival(to, what, sent)};
    write(to, &head, sizeof(head));
    write(to, data, count * sizeof(float));
  }

  message_marks receive(std::size_t from, const stagecut::op& what, float* data, std::size_t count) override {
    return receive_from(box_, timeout_, from, what, data, count);
  }

 private:
  /// What stands before the floats of a message.
  struct header {
    stagecut::op_kind kind;
    std::size_t stage, microbatch, count;
    double sent, arrived;  // the second: not before that
  };

  std::runtime_error absent(std::size_t rank) const {
    return std::runtime_error(fmt::format("rank {} has not come within {} s", rank, timeout_));
  }
  static peer_failed ended(std::size_t rank, const std::error_code& why) {
    return peer_failed(fmt::format("rank {} has ended ({}, code {})", rank, why.message(), why.value()));
  }

  void connect(std::size_t to, const protocol::endpoint& at, double end) {
    for (boost::system::error_code failed; peers_[to].connect(at, failed);) {
      if (steady_seconds() > end) throw absent(to);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    limit_writing(to);
    write(to, &rank_, sizeof(rank_));
  }

  void accept(protocol::acceptor& door, double end) {
    const auto wait = [&](auto& on) {
      pollfd until{on.native_handle(), POLLIN, 0};
      if (::poll(&until, 1, static_cast<int>(1000 * std::max(end - steady_seconds(), 0.0))) > 0) return;
      std::size_t missing = rank_ + 1;
      while (peers_[missing].is_open()) ++missing;
      throw absent(missing);
    };
    wait(door);
    protocol::socket from = door.accept();
    wait(from);
    std::size_t rank = 0;
    boost::asio::read(from, boost::asio::buffer(&rank, sizeof(rank)));
    if (rank <= rank_ || rank >= peers_.size() || peers_[rank].is_open()) throw std::runtime_error("a stranger came");
    peers_[rank] = std::move(from);
    limit_writing(rank);
  }

  /// Of Asio's functions none gives up writing after a time.
  void limit_writing(std::size_t to) {
    const auto whole = static_cast<time_t>(timeout_);
    const timeval most{whole, static_cast<suseconds_t>(1e6 * (timeout_ - static_cast<double>(whole)))};
    ::setsockopt(peers_[to].native_handle(), SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
  }

  void write(std::size_t to, const void* data, std::size_t bytes) {
    for (const char* at = static_cast<const char*>(data); bytes != 0;) {
      const ssize_t sent = ::send(peers_[to].native_handle(), at, bytes, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0 && errno == EAGAIN) {
        throw std::runtime_error(fmt::format("rank {} has taken nothing for {} s", to, timeout_));
      }
      if (sent < 0) throw ended(to, {errno, std::generic_category()});
      at += sent;
      bytes -= static_cast<std::size_t>(sent);
    }
  }

  void read_from(std::size_t from) {
    try {
      for (header head{};;) {
        boost::asio::read(peers_[from], boost::asio::buffer(&head, sizeof(head)));
        if (head.count > largest_) throw std::length_error(fmt::format("a message of {} floats", head.count));
        message content{std::vector<float>(head.count), head.sent, 0};
        boost::asio::read(peers_[from], boost::asio::buffer(content.data));
        content.arrived = std::max(head.arrived, steady_seconds());
        box_.put(from, {.kind = head.kind, .stage = head.stage, .microbatch = head.microbatch}, std::move(content));
      }
    } catch (const boost::system::system_error& error) {
      box_.fail(from, ended(from, error.code()).what());
    } catch (const std::exception& error) {
      box_.fail(from, fmt::format("rank {} sent what cannot be taken: {}", from, error.what()));
    }
  }

  std::size_t rank_;
  std::size_t largest_;
  double timeout_;
  slow_links links_;
  inbox box_;
  boost::asio::io_context context_;
  std::vector<protocol::socket> peers_;  // by rank; its own place is closed
  std::vector<std::jthread> readers_;    // last, so that they end before what they use
};

}  // namespace executor
