// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/generators/dualpipev.hpp>

#include <cstddef>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/schedule/detail/check_shape.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

namespace detail {

/// Writes the passes of a rank of DualPipeV one by one.
class dualpipev_rank {
 public:
  /// The progress of a stage.
  struct progress {
    std::size_t stage = 0;
    std::size_t forward = 0;
    std::size_t backward = 0;
  };

  dualpipev_rank(std::size_t ranks, std::size_t rank) : down{rank}, up{2 * ranks - 1 - rank} {}

  void forward(progress& of) { order.push_back({op_kind::forward, of.stage, of.forward++}); }
  void backward(progress& of) { order.push_back({op_kind::backward, of.stage, of.backward++}); }
  void input(progress& of) {
    weights_.push_back({op_kind::backward_weight, of.stage, of.backward});
    order.push_back({op_kind::backward_input, of.stage, of.backward++});
  }
  /// Writes the oldest W deferred by I, if there is one.
  void weight() {
    if (weights_done_ < weights_.size()) order.push_back(weights_[weights_done_++]);
  }
  void all_weights() {
    while (weights_done_ < weights_.size()) weight();
  }
  void overlap(progress& of, progress& back) {
    order.push_back({op_kind::forward, of.stage, of.forward++, 0, true});
    backward(back);
  }

  progress down;
  progress up;
  std::vector<op> order{};

 private:
  std::vector<op> weights_{};  // deferred by I
  std::size_t weights_done_ = 0;
};

STAGECUT_DECL std::vector<op> dualpipev_order(std::size_t ranks, std::size_t r, std::size_t microbatches) {
  dualpipev_rank run(ranks, r);
  auto& down = run.down;
  auto& up = run.up;
  const std::size_t behind = ranks - 1 - r;
  for (std::size_t i = 0; i < 2 * behind; ++i) run.forward(down);
  for (std::size_t i = 0; i <= r; ++i) run.forward(down), run.forward(up);
  for (std::size_t i = 0; i < behind; ++i) run.input(up), run.weight(), run.forward(up);
  for (std::size_t i = 0; i < microbatches - ranks - behind; ++i) {
    // The last rank runs its first two without overlap.
    if (behind == 0 && i == 0) {
      run.forward(down), run.backward(up);
    } else {
      run.overlap(down, up);
    }
    run.overlap(up, down);
  }
  for (std::size_t i = 0; i < behind; ++i) run.backward(up), run.overlap(up, down);
  const std::size_t split = (r + 1) / 2;  // from there on W is deferred
  for (std::size_t i = 0; i <= r; ++i) {
    i > split || (i == split && r % 2 == 1) ? run.input(up) : run.backward(up);
    i >= split ? run.input(down) : run.backward(down);
  }
  for (std::size_t i = 0; i < behind; ++i) run.weight(), run.input(down);
  run.all_weights();
  return run.order;
}

}  // namespace detail

STAGECUT_DECL schedule dualpipev(std::size_t ranks, std::size_t microbatches) {
  detail::check_shape("dualpipev", ranks, 2, microbatches);
  if (microbatches < 2 * ranks) {
    detail::refuse_shape("dualpipev", "microbatches", microbatches,
                         detail::joined({"must be at least the number of stages, ", 2 * ranks}));
  }
  schedule result = detail::empty_schedule("dualpipev", v_placement(ranks), ranks, microbatches);
  for (std::size_t r = 0; r < ranks; ++r) result.orders[r] = detail::dualpipev_order(ranks, r, microbatches);
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
