// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/joint/detail/build_options.hpp>
#include <stagecut/joint/detail/choice_curves.hpp>
#include <stagecut/joint/detail/layer_work.hpp>
#include <stagecut/joint/detail/option_graph.hpp>
#include <stagecut/joint/detail/recompute_rules.hpp>
#include <stagecut/joint/detail/start_options.hpp>
#include <stagecut/joint/detail/whole_times.hpp>
#include <stagecut/joint/detail/why_no_recomputation.hpp>
#include <stagecut/joint/recompute_model.hpp>
#include <stagecut/joint/recompute_request.hpp>
#include <stagecut/joint/simulate_recomputation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// What the busiest rank works in an iteration at least, whatever plan that fits; unset: none does. Where there may be too
/// many options it is what all ranks work at least, shared out evenly, whether a plan fits or not.
[[nodiscard]] inline std::optional<double> least_work(const recompute_model& model, const recompute_request& request) {
  const schedule& order = request.order;
  const bool splits = splits_backward(order);
  const whole_times unit = unit_of(model, {}, order);
  const std::vector<rank_rules> rules = rules_of(model, request, unit, splits);
  choice_curves curves(model, unit, splits);
  const double even = work_of(model, unit, true) / static_cast<double>(order.ranks());
  const double greatest = work_of(model, unit, false);
  double least = even;
  const bool has_few_options = curves.alike() || order.stages() <= 2 * order.ranks();
  if (has_few_options && fits_with(leanest_of(model), request, 0) == false) return std::nullopt;
  // Something may be done in no time, and what fits need not.
  const double first = even * 1.05 < greatest / 1000 ? greatest / 1000 : even * 1.05;
  for (double most = first; has_few_options; most *= 1.1) {
    option_builder builder(curves, order, rules, splits, least_layers_of(request), model.layers.size(), most);
    const option_graph graph = builder.build();
    if (!builder.complete()) break;
    const std::vector<std::uint32_t> options = start_options(graph);
    if (options.empty()) {
      least = most;  // some rank works longer
      if (most > greatest) break;
      continue;
    }
    least = 0;
    for (std::size_t r = 0; r < options.size(); ++r) {
      double here = 0;
      for (std::size_t j = 0; j < graph.ranks[r].width(); ++j) here += graph.ranks[r].times(j)[options[r]];
      least = std::max(least, here);
    }
    break;
  }
  const auto passes = static_cast<double>(order.microbatches * order.slices);
  const double time = passes * least * unit.unit * (1 - 0x1p-40) - unit.error;
  return time > 0 ? time : 0;
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
