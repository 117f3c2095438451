// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <stagecut/core/placed.hpp>
#include <stagecut/search/detail/cuda_system.cuh>
#include <stagecut/search/detail/stage_steps.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// The best of a segment of ends for each cell of a layer. Neighbouring threads have neighbouring cells and the same
/// ends, so the values after an end are read once for all of them.
template <class Steps>
struct best_of_segment {
  Steps steps;
  std::size_t stage;
  std::size_t count;   // cells
  std::size_t length;  // ends per segment
  typename Steps::cell* to;

  STAGECUT_DEVICE void operator()(std::size_t at) const {
    if (false) steps.call_parts();
    const std::size_t i = at % count;
    const std::size_t begin = at / count * length;
    const std::size_t end = begin + length < steps.width ? begin + length : steps.width;
    const std::size_t nearest = steps.nearest(stage, i);
    to[at] = steps.best(stage, i, begin < nearest ? nearest : begin, end);
  }
};

/// The best of all segments for each cell; the first of equal ones.
template <class Cell>
struct best_of_all_segments {
  const Cell* from;
  std::size_t count;
  std::size_t segments;
  Cell* to;

  STAGECUT_HOST_DEVICE void operator()(std::size_t i) const {
    Cell least = from[i];
    for (std::size_t each = 1; each < segments; ++each) {
      const Cell& here = from[each * count + i];
      if (here < least) least = here;
    }
    to[i] = least;
  }
};

/// Writes the cut points of the answer, in one thread: it evaluates fewer costs than two layers, sequentially.
template <class Steps>
struct write_cut {
  Steps steps;
  std::size_t* points;

  STAGECUT_HOST_DEVICE void operator()(std::size_t) const { steps.cut(points); }
};

/// The layers of a `stage_question` in device memory.
template <class Question>
class cuda_stage_layers {
  using cell = typename Question::cell;

 public:
  explicit cuda_stage_layers(const Question& q)
      : cells_(q.stages * q.width),
        steps_{stagecut::detail::placed(q.cost, memory_),
               stagecut::detail::placed(q.goal, memory_),
               stagecut::detail::placed(q.allowed, memory_),
               q.stages,
               q.width,
               cells_.data()},
        length_(q.width <= least_length * most_segments ? least_length : (q.width + most_segments - 1) / most_segments),
        segments_((q.width + length_ - 1) / length_),
        parts_(segments_ * q.width) {}

  /// Fills the layer of a stage, after those of all later stages.
  template <class Policy>
  void fill(const Policy& policy, std::size_t stage) {
    const std::size_t count = stage == 0 ? 1 : steps_.width;
    for_each(policy, segments_ * count, best_of_segment<steps>{steps_, stage, count, length_, parts_.data()});
    for_each(policy, count,
             best_of_all_segments<cell>{parts_.data(), count, segments_, cells_.data() + stage * steps_.width});
    if (stage == 0) cuda_system::wait(policy);
  }

  /// The smallest value of all stages.
  [[nodiscard]] cell least() const { return cuda_system::read(cells_, 1)[0]; }

  /// The cut points of the answer.
  template <class Policy>
  [[nodiscard]] std::vector<std::size_t> cut(const Policy& policy) const {
    device_array<std::size_t> points(steps_.stages + 1);
    for_each(policy, 1, write_cut<steps>{steps_, points.data()});
    cuda_system::wait(policy);
    return cuda_system::read(points, points.size());
  }

 private:
  template <class T>
  using there = stagecut::detail::placed_t<std::remove_cvref_t<T>, device_memory>;
  using steps = stage_steps<Question, there<decltype(Question::cost)>, there<decltype(Question::goal)>,
                            there<decltype(Question::allowed)>>;

  static constexpr std::size_t least_length = 64;
  static constexpr std::size_t most_segments = 64;

  template <class Policy, class Function>
  static void for_each(const Policy& policy, std::size_t count, const Function& function) {
    const thrust::counting_iterator<std::size_t> begin(0);
    thrust::for_each(policy, begin, begin + static_cast<std::ptrdiff_t>(count), function);
  }

  device_memory memory_{};
  device_array<cell> cells_;
  steps steps_;
  std::size_t length_;
  std::size_t segments_;
  device_array<cell> parts_;  // `[segment * count + place]`
};

template <class Question>
cuda_stage_layers<Question> stage_layers_of(const cuda_system&, const Question&);

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
