// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <stagecut/core/view.hpp>
#include <stagecut/search/candidate_cost.hpp>
#include <stagecut/search/candidate_space.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// The first of the exceptions that blocks throw, whatever thread runs which of them.
class block_errors {
 public:
  /// Keeps the current exception.
  void keep(std::size_t block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (error_ && block_ < block) return;
    error_ = std::current_exception();
    block_ = block;
  }
  /// Throws the kept exception, if any.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::mutex mutex_{};
  std::exception_ptr error_{};
  std::size_t block_ = 0;
};

/// Evaluates the candidates of a block sequentially, or in lanes; the scratch memory is allocated once per block.
template <class S, class E>
struct evaluate_block {
  using cost_t = candidate_cost_t<E>;
  static constexpr std::size_t size = 512;

  const S* space;
  const E* evaluator;
  std::uint64_t first;  // index of the chunk's first candidate
  std::size_t count;    // of the chunk
  cost_t* costs;
  block_errors* errors;

  void operator()(std::size_t block) const {
    const std::size_t begin = block * size;
    const std::size_t end = begin + size < count ? begin + size : count;
    try {
      if constexpr (has_lanes<E>) {
        in_lanes(begin, end);
      } else {
        one_by_one(begin, end);
      }
    } catch (...) {
      errors->keep(block);
    }
  }

 private:
  void one_by_one(std::size_t begin, std::size_t end) const {
    std::vector<std::uint32_t> points(space->points());
    std::vector<number_t<E>> room(detail::room_of(*evaluator));
    auto walk = detail::walk(*space, first + begin, candidate_room(points.data(), points.size()));
    for (std::size_t i = begin; i < end; ++i) {
      if (i != begin) walk.next();
      costs[i] = detail::cost_of(*evaluator, candidate(points.data(), points.size()), {room.data(), room.size()});
    }
  }

  void in_lanes(std::size_t begin, std::size_t end) const {
    std::vector<std::uint32_t> points(space->points());
    auto lanes = evaluator->lanes();
    constexpr std::size_t width = decltype(lanes)::width;
    auto walk = detail::walk(*space, first + begin, candidate_room(points.data(), points.size()));
    for (std::size_t i = begin; i < end; i += width) {
      const std::size_t here = end - i < width ? end - i : width;
      for (std::size_t lane = 0; lane < here; ++lane) {
        if (i + lane != begin) walk.next();
        lanes.set(lane, candidate(points.data(), points.size()));
      }
      const auto& found = lanes.costs();
      for (std::size_t lane = 0; lane < here; ++lane) costs[i + lane] = found[lane];
    }
  }
};

/// Uses arrays in place.
struct host_memory {
  template <class T>
  [[nodiscard]] view<const T> operator()(view<const T> array) const {
    return array;
  }
};

/// A search on Thrust systems with host memory: all except CUDA.
struct host_system {
  static constexpr std::size_t chunk = std::size_t{1} << 18U;

  template <class T>
  using array = std::vector<T>;
  using memory = host_memory;

  /// See `cuda_system`: calls are synchronous.
  template <class Policy>
  static void wait(const Policy&) {}

  /// Elements of an array.
  template <class T>
  static std::vector<T> read(const std::vector<T>& from, std::size_t count) {
    return std::vector<T>(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
  }

  /// Overwrites an array.
  template <class T>
  static void write(std::vector<T>& to, const std::vector<T>& from) {
    to = from;
  }

  /// Evaluates chunks.
  template <class S, class E>
  class evaluation {
   public:
    evaluation(const S& space, const E& evaluator) : space_(space), evaluator_(evaluator) {}

    /// Writes the costs of the candidates from `first` on.
    template <class Policy>
    void operator()(const Policy& policy, std::uint64_t first, std::size_t count, candidate_cost_t<E>* costs) {
      using block = evaluate_block<S, E>;
      block_errors errors;
      const std::size_t blocks = (count + block::size - 1) / block::size;
      const thrust::counting_iterator<std::size_t> begin(0);
      thrust::for_each(policy, begin, begin + static_cast<std::ptrdiff_t>(blocks),
                       block{&space_, &evaluator_, first, count, costs, &errors});
      errors.rethrow();
    }

   private:
    const S& space_;
    const E& evaluator_;
  };
};

/// The system of a policy's algorithms.
host_system system_of(const void*);

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
