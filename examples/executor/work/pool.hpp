// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "work/device.hpp"

namespace executor {

/// What memory is for.
enum class account { activations, messages, workspace, parameters };

/// The memory of a rank: hands out blocks of floats, counts them by what they are for, and keeps those given back.
///
/// Used by one thread; outlives its blocks.
class pool {
 public:
  /// @param poison  whether blocks are handed out full of NaN, so that who reads before writing is found out
  pool(device& on, bool poison) : on_(on), poison_(poison) {}
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;
  ~pool() {
    for (auto& [count, blocks] : free_) {
      for (float* const each : blocks) on_.release(each);
    }
  }

  /// The bytes of an account now.
  [[nodiscard]] std::size_t held(account of) const { return held_[static_cast<std::size_t>(of)] * sizeof(float); }
  /// The most bytes of an account at a time since `forget_peaks`.
  [[nodiscard]] std::size_t peak(account of) const { return peak_[static_cast<std::size_t>(of)] * sizeof(float); }
  void forget_peaks() { peak_ = held_; }

 private:
  friend class block;

  float* take(std::size_t count) {
    auto& blocks = free_[count];
    float* const data = blocks.empty() ? on_.allocate(count) : blocks.back();
    if (!blocks.empty()) blocks.pop_back();
    if (poison_) on_.fill(data, count, std::numeric_limits<float>::quiet_NaN());
    return data;
  }
  void give_back(float* data, std::size_t count) noexcept { free_[count].push_back(data); }
  void count(account of, std::size_t count) {
    const auto at = static_cast<std::size_t>(of);
    held_[at] += count;
    peak_[at] = std::max(peak_[at], held_[at]);
  }
  void discount(account of, std::size_t count) noexcept { held_[static_cast<std::size_t>(of)] -= count; }

  device& on_;
  bool poison_;
  std::map<std::size_t, std::vector<float*>> free_;
  std::array<std::size_t, 4> held_{};
  std::array<std::size_t, 4> peak_{};
};

/// Some floats of a pool, given back at the end. Empty by default.
class block {
 public:
  block() = default;
  block(pool& from, std::size_t count, account of) : from_(&from), data_(from.take(count)), size_(count), of_(of) {
    from.count(of, count);
  }
  block(block&& other) noexcept { *this = std::move(other); }
  block& operator=(block&& other) noexcept {
    std::swap(from_, other.from_), std::swap(data_, other.data_), std::swap(size_, other.size_),
        std::swap(of_, other.of_);
    return *this;
  }
  ~block() {
    if (data_ == nullptr) return;
    from_->discount(of_, size_);
    from_->give_back(data_, size_);
  }

  [[nodiscard]] float* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  /// Counts it elsewhere from now on.
  void move_to(account of) {
    if (data_ == nullptr) return;
    from_->discount(of_, size_);
    from_->count(of, size_);
    of_ = of;
  }

 private:
  pool* from_ = nullptr;
  float* data_ = nullptr;
  std::size_t size_ = 0;
  account of_ = account::workspace;
};

}  // namespace executor
