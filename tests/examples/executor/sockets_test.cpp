// SPDX-License-Identifier: BSL-1.0
#include "transports/sockets.hpp"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "small_run.hpp"

namespace {

namespace fs = std::filesystem;
using executor::peer_failed;
using executor::socket_transport;
using stagecut::op;
using stagecut::op_kind;

constexpr std::size_t largest = 1 << 20U;

struct folder {
  folder() {
    std::string name = (fs::temp_directory_path() / "test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~folder() { fs::remove_all(path); }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  fs::path path{};
};

/// Does something on every rank, each a thread with a transport.
template <class Function>
void on_ranks(std::size_t ranks, double timeout, const Function& function) {
  const folder here;
  std::vector<std::jthread> threads;
  for (std::size_t r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      socket_transport links(here.path, r, ranks, largest, timeout);
      function(links, r);
    });
  }
}

op sending(std::size_t stage, std::size_t microbatch) {
  return {.kind = op_kind::send_forward, .stage = stage, .microbatch = microbatch};
}

/// Rank 0's reaction to a rank 1 that says something, takes nothing, and leaves after a second.
template <class Function>
void beside_impostor(const std::string& text, double timeout, const Function& function) {
  const folder here;
  const std::jthread impostor([&] {
    const int line = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un at{AF_UNIX, {}};
    (here.path / "link-0-1").string().copy(at.sun_path, sizeof(at.sun_path) - 1);
    while (::connect(line, reinterpret_cast<const sockaddr*>(&at), sizeof(at)) != 0) std::this_thread::yield();
    CHECK(::send(line, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size()));
    std::this_thread::sleep_for(std::chrono::seconds(1));
    ::close(line);
  });
  socket_transport links(here.path, 0, 2, largest, timeout);
  function(links);
}

}  // namespace

TEST_CASE("every rank hears of every other one, whatever comes first, and large messages cross") {
  on_ranks(3, 30, [](socket_transport& links, std::size_t rank) {
    executor::meet(links, rank, 3);
    std::vector<float> data(largest);
    for (std::size_t to = 0; to < 3; ++to) {
      for (std::size_t k = 0; to != rank && k < 3; ++k) {
        data[largest - 1] = static_cast<float>(10 * rank + k);
        links.send(to, sending(rank, k), data.data(), data.size());
      }
    }
    for (std::size_t from = 0; from < 3; ++from) {
      for (std::size_t k = 3; from != rank && k-- > 0;) {
        const auto marks = links.receive(from, sending(from, k), data.data(), data.size());
        CHECK(data[largest - 1] == static_cast<float>(10 * from + k));
        CHECK(marks.sent.seconds <= marks.arrived.seconds);
      }
    }
    executor::meet(links, rank, 3);
  });
}

TEST_CASE("a rank that never comes is named") {
  const folder here;
  const auto join = [&](std::size_t rank, std::size_t ranks) {
    return failure_of<std::runtime_error>(
               [&] { return std::make_unique<socket_transport>(here.path, rank, ranks, largest, 0.2); })
        .first;
  };
  CHECK(join(0, 2) == "rank 1 did not come within 0.2 s");
  CHECK(join(1, 3) == "rank 0 did not come within 0.2 s");
  CHECK(join(0, 2) == "bind: Address already in use");
}

TEST_CASE("what was sent arrives, and then the end of its sender is told") {
  on_ranks(2, 30, [](socket_transport& links, std::size_t rank) {
    float data = 7;
    executor::meet(links, rank, 2);
    if (rank == 1) return links.send(0, sending(1, 0), &data, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    data = 0;
    links.receive(1, sending(1, 0), &data, 1);
    CHECK(data == 7);
    const auto next = [&] { return links.receive(1, sending(1, 1), &data, 1), 0; };
    CHECK(failure_of<peer_failed>(next).first == "rank 1 has ended (End of file, code 2)");
    const auto send = [&] { return links.send(1, sending(0, 0), &data, 1), 0; };
    CHECK(failure_of<peer_failed>(send).first == "rank 1 has ended (Broken pipe, code 32)");
  });
}

TEST_CASE("nobody waits longer than the time limit: for a message, or for one that takes none") {
  beside_impostor("", 0.3, [](socket_transport& links) {
    std::vector<float> data(largest);
    const auto take = [&] { return links.receive(1, sending(1, 0), data.data(), 1), 0; };
    CHECK(failure_of<std::runtime_error>(take).first == "nothing came from rank 1 within 0.3 s");
    const auto send = [&] { return links.send(1, sending(0, 0), data.data(), data.size()), 0; };
    CHECK(failure_of<std::runtime_error>(send).first == "rank 1 has taken nothing for 0.3 s");
  });
}

TEST_CASE("what is no message ends the link") {
  for (const auto& [text, why] : {std::pair{std::string(200, '\x01'), "Message too long, code 90"},
                                  {std::string(3, '\x01'), "End of file, code 2"}}) {
    beside_impostor(text, 30, [why = why](socket_transport& links) {
      float data = 0;
      const auto take = [&] { return links.receive(1, sending(1, 0), &data, 1), 0; };
      CHECK(failure_of<peer_failed>(take).first == std::string("rank 1 has ended (") + why + ")");
    });
  }
}
