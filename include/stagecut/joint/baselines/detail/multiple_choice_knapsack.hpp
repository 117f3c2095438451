// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/baselines/detail/variant_ways.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Chooses one way for each layer of a stage so that all fit into memory and take the least time: a multiple-choice
/// knapsack, solved exactly by branch and bound. Among layers with two ways whose leaner ones save equally many bytes,
/// those that lose least time switch first, so only their number is chosen; the same holds for layers with equal
/// figures.
class multiple_choice_knapsack : public variant_ways {
 public:
  /// The least time.
  [[nodiscard]] std::int64_t solve();

  /// A greedy solution: layers switch to leaner ways by increasing time per saved byte, until they fit; not always
  /// optimal, but fast.
  [[nodiscard]] std::int64_t choose();

  /// The total figures of the solution.
  [[nodiscard]] variant_figures sum() const;

  /// The way of each layer of a group in the solution.
  [[nodiscard]] std::vector<std::size_t> variants_of(std::size_t g) const;

 private:
  void keep(std::int64_t time);

  void descend(std::size_t rank, std::int64_t need, std::int64_t time);

  /// Decides how many layers of a unit run in their leaner ways, starting with the number in the relaxed solution.
  void descend_pairs(std::size_t rank, std::int64_t need, std::int64_t time);

  /// Runs `x` layers of a unit in their leaner ways.
  /// @return  the resulting bound
  std::int64_t take(std::size_t rank, std::int64_t x, std::int64_t need, std::int64_t time);

  /// @return  the time of running `x` layers of a unit in their leaner ways
  std::int64_t set(const unit& at, std::int64_t x);

  /// Decides how many of `left` layers of a group run in way `w`, then in faster ones.
  void descend_ways(std::size_t rank, std::size_t w, std::size_t left, std::int64_t need, std::int64_t time);

  std::int64_t best_ = 0;
  std::vector<std::size_t> now_{};     // layers in each way
  std::vector<std::size_t> chosen_{};  // the same in the best solution
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/multiple_choice_knapsack.ipp>
#endif
