// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/schedule/generators/zbv.hpp>

#include <cstddef>

#include <stagecut/schedule/detail/check_shape.hpp>
#include <stagecut/schedule/op.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI {

STAGECUT_DECL schedule zbv(std::size_t ranks, std::size_t microbatches) {
  detail::check_shape("zbv", ranks, 2, microbatches);
  detail::check_shape("zbv", ranks, 2, 2 * ranks - 1);  // makes the order for that many, and omits those beyond m
  const std::size_t passes = microbatches < 2 * ranks - 1 ? 2 * ranks - 1 : microbatches;
  schedule result = detail::empty_schedule("zbv", v_placement(ranks), ranks, microbatches);
  for (std::size_t r = 0; r < ranks; ++r) {
    struct progress {
      std::size_t stage = 0;
      std::size_t forward = 0;
      std::size_t input = 0;
      std::size_t weight = 0;
    };
    progress down{r};
    progress up{2 * ranks - 1 - r};
    const auto run = [&](op_kind kind, std::size_t stage, std::size_t& next) {
      if (next < microbatches) result.orders[r].push_back({kind, stage, next});
      ++next;
    };
    const auto forward = [&](progress& of) { run(op_kind::forward, of.stage, of.forward); };
    const auto input = [&](progress& of) { run(op_kind::backward_input, of.stage, of.input); };
    const auto weight = [&](progress& of) { run(op_kind::backward_weight, of.stage, of.weight); };
    for (std::size_t i = 0; i < 2 * (ranks - r) - 1; ++i) forward(down);
    for (std::size_t i = 0; i < r; ++i) forward(up), forward(down);
    for (std::size_t i = 0; i < ranks - r; ++i) forward(up), input(up), weight(up);
    while (up.forward < down.forward || down.forward < passes) {
      if (down.forward < passes) forward(down);
      input(down), weight(down), forward(up), input(up), weight(up);
    }
    for (std::size_t i = 0; i < r; ++i) input(down), input(up);
    for (std::size_t i = 0; i < ranks - r; ++i) input(down), weight(down);
    while (up.weight < passes) weight(up);
    while (down.weight < passes) weight(down);
  }
  return result;
}

}  // namespace stagecut::inline STAGECUT_ABI
