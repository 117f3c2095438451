// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <vector>

#include <stagecut/core/view.hpp>
#include <stagecut/search/device_error.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// Throws the error of a CUDA runtime call, if any.
inline void check_cuda(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // clears it, so that later calls do not see it
  throw device_error(call, cudaGetErrorName(status), cudaGetErrorString(status));
}

/// An array in device memory.
template <class T>
class device_array {
 public:
  device_array() = default;
  explicit device_array(std::size_t size) : size_(size) {
    if (size != 0) check_cuda(cudaMalloc(&data_, size * sizeof(T)), "cudaMalloc");
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  device_array(device_array&& other) noexcept : data_(other.data_), size_(other.size_) {
    other.data_ = nullptr;
    other.size_ = 0;
  }
  device_array& operator=(device_array&& other) noexcept {
    T* const data = data_;
    const std::size_t size = size_;
    data_ = other.data_, size_ = other.size_;
    other.data_ = data, other.size_ = size;
    return *this;
  }
  ~device_array() { static_cast<void>(cudaFree(data_)); }

  [[nodiscard]] T* data() noexcept { return data_; }
  [[nodiscard]] const T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Copies bytes to the device; complete on return, for any stream.
inline void copy_to_device(void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
  check_cuda(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
}

/// Copies arrays to the device, and owns the copies.
class device_memory {
 public:
  template <class T>
  [[nodiscard]] view<const T> operator()(view<const T> array) {
    held_.emplace_back(array.size() * sizeof(T));
    void* const to = held_.back().data();
    copy_to_device(to, array.data(), array.size() * sizeof(T));
    return {static_cast<const T*>(to), array.size()};
  }

 private:
  std::vector<device_array<unsigned char>> held_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
