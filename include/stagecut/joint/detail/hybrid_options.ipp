// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <stagecut/joint/detail/hybrid_options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <stagecut/engine/search_clock.hpp>
#include <stagecut/engine/times_simulator.hpp>
#include <stagecut/joint/detail/check_stage_option.hpp>
#include <stagecut/joint/hybrid_request.hpp>
#include <stagecut/joint/stage_options.hpp>
#include <stagecut/schedule/make_schedule.hpp>
#include <stagecut/schedule/simulation.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

STAGECUT_DECL void times_of(const stage_option& option, double* to) noexcept {
  to[hybrid_forward] = option.forward;
  to[hybrid_backward] = option.backward;
  to[hybrid_message] = option.message;
  to[hybrid_all_reduce] = option.all_reduce;
}

STAGECUT_DECL engine::times_simulator hybrid_simulator(std::size_t stages, std::size_t microbatches) {
  return {one_forward_one_backward(stages, microbatches),
          transfer_kind::link,
          false,
          stages > 1,
          {.kinds = hybrid_kinds,
           .forward = hybrid_forward,
           .backward = hybrid_backward,
           .message = hybrid_message,
           .before = true,
           .all_reduce = hybrid_all_reduce}};
}

STAGECUT_DECL double iteration_of(const std::vector<hybrid_stage>& stages, std::size_t microbatches) {
  std::vector<double> times(stages.size() * hybrid_kinds);
  for (std::size_t s = 0; s < stages.size(); ++s) times_of(stages[s].option, times.data() + s * hybrid_kinds);
  return hybrid_simulator(stages.size(), microbatches).run(times.data());
}

STAGECUT_DECL hybrid_options::hybrid_options(const any_stage_options& model, std::size_t devices,
                                             const std::optional<double>& memory, double most_pass,
                                             engine::search_clock& clock)
    : points_(model.size() + 1), period_(model.period()) {
  for (std::size_t last = 1; last < points_ && !clock.look(); ++last) {
    model.each_stage(last, [&](std::size_t first, const auto& options) {
      bool any = false;
      for (std::size_t position = 0; position < period_; ++position) {
        stage_query query{first, last, position == 0 ? period_ : position};
        query.memory = memory;
        found_.clear();
        std::size_t looked_at = 0;
        options.each_option(query, [&](const stage_option& each) {
          ++looked_at;
          check_stage_option(each, first, last);
          if (each.devices() > devices) return;
          if (each.forward + each.backward > most_pass) {
            complete_ = false;
            return;
          }
          any = true;
          if (memory && bytes_with(each, 1) > *memory) return;
          found_.push_back(each);
        });
        // Asked for and compared with all others, an option takes longer than a choice.
        clock.work(8 * looked_at + found_.size() * found_.size() / 16);
        keep(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last), static_cast<std::uint32_t>(position));
      }
      return any;
    });
  }
  std::stable_sort(stages_.begin(), stages_.end(), [](const stage& a, const stage& b) { return a.first < b.first; });
  begin_.assign(points_ + 1, 0);
  for (const stage& each : stages_) ++begin_[each.first + 1];
  for (std::size_t i = 0; i < points_; ++i) begin_[i + 1] += begin_[i];
}

STAGECUT_DECL double hybrid_options::longest_iteration(std::size_t stages, std::size_t microbatches) const noexcept {
  double longest = 0;
  for (const stage_option& each : options_) {
    const double passes = each.forward + each.backward + 2 * each.message;
    const double here = static_cast<double>(microbatches) * passes + each.all_reduce;
    longest = std::max(longest, here);
  }
  return longest * static_cast<double>(stages) * (1 + 0x1p-30);
}

STAGECUT_DECL bool hybrid_options::covers(const stage_option& a, const stage_option& b) noexcept {
  return a.forward <= b.forward && a.backward <= b.backward && a.message <= b.message && a.all_reduce <= b.all_reduce &&
         a.activations <= b.activations && a.resident <= b.resident;
}

STAGECUT_DECL void hybrid_options::keep(std::uint32_t first, std::uint32_t last, std::uint32_t position) {
  if (found_.empty()) return;
  std::stable_sort(found_.begin(), found_.end(),
                   [](const stage_option& a, const stage_option& b) { return a.devices() < b.devices(); });
  const auto begin = static_cast<std::uint32_t>(options_.size());
  for (std::size_t i = 0; i < found_.size(); ++i) {
    bool covered = false;
    for (std::size_t j = 0; j < found_.size() && !covered; ++j) {
      if (j == i || found_[j].devices() != found_[i].devices() || !covers(found_[j], found_[i])) continue;
      covered = j < i || !covers(found_[i], found_[j]);
    }
    if (!covered) options_.push_back(found_[i]);
  }
  stages_.push_back({first, last, position, begin, static_cast<std::uint32_t>(options_.size())});
}

}  // namespace stagecut::inline STAGECUT_ABI::detail
