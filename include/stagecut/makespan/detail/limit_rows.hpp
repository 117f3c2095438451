// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <vector>

#include <stagecut/engine/chain_times.hpp>
#include <stagecut/makespan/detail/load_values.hpp>
#include <stagecut/makespan/detail/memory_rows.hpp>
#include <stagecut/makespan/detail/point_rows.hpp>
#include <stagecut/makespan/detail/point_times.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// A limit on the joint load of some stages for one microbatch: at most, or at least.
struct load_limit {
  std::size_t group = 0;  ///< index in `load_values`
  bool at_most = true;
  double load = 0;  ///< ticks
};

/// A branching on the load of a rank or stage: at most `below`, or at least `above`. No value lies between.
struct load_split {
  std::size_t group = 0;  ///< index in `load_values`
  double below = 0;
  double above = 0;
  double score = 0;  ///< estimated increase of the bounds
};

/// Adds a limit that is tighter than the existing ones.
inline void add_limit(std::vector<load_limit>& to, const load_limit& added) {
  for (load_limit& limit : to) {
    if (limit.group == added.group && limit.at_most == added.at_most) {
      limit = added;
      return;
    }
  }
  to.push_back(added);
}

/// Rows that are at most 0 for the wanted cuts: the memory of a rank less its limit; and, for a part of the set of all
/// cuts, the load of a rank or a stage against its limits.
class limit_rows {
 public:
  /// @param passes  of a stage in an iteration
  limit_rows(const point_times& times, const load_values& loads, double passes, const held_memory& held)
      : times_(times), loads_(loads), passes_(passes), rows_(times) {
    for (std::size_t r = 0; r < held.ranks(); ++r) {
      if (!held.any(r)) continue;
      times.held_factors(held, loads.stages_of(r), factors_);
      factors_[0] -= held.limit();
      rows_.set(rows_.size(), factors_);
      if (!loads.values(r).empty()) add({r, true, loads.values(r).back()});
    }
    fixed_ = rows_.size();
  }

  [[nodiscard]] const point_rows& rows() const noexcept { return rows_; }

  /// Sets the limits of a part. Their loads are per microbatch, and so are their rows.
  void set(const std::vector<load_limit>& loads) {
    rows_.shrink(fixed_);
    for (const load_limit& limit : loads) add(limit);
  }

 private:
  void add(const load_limit& each) {
    const double times = each.at_most ? passes_ : -passes_;
    counts_.assign(times_.stages() * engine::tick_kinds, 0);
    for (const std::size_t s : loads_.stages_of(each.group)) {
      for (const std::size_t kind : {engine::tick_f, engine::tick_b, engine::tick_w})
        counts_[s * engine::tick_kinds + kind] = times;
    }
    times_.factors(counts_, factors_);
    factors_[0] -= times * each.load;
    rows_.set(rows_.size(), factors_);
  }

  const point_times& times_;
  const load_values& loads_;
  double passes_;
  point_rows rows_;
  std::size_t fixed_ = 0;
  std::vector<double> counts_{};
  std::vector<double> factors_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail
