// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/engine/chain_times.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <stagecut/core/arithmetic.hpp>
#include <stagecut/core/error.hpp>
#include <stagecut/cost/link_speed.hpp>
#include <stagecut/cost/pipeline_model.hpp>
#include <stagecut/engine/tick_rows.hpp>
#include <stagecut/schedule/schedule.hpp>

namespace stagecut::inline STAGECUT_ABI::engine {

STAGECUT_DECL double chain_times::time(std::size_t kind, std::size_t s, std::size_t first,
                                       std::size_t last) const noexcept {
  const double* const all = times_[kind].data() + (rows_per_kind_ == 1 ? 0 : s) * items;
  double sum = 0;
  for (std::size_t i = first; i < last; ++i) sum += all[i];
  return sum + own_times_[kind][s];
}

STAGECUT_DECL double chain_times::everything() const {
  double sum = 0;
  for (std::size_t i = 0; i < items; ++i) {
    double most = 0;
    for (std::size_t at = i; at < times_[tick_f].size(); at += items) {
      const double all = times_[tick_f][at] + times_[tick_b][at] + times_[tick_w][at];
      most = std::max(most, all);
    }
    sum += most;
  }
  for (const auto& each : own_times_) {
    for (const double own : each) sum += own;
  }
  double longest = 0;
  for (const double each : times_[tick_message]) longest = std::max(longest, each);
  return (sum + 2 * static_cast<double>(stages) * longest) * passes_;
}

STAGECUT_DECL void chain_times::read_items(answer forward, answer backward, answer weight_of, answer input,
                                           bool is_given) {
  for (std::size_t s = 0; s < rows_per_kind_; ++s) {
    for (std::size_t i = 0; i < items; ++i) {
      const double all = checked("backward", backward(s, i), s, i);
      const double weight = splits ? checked("backward_weight", weight_of(s, i), s, i) : 0;
      const bool given = splits && is_given;
      if (!given && all < weight) refuse("backward_weight", position(s, i), "is above the whole backward pass");
      times_[tick_f].push_back(checked("forward", forward(s, i), s, i));
      times_[tick_b].push_back(given ? checked("backward_input", input(s, i), s, i) : all - weight);
      times_[tick_w].push_back(weight);
    }
  }
}

STAGECUT_DECL void chain_times::read_constants(answer forward_of, answer backward_of, answer weight_of) {
  for (std::size_t s = 0; s < stages; ++s) {
    const double forward = checked("stage_forward", forward_of(s, 0), s, items);
    const double all = checked("stage_backward", backward_of(s, 0), s, items);
    const double weight = splits ? checked("stage_backward_weight", weight_of(s, 0), s, items) : 0;
    if (all < weight) refuse("stage_backward_weight", position(s, items), "is above the whole backward pass");
    own_times_[tick_f].push_back(forward);
    own_times_[tick_b].push_back(all - weight);
    own_times_[tick_w].push_back(weight);
    has_constants_ = has_constants_ || forward != 0 || all != 0;
  }
}

STAGECUT_DECL void chain_times::read_messages(answer sent, const schedule& order,
                                              const std::vector<link_speed>& links) {
  times_[tick_message].resize(items + 1);  // for boundaries within a rank: no time
  has_messages = !links.empty() && stages > 1;
  for (std::size_t b = 0; b + 1 < stages; ++b) {
    const bool crosses = has_messages && order.rank_of[b] != order.rank_of[b + 1];
    boundary_.push_back(!crosses ? 0 : links.size() == 1 ? 1 : b + 1);
  }
  for (std::size_t b = 0; has_messages && b < links.size(); ++b) {
    for (std::size_t y = 0; y <= items; ++y) {
      const bool inside = y != 0 && y != items;
      times_[tick_message].push_back(inside ? checked("sent", links[b](sent(0, y)), none, y) : 0);
    }
  }
}

STAGECUT_DECL std::string chain_times::position(std::size_t s, std::size_t i) const {
  if (s == none) return detail::joined({" at cut ", i});
  if (i == items) return detail::joined({" of stage ", s});
  return detail::joined({" of item ", i, " on stage ", s});
}

STAGECUT_DECL void chain_times::refuse(const char* what, const std::string& place, const char* why) {
  detail::fail(invalid_input(detail::joined({"model.", what, place}), why));
}

STAGECUT_DECL double chain_times::checked(const char* what, double value, std::size_t s, std::size_t i) const {
  if (is_finite(value) && !is_negative(value)) return value;
  refuse(what, position(s, i),
         is_nan(value) ? "NaN, must be finite and not negative" : "must be finite and not negative");
}

}  // namespace stagecut::inline STAGECUT_ABI::engine
