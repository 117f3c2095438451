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

/// The uses of memory.
enum class account { activations, messages, workspace, parameters };

/// The memory of a rank: allocates blocks of floats, counts them by use, and keeps freed ones for reuse.
///
/// Used by one thread; must outlive its blocks.
class pool {
 public:
  /// @param poison  whether blocks are initialized to NaN, to reveal reads before writes
  pool(device& on, bool poison) : on_(on), poison_(poison) {}
  pool(const pool&) = delete;
  pool& operator=(const pool&) = delete;
  ~pool() {
    for (auto& [count, blocks] : free_) {
      for (float* const each : blocks) on_.release(each);
    }
  }

  /// The current bytes of an account.
  [[nodiscard]] std::size_t held(account of) const { return held_[static_cast<std::size_t>(of)] * sizeof(float); }
  /// The peak bytes of an account since `forget_peaks`.
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

/// Floats of a pool, returned on destruction. Empty by default.
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
  /// Counts it under another account from now on.
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
