// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <stagecut/search/detail/host_system.hpp>
#include <stagecut/search/detail/stage_steps.hpp>

namespace stagecut::inline STAGECUT_ABI::search::detail {

/// Fills two cells of a layer: the one at a position, and its mirror image. All such pairs take the same time.
template <class Steps>
struct fill_pair {
  const Steps* steps;
  std::size_t stage;
  std::size_t count;  // cells
  block_errors* errors;

  void operator()(std::size_t i) const {
    try {
      fill(i);
      if (count - 1 - i != i) fill(count - 1 - i);
    } catch (...) {
      errors->keep(i);
    }
  }

 private:
  void fill(std::size_t i) const {
    steps->cells[stage * steps->width + i] = steps->best(stage, i, steps->nearest(stage, i), steps->width);
  }
};

/// The layers of a `stage_question` in host memory.
template <class Question>
class host_stage_layers {
 public:
  explicit host_stage_layers(const Question& q)
      : cells_(q.stages * q.width), steps_{q.cost, q.goal, q.allowed, q.stages, q.width, cells_.data()} {}

  /// Fills the layer of a stage, after those of all later stages.
  template <class Policy>
  void fill(const Policy& policy, std::size_t stage) {
    const std::size_t count = stage == 0 ? 1 : steps_.width;
    block_errors errors;
    const thrust::counting_iterator<std::size_t> begin(0);
    thrust::for_each(policy, begin, begin + static_cast<std::ptrdiff_t>((count + 1) / 2),
                     fill_pair<steps>{&steps_, stage, count, &errors});
    errors.rethrow();
  }

  /// The smallest value of all stages.
  [[nodiscard]] typename Question::cell least() const { return cells_[0]; }

  /// The cut points of the answer.
  template <class Policy>
  [[nodiscard]] std::vector<std::size_t> cut(const Policy&) const {
    std::vector<std::size_t> points(steps_.stages + 1);
    steps_.cut(points.data());
    return points;
  }

 private:
  using steps = stage_steps<Question, decltype(Question::cost), decltype(Question::goal), decltype(Question::allowed)>;

  std::vector<typename Question::cell> cells_;
  steps steps_;
};

template <class Question>
host_stage_layers<Question> stage_layers_of(const host_system&, const Question&);

}  // namespace stagecut::inline STAGECUT_ABI::search::detail
