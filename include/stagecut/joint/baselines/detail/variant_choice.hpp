// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <stagecut/core/config.hpp>
#include <stagecut/joint/baselines/detail/variant_ways.hpp>

namespace stagecut::inline STAGECUT_ABI::detail {

/// Chooses one way for each layer of a stage so that all fit into memory and take the least time: a knapsack with several
/// choices, solved to the end by branch and bound. Of layers that have two ways and save as many bytes by the leaner one, the
/// first to run so are those that lose least time by it, so only their number is chosen; likewise for layers with equal
/// figures.
class variant_choice : public variant_ways {
 public:
  /// The least time.
  [[nodiscard]] std::int64_t solve();

  /// Layers go to leaner ways by what that saves for the time, until they fit: not always the best, but soon found.
  [[nodiscard]] std::int64_t choose();

  /// All that the solution takes.
  [[nodiscard]] variant_figures sum() const;

  /// Which way each layer of a group has in the solution, one after the other.
  [[nodiscard]] std::vector<std::size_t> variants_of(std::size_t g) const;

 private:
  void keep(std::int64_t time);

  void descend(std::size_t rank, std::int64_t need, std::int64_t time);

  /// Decides how many layers of a unit run in their leaner ways: first as many as the relaxed problem takes.
  void descend_pairs(std::size_t rank, std::int64_t need, std::int64_t time);

  /// Runs `x` layers of a unit in their leaner ways.
  /// @return  the bound of that
  std::int64_t take(std::size_t rank, std::int64_t x, std::int64_t need, std::int64_t time);

  /// @return  the time that it takes to run `x` layers of a unit in their leaner ways
  std::int64_t set(const unit& at, std::int64_t x);

  /// Decides how many of `left` layers of a group run in way `w`, then in faster ones.
  void descend_ways(std::size_t rank, std::size_t w, std::size_t left, std::int64_t need, std::int64_t time);

  std::int64_t best_ = 0;
  std::vector<std::size_t> now_{};     // layers of each way
  std::vector<std::size_t> chosen_{};  // likewise in the best solution
};

}  // namespace stagecut::inline STAGECUT_ABI::detail

#if defined(STAGECUT_HEADER_ONLY)
#include <stagecut/joint/baselines/detail/variant_choice.ipp>
#endif
