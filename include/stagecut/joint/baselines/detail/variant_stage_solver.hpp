// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/baselines/detail/multiple_choice_knapsack.hpp>
#include <stagecut/joint/baselines/detail/variant_points.hpp>
#include <stagecut/joint/baselines/detail/variant_stage_table.hpp>
#include <stagecut/joint/baselines/detail/variant_tables.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Finds the least time of a stage with a number of microbatches in flight, and caches it.
class variant_stage_solver {
 public:
  using fact = variant_stage_facts::fact;

  /// @param exchanged  bytes that a device sends during the time of all microbatches of an iteration, at one second
  ///                   each
  variant_stage_solver(const variant_tables& tables, const variant_points& points, double exchanged);

  /// Sets the bytes of a device.
  void set_memory(const std::optional<double>& memory);

  /// Selects a stage and its devices.
  void look_at(std::size_t first, std::size_t last, std::size_t t, std::size_t replicas);

  /// The time of a microbatch if its layers take `more` beyond the fastest.
  [[nodiscard]] double time(std::int64_t more, std::size_t replicas) const noexcept {
    return time_of(facts_->time + more, facts_->parameters, replicas);
  }
  [[nodiscard]] double time_of(std::int64_t time, std::int64_t parameters, std::size_t replicas) const noexcept;

  /// A way to run the stage with `held` microbatches in flight that takes at most `most`: the fastest one, or any.
  [[nodiscard]] std::optional<fact> solve(std::int64_t held, std::size_t replicas, double most, bool fastest = true);

  /// The same, any way with as many microbatches as possible, from `least` to `most_held`.
  [[nodiscard]] std::optional<fact> solve_roomiest(std::int64_t least, std::int64_t most_held, std::size_t replicas,
                                                   double most);

  /// Whether the sums allow layers to fit with `held` microbatches.
  [[nodiscard]] bool may_hold(const variant_points::sums& sums, std::int64_t held) const noexcept {
    return sums.least_one + (held - 1) * sums.least_more <= limit_;
  }
  /// The microbatches that fit if all layers run in the fastest way, if that is the same on every stage; otherwise 0.
  [[nodiscard]] std::int64_t room_of_fastest(const variant_points::sums& sums) const noexcept {
    return differ_ ? 0 : room_of(sums.fastest);
  }

  /// The variant of each layer of the stage, ascending, as chosen for `held` microbatches; none if they do not fit.
  [[nodiscard]] std::vector<std::size_t> variants(std::int64_t held);

 private:
  [[nodiscard]] bool is_cut(std::size_t v, std::size_t e) const noexcept;
  [[nodiscard]] std::optional<fact> within(const fact& each, std::size_t replicas, double most) const {
    return time(each.figures.time, replicas) <= most ? std::optional<fact>(each) : std::nullopt;
  }
  [[nodiscard]] std::int64_t room_of(const variant_figures& figures) const noexcept;

  /// Groups the layers of the stage by equal figures.
  void list_groups();

  /// Whether the bytes that a layer sends or exchanges here depend on its variant.
  [[nodiscard]] bool differs(std::size_t v, const variant_tables::divided& each) const;

  [[nodiscard]] std::vector<variant_figures> figures_of(std::size_t v, const variant_tables::divided& each) const;

  const variant_tables& tables_;
  const variant_points& points_;
  double exchanged_;
  bool varies_ = false;  // whether the bytes that layers exchange depend on their variants
  bool differ_ = false;  // whether the bytes they exchange or send do
  std::optional<double> memory_{};
  std::int64_t limit_ = std::numeric_limits<std::int64_t>::max() / 2;
  variant_stage_table table_{};
  variant_stage_key key_{};
  std::size_t replicas_ = 1;
  bool is_listed_ = false;
  variant_stage_facts own_{};
  variant_stage_facts* facts_ = nullptr;
  multiple_choice_knapsack choice_{};
  std::vector<std::vector<std::size_t>> members_{};  // of each group
  std::vector<std::size_t> slot_{};                  // for each group of the tables, its number here plus 1
  std::vector<std::vector<variant_figures>> own_figures_{};
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/variant_stage_solver.ipp>
#endif
