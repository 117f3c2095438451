// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/core/view.hpp>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

/// Memory of the device.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t size) : size_(size) {
    if (cudaMalloc(&data_, (size + 1) * sizeof(T)) != cudaSuccess) data_ = nullptr;  // there may be none to hold
  }
  explicit device_array(const std::vector<T>& from) : device_array(from.size()) {
    if (data_ != nullptr) cudaMemcpy(data_, from.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] bool read(std::vector<T>& to) const {
    to.resize(size_);
    return cudaMemcpy(to.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess;
  }

 private:
  T* data_ = nullptr;
  std::size_t size_;
};

/// Whether the kernel started; if it did not, says why, as that it was compiled for another GPU.
[[nodiscard]] inline bool started() {
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) std::printf("no kernel ran: %s\n", cudaGetErrorString(error));
  return error == cudaSuccess;
}

/// A `stagecut::memory_for` any type: copies on the device, which live as long as it does.
class device_memory {
 public:
  template <class T>
  [[nodiscard]] stagecut::view<const T> operator()(stagecut::view<const T> array) {
    const auto copy = std::make_shared<device_array<T>>(std::vector<T>(array.begin(), array.end()));
    copies_.push_back(copy);
    complete_ = complete_ && copy->data() != nullptr;
    return {copy->data(), array.size()};
  }

  /// Whether the device had room for all of them.
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  std::vector<std::shared_ptr<const void>> copies_{};
  bool complete_ = true;
};
