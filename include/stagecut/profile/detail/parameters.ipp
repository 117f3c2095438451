// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/profile/parameters.hpp>

#include <cstddef>

#include <stagecut/profile/architecture.hpp>
#include <stagecut/profile/detail/block.hpp>

namespace stagecut::inline STAGECUT_ABI::transformer {

STAGECUT_DECL cached_count count_cached(const architecture& a) {
  cached_count made;
  for (std::size_t i = 0; i < a.layers; ++i) {
    const detail::block each = detail::block_of(a, i);
    made.at_most += detail::kept_states(each) + detail::kept_inputs(each);
    if (!each.attends) continue;
    const double long_sample = 2 * each.window;  // what grows beyond a window is of every token
    const double near = each.window == 0 ? 0 : detail::kept_of_sample(each, long_sample);
    const double slope = detail::kept_of_sample(each, long_sample + 1) - near;
    made.per_token += slope;
    made.at_most += near - slope * long_sample;
  }
  return made;
}

STAGECUT_DECL parameter_count count_parameters(const architecture& a) {
  const auto words = static_cast<double>(a.vocabulary);
  const auto hidden = static_cast<double>(a.hidden);
  parameter_count made;
  made.total = (a.tied == tying::none ? 2 : 1) * words * hidden + detail::table_parameters(a) +
               (a.encoder ? 0 : detail::norm_parameters(a.norm, hidden)) + detail::head_parameters(a, words);
  if (a.vision) {
    made.vision = detail::patch_parameters(*a.vision) + detail::projector_parameters(*a.vision, hidden) +
                  static_cast<double>(a.vision->layers) * detail::block_parameters(detail::block_of(*a.vision, 0));
    made.total += made.vision;
  }
  made.active = made.total;
  for (std::size_t i = 0; i < a.layers; ++i) {
    const detail::block each = detail::block_of(a, i);
    made.total += detail::block_parameters(each);
    made.active += detail::common_parameters(each) + each.visits * detail::expert_parameters(each, each.ffn);
  }
  for (std::size_t i = 0; i < a.mtp_layers; ++i) {
    made.further += detail::joining_parameters(a) + detail::block_parameters(detail::block_of(a, a.layers + i));
  }
  return made;
}

}  // namespace stagecut::inline STAGECUT_ABI::transformer
