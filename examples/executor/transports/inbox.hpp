// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <stagecut/schedule/op.hpp>

namespace executor {

/// A rank cannot continue because another one failed: a consequence, not the cause.
struct peer_failed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A message to a rank.
struct message {
  std::vector<float> data{};
  double sent = 0;     ///< by the steady clock
  double arrived = 0;  ///< by the same clock; may be in the future, if a slower link is simulated
  std::shared_ptr<const void> on_device{};  ///< replaces the others between ranks on GPUs: owned by the transport
};

/// The messages that arrived at a rank, by sender and op. Any thread may add one, or fail it.
class inbox {
 public:
  void put(std::size_t from, const stagecut::op& what, message content) {
    {
      const std::lock_guard lock(mutex_);
      messages_.emplace(key(from, what), std::move(content));
    }
    changed_.notify_all();
  }

  /// Ends all messages from one rank, or from all. The first reason is kept.
  void fail(std::optional<std::size_t> from, const std::string& why) {
    {
      const std::lock_guard lock(mutex_);
      if (from)
        closed_.emplace(*from, why);
      else if (!failed_)
        failed_ = why;
    }
    changed_.notify_all();
  }

  /// Waits for a message; delivers an arrived one even if its sender has failed since.
  /// @throws peer_failed after `fail`; std::runtime_error on timeout
  [[nodiscard]] message take(std::size_t from, const stagecut::op& what, double seconds) {
    std::unique_lock lock(mutex_);
    const auto wanted = key(from, what);
    const auto ready = [&] { return failed_ || messages_.count(wanted) != 0 || closed_.count(from) != 0; };
    const bool in_time = changed_.wait_for(lock, std::chrono::duration<double>(seconds), ready);
    if (!in_time) throw std::runtime_error(fmt::format("nothing came from rank {} within {} s", from, seconds));
    const auto found = messages_.find(wanted);
    if (failed_) throw peer_failed(*failed_);
    if (found == messages_.end()) throw peer_failed(closed_.at(from));
    message result = std::move(found->second);
    messages_.erase(found);
    return result;
  }

 private:
  using key_type = std::tuple<std::size_t, stagecut::op_kind, std::size_t, std::size_t>;
  static key_type key(std::size_t from, const stagecut::op& what) {
    return {from, what.kind, what.stage, what.microbatch};
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<key_type, message> messages_;
  std::map<std::size_t, std::string> closed_;
  std::optional<std::string> failed_;
};

}  // namespace executor
