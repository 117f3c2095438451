// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/error.hpp>
#include <stagecut/schedule/detail/check_shape.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline v0 {

/// DualPipeV: two stages a rank, down and back up, where the F of one runs together with the B of the other.
///
/// @param ranks         p, at least 1; stages r and 2p - 1 - r on rank r
/// @param microbatches  m, at least 2p, the number of stages
/// @return              pairs that overlap are an F with `with_next` and the B behind it; backward passes before and
///                      after them are in part split into I and W
/// @throws              argument_error
///
/// Every rank keeps the activations of 2p + 1 microbatches, each of one stage.
///
/// Source: DeepSeek-AI, DualPipe, 2025; the order is PyTorch's DualPipeV.
[[nodiscard]] inline schedule dualpipev(std::size_t ranks, std::size_t microbatches) {
  detail::check_shape("dualpipev", ranks, 2, microbatches);
  if (microbatches < 2 * ranks) {
    detail::refuse_shape("dualpipev", "microbatches", microbatches,
                         detail::joined("must be at least the number of stages, ", std::to_string(2 * ranks)));
  }
  schedule result = detail::empty_schedule("dualpipev", v_placement(ranks), ranks, microbatches);
  for (std::size_t r = 0; r < ranks; ++r) {
    std::vector<op>& order = result.orders[r];
    struct progress {
      std::size_t stage = 0;
      std::size_t forward = 0;
      std::size_t backward = 0;
    };
    progress down{r};
    progress up{2 * ranks - 1 - r};
    std::vector<op> weights;  // that are left behind by I
    std::size_t weights_done = 0;
    const auto forward = [&](progress& of) { order.push_back({op_kind::forward, of.stage, of.forward++}); };
    const auto backward = [&](progress& of) { order.push_back({op_kind::backward, of.stage, of.backward++}); };
    const auto input = [&](progress& of) {
      weights.push_back({op_kind::backward_weight, of.stage, of.backward});
      order.push_back({op_kind::backward_input, of.stage, of.backward++});
    };
    const auto weight = [&] {
      if (weights_done < weights.size()) order.push_back(weights[weights_done++]);
    };
    const auto overlap = [&](progress& of, progress& back) {
      order.push_back({op_kind::forward, of.stage, of.forward++, 0, true});
      backward(back);
    };
    const std::size_t behind = ranks - 1 - r;

    for (std::size_t i = 0; i < 2 * behind; ++i) forward(down);
    for (std::size_t i = 0; i <= r; ++i) forward(down), forward(up);
    for (std::size_t i = 0; i < behind; ++i) input(up), weight(), forward(up);
    for (std::size_t i = 0; i < microbatches - ranks - behind; ++i) {
      // The last rank runs its first two apart, as the source has it.
      if (behind == 0 && i == 0) {
        forward(down), backward(up);
      } else {
        overlap(down, up);
      }
      overlap(up, down);
    }
    for (std::size_t i = 0; i < behind; ++i) backward(up), overlap(up, down);
    const std::size_t split = (r + 1) / 2;  // from there on W is left behind
    for (std::size_t i = 0; i <= r; ++i) {
      i > split || (i == split && r % 2 == 1) ? input(up) : backward(up);
      i >= split ? input(down) : backward(down);
    }
    for (std::size_t i = 0; i < behind; ++i) weight(), input(down);
    while (weights_done < weights.size()) weight();
  }
  return result;
}

}  // namespace stagecut::inline v0
